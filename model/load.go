package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Limits of a job set file. They are far above what can be planned and keep a
// hostile or generated file from taking the machine with it.
const (
	maxFileSize = 64 << 20   // bytes
	maxNodes    = 10_000_000 // values of the file, aliases expanded
	maxDepth    = 64         // nesting, aliases expanded
	maxSlaves   = 100_000
	maxTasks    = 1_000_000
	maxName     = 160 // characters
	maxWeight   = 1_000_000

	// Every profile has a figure per slave: maxCompared bounds the time to
	// compare them, maxFigures (4 bytes each) what they do not share.
	maxCompared = 2_000_000_000
	maxFigures  = 200_000_000
)

// formatVersion is the version of the job set format that this program reads.
const formatVersion = 1

// Load reads a job set from YAML, or from JSON if the name ends in .json or
// the text is a JSON object. The name only says where faults are. Whatever is
// wrong with the file comes back at once, as a *Faults.
func Load(name string, src []byte) (*JobSet, error) {
	return newLoader(src).load(name)
}

func newLoader(src []byte) *loader {
	return &loader{
		text: newText(src), bases: map[string]Row{}, tables: map[tableKey]*table{},
		places: map[*yaml.Node]*selection{}, profiles: map[profileKey]*Profile{}, slotsSure: true,
	}
}

func (l *loader) load(name string) (*JobSet, error) {
	if root := l.parse(name); root != nil {
		l.jobSet(root)
	}
	if err := l.faults.err(name, l.text); err != nil {
		return nil, err
	}
	if err := l.js.Assemble(); err != nil {
		return nil, fmt.Errorf("%s: internal error: %w", name, err)
	}
	if !l.js.delaysFit() {
		l.faults.add(Fault{Line: 1, Column: 1,
			Message: "weights and times are so large that the sum of weighted delays could not be told",
			Advice:  "use smaller weights, or a coarser time_unit"})
		return nil, l.faults.err(name, l.text)
	}
	return &l.js, nil
}

// loader walks the nodes of a file and builds a job set. It never decodes into
// structs: yaml.v3 would turn 3.5 into 3, 017 into 15 and ~ into 0.
type loader struct {
	text   *text
	faults faultList
	js     JobSet

	badUnit     bool // time_unit is faulty, so durations cannot be judged
	unitMissing bool // a duration without time_unit was reported

	names     map[string]ref // slaves and classes
	namesSure bool           // all names are known, so an unknown one is a fault
	slotsSure bool           // all numbers of slots are known, so a lack of slots is a fault
	allNames  []string       // for suggestions, made when first needed
	classes   []class        // by their slaves

	// What was read already, so that an anchor used a thousand times is read
	// and reported once and its rows are shared.
	bases    map[string]Row
	tables   map[tableKey]*table
	places   map[*yaml.Node]*selection
	profiles map[profileKey]*Profile

	tasks      int64 // so far
	guesses    int   // suggestions made
	rowFigures int64 // in rows that share nothing
	tooMuch    bool  // the figures were found to be too many
}

// parse gives the root node, nil if there is none (the fault is noted).
func (l *loader) parse(name string) *yaml.Node {
	if len(l.text.src) > maxFileSize {
		l.faults.add(Fault{Line: 1, Column: 1,
			Message: fmt.Sprintf("the file has %d bytes, more than %d MiB", len(l.text.src), maxFileSize>>20),
			Advice:  "split the job set, or let equal tasks share a group with count"})
		return nil
	}
	if f, bad := l.text.badCharacter(); bad {
		l.faults.add(f)
		return nil
	}
	if f, bad := l.text.tooManyNodes(); bad {
		l.faults.add(f)
		return nil
	}
	var root *yaml.Node
	var f Fault
	var ok bool
	if isJSON(name, l.text.src) {
		root, f, ok = parseJSON(l.text)
	} else {
		root, f, ok = parseYAML(l.text)
	}
	if ok {
		f, ok = checkExpansion(root)
	}
	if !ok {
		l.faults.add(f)
		return nil
	}
	return root
}

// isJSON tells JSON from YAML. A file called .yaml may hold a flow mapping,
// which looks like JSON and is none.
func isJSON(name string, src []byte) bool {
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

func (l *loader) jobSet(root *yaml.Node) {
	top := l.object(field{value: root}, "the job set",
		"version", "name", "time_unit", "origin", "cluster", "jobs", "objective")
	if top == nil {
		return
	}
	if f := l.require(top, "version", "version: 1"); f != nil {
		l.version(*f)
	}
	if f := top.get("name"); f != nil {
		l.js.Name, _ = l.name(*f)
	}
	if f := top.get("time_unit"); f != nil {
		l.timeUnit(*f)
	}
	if f := top.get("origin"); f != nil {
		l.origin(*f, top.get("time_unit") != nil)
	}
	if f := l.require(top, "cluster", "cluster: {heartbeat: 3, slaves: [{name: s1}]}"); f != nil {
		l.cluster(*f)
	}
	if f := l.require(top, "jobs", "jobs: [{name: j1, map: {tasks: 1, wcet: 5}}]"); f != nil {
		l.jobs(*f)
	}
	if f := top.get("objective"); f != nil {
		l.objective(*f)
	}
}

func (l *loader) version(f field) {
	v, ok := l.plainInteger(f, "version")
	if ok && v != formatVersion {
		l.fault(f, fmt.Sprintf("version is %d, and this program reads version %d only", v, formatVersion), "write version: 1")
	}
}

func (l *loader) timeUnit(f field) {
	l.badUnit = true
	v, ok := l.scalar(f, "time_unit", "a duration like 1s")
	if !ok {
		return
	}
	d, ok := parseDuration(v.Value)
	switch {
	case !ok && isDigits(v.Value) && strings.Trim(v.Value, "0") != "":
		l.fault(f, fmt.Sprintf("time_unit is %s without a unit", shorten(v.Value)), fmt.Sprintf("write %ss for seconds", shorten(strings.TrimLeft(v.Value, "0"))))
	case !ok:
		l.fault(f, fmt.Sprintf("time_unit is %q, not a duration", shorten(v.Value)), durationAdvice)
	case d.Sign() <= 0:
		l.fault(f, "time_unit is 0", "write the length of a tick, like 1s")
	case !d.IsInt() || !d.Num().IsInt64():
		l.fault(f, fmt.Sprintf("time_unit is %s", v.Value), "write a whole number of nanoseconds, less than 292 years")
	default:
		l.js.TimeUnit, l.badUnit = time.Duration(d.Num().Int64()), false
	}
}

func (l *loader) origin(f field, hasUnit bool) {
	const advice = "write date, time and zone like 2026-11-21T22:00:00Z"
	v, ok := l.scalar(f, "origin", "a point in time like 2026-11-21T22:00:00Z")
	if !ok {
		return
	}
	at, err := time.Parse(time.RFC3339, v.Value)
	if err != nil {
		l.fault(f, fmt.Sprintf("origin is %q, not a point in time", shorten(v.Value)), advice)
		return
	}
	if !hasUnit {
		l.fault(f, "origin is given without time_unit, so ticks have no place on the clock", "add time_unit, like time_unit: 1s")
	}
	l.js.Origin = at
}

func (l *loader) objective(f field) {
	items := []field{f}
	if deref(f.value).Kind == yaml.SequenceNode {
		items = l.list(f, "objective", "an objective")
	}
	for _, item := range items {
		name, ok := l.word(item, "objective", ObjectiveNames())
		if !ok {
			continue
		}
		o, _ := ParseObjective(name)
		if slices.Contains(l.js.Objectives, o) {
			l.fault(item, fmt.Sprintf("objective %s is named twice", name), "leave out the second")
		}
		l.js.Objectives = append(l.js.Objectives, o)
	}
}
