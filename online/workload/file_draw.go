package workload

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"downbeat/model"
	"downbeat/model/files/document"
	"downbeat/model/files/jobfile"
)

// What a workload may come to, so that a slip of the finger does not take the machine with it.
const (
	maxJobs  = 100_000
	maxTasks = 1_000_000
)

// drawer draws a job set of a file, for one seed.
type drawer struct {
	*document.Reader
	*File
	ctx   context.Context
	times *jobfile.TimeReader
	seed  uint64
	// trial draws one job of each kind.
	trial bool

	distributions map[*yaml.Node]*distribution
	fields        map[*yaml.Node][]document.Field
	varies        map[*yaml.Node]bool
	made          map[madeKey]*yaml.Node
	slaves        []machine
	kinds         []kind
	// factors are deadlines as multiples of the time that jobs take alone, by the names of jobs.
	factors map[string]float64
	tasks   int
}

// madeKey tells drawn values apart: equal ones of a field are one node, so that what is made of them is shared.
type madeKey struct {
	of   *yaml.Node
	text string
}

// machine is a slave as drawn stages see it.
type machine struct{ name, class string }

// kind is a kind of jobs.
type kind struct {
	name   string
	fields []document.Field
	at     *yaml.Node
	share  float64
}

// figureKind is what is to be known of a field whose figures may be drawn.
type figureKind struct {
	// time tells that lengths of time may stand there, whole that it takes whole figures only.
	time, whole bool
	least       float64
}

// figureKinds are those of fields by their names. Below a field that is not among them counts what counts
// above it.
var figureKinds = map[string]figureKind{
	"tasks": {whole: true, least: 1}, "count": {whole: true, least: 1}, "cores": {whole: true, least: 1},
	"slots": {whole: true, least: 1}, "map_slots": {whole: true}, "reduce_slots": {whole: true},
	"at_most": {whole: true, least: 1}, "weight": {whole: true, least: 1}, "cost": {whole: true},
	"resources": {whole: true}, "pools": {whole: true}, "amount": {whole: true}, "replicas": {whole: true, least: 1},
	"wcet": {time: true, whole: true, least: 1}, "transfer": {time: true, whole: true},
	"deadline": {time: true, whole: true, least: 1}, "release": {time: true, whole: true},
	"heartbeat": {time: true, whole: true, least: 1}, "first_heartbeat": {time: true, whole: true},
	"down": {time: true, whole: true}, "from": {time: true, whole: true}, "every": {time: true, whole: true, least: 1}, "times": {whole: true, least: 1},
}

// drawn is the job set of a seed.
func (w *File) drawn(ctx context.Context, seed uint64, trial bool) (*model.JobSet, error) {
	r := document.NewReader("workload", w.src)
	d := &drawer{
		Reader: r, File: w, ctx: ctx, times: &jobfile.TimeReader{Reader: r, JS: &model.JobSet{}}, seed: seed, trial: trial,
		distributions: map[*yaml.Node]*distribution{}, fields: map[*yaml.Node][]document.Field{}, varies: map[*yaml.Node]bool{},
		made: map[madeKey]*yaml.Node{}, factors: map[string]float64{},
	}
	root := d.jobSet()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := r.Err(w.path); err != nil {
		return nil, w.fault(err)
	}
	js, err := jobfile.LoadTree(r, w.path, root)
	if err != nil {
		return nil, w.fault(err)
	}
	for i := range js.Jobs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		j := &js.Jobs[i]
		factor, given := d.factors[j.Name]
		if !given {
			factor, given = d.factors[j.Series]
		}
		if given {
			j.Deadline = ticks(factor*float64(alone(js, model.JobID(i))), 1)
		}
	}
	return finish(js)
}

// jobSet is the file with its figures drawn; after a fault it may be anything.
func (d *drawer) jobSet() *yaml.Node {
	if d.root.Kind == yaml.MappingNode && d.about == "" && field(d.root, "cluster") != nil {
		d.FaultAt(d.root, "the file does not say that it is a workload", "add workload: and what it is, in a line; a job set is named without --workload")
		return nil
	}
	top := d.Object(document.Field{Value: d.root}, "the workload", "version", "workload", "time_unit", "origin", "zone", "cluster", "arrivals", "jobs", "objective")
	if top == nil {
		return nil
	}
	if f := d.Require(top, "workload", "what it is, in a line, like workload: small jobs at night"); f != nil {
		d.Scalar(*f, "workload", "what it is, in a line")
	}
	if f := top.Get("time_unit"); f != nil {
		d.times.TimeUnit(*f)
	}
	if f := top.Get("zone"); f != nil {
		d.times.Zone(*f, top.Get("origin") != nil)
	}
	if f := top.Get("origin"); f != nil {
		d.times.Origin(*f, top.Get("time_unit") != nil)
	}
	root := mapping(d.root)
	for _, name := range []string{"version", "time_unit", "origin", "zone"} {
		if f := top.Get(name); f != nil {
			add(root, f.Key, f.Value)
		}
	}
	if f := top.Get("cluster"); f != nil {
		add(root, f.Key, d.cluster(*f))
	}
	if f := d.Require(top, "jobs", "jobs: [{name: j, map: {tasks: 1..10, wcet: 5}}]"); f != nil {
		add(root, f.Key, d.jobs(*f, top.Get("arrivals")))
	}
	if f := top.Get("objective"); f != nil {
		add(root, f.Key, f.Value)
	}
	return root
}

// mapping is a mapping without fields, at the place of another value.
func mapping(at *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: at.Line, Column: at.Column}
}

func sequence(at *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: at.Line, Column: at.Column}
}

// scalar is a text at the place of another value.
func scalar(at *yaml.Node, tag, text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text, Line: at.Line, Column: at.Column}
}

// add adds a field to a mapping.
func add(to, key, value *yaml.Node) { to.Content = append(to.Content, key, value) }

// named adds a field that the file does not have itself.
func named(to *yaml.Node, name string, value *yaml.Node) {
	add(to, scalar(value, "!!str", name), value)
}

// fieldsOf are those of a mapping; none of what is none.
func (d *drawer) fieldsOf(n *yaml.Node) []document.Field {
	n = document.Deref(n)
	if n.Kind != yaml.MappingNode {
		return nil
	}
	known, read := d.fields[n]
	if !read {
		known, _ = d.Mapping(document.Field{Value: n}, "a part of the workload")
		d.fields[n] = known
	}
	return known
}

// get is the value of a field among some, nil where it is not there.
func get(fields []document.Field, name string) *document.Field {
	for i := range fields {
		if document.Deref(fields[i].Key).Value == name {
			return &fields[i]
		}
	}
	return nil
}

// drawsBelow reports whether a value, or one below it, is drawn.
func (d *drawer) drawsBelow(n *yaml.Node) bool {
	n = document.Deref(n)
	known, asked := d.varies[n]
	if !asked {
		known = looksDrawn(n) || d.misspelt(n)
		if n.Kind != yaml.ScalarNode {
			known = known || slices.ContainsFunc(n.Content, d.drawsBelow)
		}
		d.varies[n] = known
	}
	return known
}

// misspelt reports whether a mapping seems to be a distribution by another name: no table of figures has a
// mapping in it.
func (d *drawer) misspelt(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && document.Deref(n.Content[1]).Kind == yaml.MappingNode &&
		slices.ContainsFunc(families, func(f family) bool {
			return field(document.Deref(n.Content[1]), f.params[0].name) != nil
		})
}

// tree is a value with its figures drawn, and the text that tells it from others of the field. What has no
// draws in it is the value itself.
func (d *drawer) tree(f document.Field, kind figureKind, path string, item int) (*yaml.Node, string) {
	n := document.Deref(f.Value)
	switch {
	case !d.drawsBelow(n):
		return n, ""
	case looksDrawn(n) || d.misspelt(n):
		x, ok := d.number(f, kind, path, item)
		if !ok {
			return n, ""
		}
		return x, x.Value
	}
	out := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Line: n.Line, Column: n.Column}
	var texts []string
	if n.Kind == yaml.MappingNode {
		for _, p := range d.fieldsOf(n) {
			name := document.Deref(p.Key).Value
			below := kind
			if own, known := figureKinds[name]; known {
				below = own
			}
			value, text := d.tree(p, below, path+"/"+name, item)
			add(out, p.Key, value)
			texts = append(texts, text)
		}
	} else {
		for i, p := range document.Items(n) {
			value, text := d.tree(p, kind, fmt.Sprintf("%s/%d", path, i), item)
			out.Content = append(out.Content, value)
			texts = append(texts, text)
		}
	}
	text := strings.Join(texts, ",")
	return d.one(n, text, out), text
}

// one is the node that was made of another with that text before, or this one.
func (d *drawer) one(of *yaml.Node, text string, made *yaml.Node) *yaml.Node {
	key := madeKey{of, text}
	if known := d.made[key]; known != nil {
		return known
	}
	d.made[key] = made
	return made
}

// figure draws a figure as it is.
func (d *drawer) figure(f document.Field, what string, kind figureKind, path string, item int) (float64, bool) {
	dist := d.distribution(f, what, kind)
	if dist == nil {
		return 0, false
	}
	x, ok := dist.value(stream(d.seed, path, item))
	if !ok {
		d.Fault(f, fmt.Sprintf("of %d draws of %s none is %s", mostTries, what, dist.cut()), "write least and most between which some are")
	}
	return x, ok
}

// number draws a whole number.
func (d *drawer) number(f document.Field, kind figureKind, path string, item int) (*yaml.Node, bool) {
	what := "a figure"
	if f.Key != nil {
		what = document.Deref(f.Key).Value
	}
	x, ok := d.figure(f, what, kind, path, item)
	if !ok {
		return nil, false
	}
	n := document.Deref(f.Value)
	text := fmt.Sprint(int64(min(max(math.Round(x), kind.least), float64(model.MaxTime))))
	return d.one(n, text, scalar(n, "!!int", text)), true
}

// cluster is the cluster with its figures drawn.
func (d *drawer) cluster(f document.Field) *yaml.Node {
	drawn, _ := d.tree(f, figureKind{whole: true}, "cluster", 0)
	list := field(drawn, "slaves")
	if list == nil || list.Kind != yaml.SequenceNode {
		return drawn // which is a fault, and told as one of job sets
	}
	heartbeat := field(drawn, "heartbeat")
	for _, entry := range list.Content {
		entry = document.Deref(entry)
		name, count := field(entry, "name"), field(entry, "count")
		switch {
		case name == nil:
		case count == nil:
			d.slaves = append(d.slaves, machine{name.Value, name.Value})
		case document.IsPlainDecimal(count.Value):
			for i := range min(document.ParseDecimal(count.Value), maxJobs) {
				d.slaves = append(d.slaves, machine{fmt.Sprintf("%s-%d", name.Value, i+1), name.Value})
			}
		}
	}
	if heartbeat == nil || len(d.slaves) == 0 {
		return drawn
	}
	return d.spread(drawn, heartbeat)
}

// spreadWord has the first heartbeats of slaves spread evenly over an interval.
const spreadWord = "spread"

// spread writes the first heartbeats of slaves that have them spread, over all slaves of the cluster.
func (d *drawer) spread(cluster, heartbeat *yaml.Node) *yaml.Node {
	out := mapping(cluster)
	for i := 0; i+1 < len(cluster.Content); i += 2 {
		key, value := cluster.Content[i], document.Deref(cluster.Content[i+1])
		if key.Value == "slaves" {
			value = d.spreadList(value, heartbeat)
		}
		add(out, key, value)
	}
	return out
}

func (d *drawer) spreadList(list, heartbeat *yaml.Node) *yaml.Node {
	interval, ok := d.times.Time(document.Field{Value: heartbeat}, "heartbeat", 1, "")
	if !ok {
		return list
	}
	out := sequence(list)
	at := 0
	for _, entry := range list.Content {
		entry = document.Deref(entry)
		n := 1
		count := field(entry, "count")
		if count != nil {
			n = int(min(document.ParseDecimal(count.Value), maxJobs))
		}
		made := entry
		if first := field(entry, "first_heartbeat"); first != nil && first.Value == spreadWord {
			beats := sequence(first)
			for i := range n {
				beat := int64(interval) * int64(at+i) / int64(len(d.slaves))
				beats.Content = append(beats.Content, scalar(first, "!!int", fmt.Sprint(beat)))
			}
			if count == nil {
				beats = beats.Content[0]
			}
			made = mapping(entry)
			for i := 0; i+1 < len(entry.Content); i += 2 {
				value := entry.Content[i+1]
				if entry.Content[i].Value == "first_heartbeat" {
					value = beats
				}
				add(made, entry.Content[i], value)
			}
		}
		at += n
		out.Content = append(out.Content, made)
	}
	return out
}
