// Package jobfile reads job sets from YAML and JSON and writes them as YAML.
package jobfile

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"downbeat/model"
	"downbeat/model/files/document"
)

// maxFileSize in bytes, like the other limits here, is far above what can be planned
// and keeps a hostile or generated file from taking the machine with it.
const maxFileSize = 64 << 20

// tooLarge is what to do about a file that is.
const tooLarge = "split the job set, or let equal tasks share a group with count"

// formatVersion is the version of the job set format that this program reads.
const formatVersion = 1

// Load reads a job set from YAML, or from JSON if the name ends in .json or
// the text is a JSON object. The name only says where faults are. Whatever is
// wrong with the file comes back at once, as a *Faults.
func Load(name string, src []byte) (*model.JobSet, error) {
	return newLoader(document.NewReader("job set", src)).load(name)
}

// LoadTree is [Load] of a document that others have read, and may have changed: values without an
// anchor or alias of their own, each with the place that faults are told at. Values that are one node are
// read once, so groups of tasks that share theirs share a profile. What is wrong is noted with values, too.
func LoadTree(values *document.Reader, name string, root *yaml.Node) (*model.JobSet, error) {
	l := newLoader(values)
	l.jobSet(root)
	return l.finish(name)
}

// LoadNoted is Load, with notes on what is no fault and yet unlikely to be meant: slaves
// that nothing can run on or that are away all the time, data where it is of no use, and due
// times that are on the next day because they are no later than the release by the clock.
func LoadNoted(name string, src []byte) (js *model.JobSet, notes []string, err error) {
	l := newLoader(document.NewReader("job set", src))
	if js, err = l.load(name); err != nil {
		return nil, nil, err
	}
	l.noteSlaves()
	return js, l.Remarks(name), nil
}

// loader walks the nodes of a file and builds a job set. It never decodes into
// structs: yaml.v3 would turn 3.5 into 3, 017 into 15 and ~ into 0.
//
// Each reader that it is made of knows those beneath it: jobs are read by
// profiles, these by tables, these by the names of the cluster, all by times.
type loader struct{ *jobReader }

func newLoader(values *document.Reader) *loader {
	values.Synonyms = synonyms
	times := &TimeReader{Reader: values, JS: &model.JobSet{}}
	machines := &clusterReader{TimeReader: times, OffersSure: true, PoolsSure: true}
	tables := &tableReader{clusterReader: machines, tables: map[tableKey]*table{}, places: map[*yaml.Node]*selection{}, shares: map[*yaml.Node]*durations{}}
	profiles := &profileReader{tableReader: tables, bases: map[string]model.Row{}, profiles: map[profileKey]*model.Profile{}}
	return &loader{&jobReader{profileReader: profiles}}
}

// synonyms are words of other programs for fields.
var synonyms = map[string]document.Synonym{
	"nodes": {Field: "slaves"}, "workers": {Field: "slaves"}, "machines": {Field: "slaves"}, "hosts": {Field: "slaves"},
	"deps": {Field: "after"}, "depends_on": {Field: "after"}, "dependencies": {Field: "after"}, "requires": {Field: "after"},
	"vcores": {Field: "cores"}, "cpus": {Field: "cores"}, "cpu": {Field: "cores"},
	"mem": {Field: "resources", Form: "resources: {memory: %s}"}, "memory": {Field: "resources", Form: "resources: {memory: %s}"},
	"gpu": {Field: "resources", Form: "resources: {gpu: %s}"}, "gpus": {Field: "resources", Form: "resources: {gpu: %s}"},
	"every": {Field: "repeat", Form: "repeat: {every: %s, times: 7}"}, "period": {Field: "repeat", Form: "repeat: {every: %s, times: 7}"},
	"pool": {Field: "pools", Form: "pools: {%s: 1}"}, "licences": {Field: "pools"}, "licenses": {Field: "pools"}, "quotas": {Field: "pools"},
	"parallelism": {Field: "at_most"}, "concurrency": {Field: "at_most"}, "max_active_tasks": {Field: "at_most"}, "max_parallel": {Field: "at_most"}, "cap": {Field: "at_most"},
	"spread": {Field: "apart"}, "anti_affinity": {Field: "apart"}, "together": {Field: "gang"},
	"timezone": {Field: "zone"}, "time_zone": {Field: "zone"}, "tz": {Field: "zone"},
}

func (l *loader) load(name string) (*model.JobSet, error) {
	if l.Fits(maxFileSize, tooLarge) {
		if root := l.Parse(IsJSON(name, l.Source()), tooLarge); root != nil {
			l.jobSet(root)
		}
	}
	return l.finish(name)
}

// finish is the job set that was read, or what is wrong with it.
func (l *loader) finish(name string) (*model.JobSet, error) {
	if err := l.Err(name); err != nil {
		return nil, err
	}
	if err := l.JS.Assemble(); err != nil && !l.misfits(err) {
		return nil, fmt.Errorf("%s: internal error: %w", name, err)
	}
	if !l.JS.DelaysFit() {
		l.Note(document.Fault{Line: 1, Column: 1,
			Message: "weights and times are so large that the sum of weighted delays could not be told",
			Advice:  "use smaller weights, or a coarser time_unit"})
	}
	if err := l.Err(name); err != nil {
		return nil, err
	}
	return l.JS, nil
}

// IsJSON tells JSON from YAML by the name of a file and its text. A file called .yaml may hold a flow mapping,
// which looks like JSON and is none.
func IsJSON(name string, src []byte) bool {
	lower := strings.ToLower(name)
	if strings.HasSuffix(lower, ".json") {
		return true
	}
	rest, isObject := bytes.CutPrefix(bytes.TrimLeft(src, " \t\r\n"), []byte("{"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if !isObject || len(rest) == 0 || rest[0] != '"' && rest[0] != '}' {
		return false
	}
	if strings.HasSuffix(lower, ".yaml") || strings.HasSuffix(lower, ".yml") {
		return json.Valid(src)
	}
	return true
}

// withoutSchema is the root without the field by which a file in JSON names its schema to
// editors, as files in YAML do in a comment.
func withoutSchema(root *yaml.Node) *yaml.Node {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "$schema" && root.Content[i+1].Tag == "!!str" {
			bare := *root
			bare.Content = slices.Concat(root.Content[:i], root.Content[i+2:])
			return &bare
		}
	}
	return root
}

func (l *loader) jobSet(root *yaml.Node) {
	if root.Kind == yaml.MappingNode && len(root.Content) > 0 && root.Content[0].Value == "workload" {
		l.FaultAt(root, "the file is a workload, from which job sets are drawn", "give it to bench by --workload; --write leaves the job sets as files")
		return
	}
	top := l.Object(document.Field{Value: withoutSchema(root)}, "the job set", "version", "name", "time_unit", "origin", "zone", "cluster", "jobs", "objective")
	if top == nil {
		return
	}
	if f := l.Require(top, "version", "version: 1"); f != nil {
		l.version(*f)
	}
	if f := top.Get("name"); f != nil {
		l.JS.Name, _ = l.Name(*f)
	}
	if f := top.Get("time_unit"); f != nil {
		l.TimeUnit(*f)
	}
	if f := top.Get("zone"); f != nil {
		l.Zone(*f, top.Get("origin") != nil)
	}
	if f := top.Get("origin"); f != nil {
		l.Origin(*f, top.Get("time_unit") != nil)
	}
	if f := l.Require(top, "cluster", "cluster: {heartbeat: 3, slaves: [{name: s1}]}"); f != nil {
		l.Cluster(*f)
	}
	if f := l.Require(top, "jobs", "jobs: [{name: j1, map: {tasks: 1, wcet: 5}}]"); f != nil {
		l.jobs(*f)
	}
	if f := top.Get("objective"); f != nil {
		l.objective(*f)
	}
}

func (l *loader) version(f document.Field) {
	v, ok := l.Number(f, "version", document.WholeNumber)
	if ok && v != formatVersion {
		l.Fault(f, fmt.Sprintf("version is %d, and this program reads version %d only", v, formatVersion), "write version: 1")
	}
}

func (l *loader) objective(f document.Field) {
	items := []document.Field{f}
	if document.Deref(f.Value).Kind == yaml.SequenceNode {
		items = l.List(f, "objective", "an objective")
	}
	for _, item := range items {
		name, ok := l.Word(item, "objective", model.ObjectiveNames())
		if !ok {
			continue
		}
		o, _ := model.ParseObjective(name)
		if slices.Contains(l.JS.Objectives, o) {
			l.Fault(item, fmt.Sprintf("objective %s is named twice", name), "leave out the second")
		}
		l.JS.Objectives = append(l.JS.Objectives, o)
	}
}

//go:embed schema.json
var schemaJSON []byte

// Schema is a JSON Schema (draft 2020-12) of the job set format, for editors
// to complete and check by. It accepts every file that Load accepts; Load
// knows more, for instance whether a name stands for a slave.
func Schema() []byte { return slices.Clone(schemaJSON) }
