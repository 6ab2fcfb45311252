// Cluster reads the cluster of a job set, knows its slaves and classes by name,
// and says figures by them as files do.

package jobfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"
)

// ref is what a name stands for: a class of slaves or a single slave.
type ref struct {
	Class int           // index of ClusterReader.Classes, -1 for a slave
	Slave model.SlaveID // meaningless for a class

	line int    // where the name was given
	of   string // the class that a slave's name was made from
}

// class is a run of slaves [First, End) that the file gives with a count.
type class struct {
	Name       string
	First, End model.SlaveID
}

const maxSlaves = 100_000

// ReservedNames have a meaning of their own in tables.
var ReservedNames = []string{"default", "local", "remote"}

// clusterReader reads the cluster, and knows its slaves and classes by name.
type clusterReader struct {
	*TimeReader

	// NamesSure tells that all names are known, so that an unknown one is a fault;
	// OffersSure, which is set beforehand, that all numbers of cores, slots and units
	// are, so that a lack of them is.
	NamesSure, OffersSure bool
	// PoolsSure, which is set beforehand, tells that all pools are known.
	PoolsSure bool
	// Entries are those of the list of slaves, and Classes those with a count, in the
	// file's order.
	Entries []clusterEntry
	Classes []class

	names    map[string]ref // slaves and classes
	allNames []string       // for suggestions, made when first needed
}

// Cluster reads the cluster.
func (r *clusterReader) Cluster(f document.Field) {
	o := r.Object(f, "the cluster", "heartbeat", "fetch", "fifo", "pools", "slaves")
	if o == nil {
		return
	}
	if f := r.Require(o, "heartbeat", "the interval between heartbeats, like heartbeat: 3"); f != nil {
		r.JS.Heartbeat, _ = r.Time(*f, "heartbeat", 1, "")
	}
	if f := o.Get("fetch"); f != nil {
		if word, _ := r.Word(*f, "fetch", []string{"exclusive", "concurrent"}); word == "concurrent" {
			r.JS.Fetch = model.FetchConcurrent
		}
	}
	if f := o.Get("fifo"); f != nil {
		r.JS.FIFO, _ = r.Boolean(*f, "fifo")
	}
	if f := o.Get("pools"); f != nil {
		r.pools(*f)
	}
	r.names = map[string]ref{}
	if f := r.Require(o, "slaves", "slaves: [{name: s1}]"); f != nil {
		r.slaves(*f)
	}
}

func (r *clusterReader) slaves(f document.Field) {
	list := r.List(f, "slaves", "one slave")
	r.NamesSure = len(list) > 0
	for _, item := range list {
		if !r.slave(item) {
			r.NamesSure = false
		}
	}
	r.nameResources()
}

// slave reads one entry of the list of slaves and reports whether its names
// could be made out.
func (r *clusterReader) slave(f document.Field) bool {
	o := r.Object(f, "a slave", "name", "count", "cores", "slots", "map_slots", "reduce_slots", "resources", "first_heartbeat", "down", "cost")
	if o == nil {
		return false
	}
	s := model.Slave{Cores: 1}
	if f := o.Get("cores"); f != nil {
		v, ok := r.Integer(*f, "cores", 1, int64(model.MaxTime), "")
		s.Cores = int(max(1, v))
		r.OffersSure = r.OffersSure && ok
	}
	r.slots(o, &s)
	var amounts []amount
	if f := o.Get("resources"); f != nil {
		var ok bool
		amounts, ok = r.Amounts(*f)
		r.OffersSure = r.OffersSure && ok
	}
	if f := o.Get("cost"); f != nil {
		s.Cost, _ = r.Integer(*f, "cost", 0, int64(model.MaxTime), "")
	}
	count, hasCount, sure := int64(1), false, true
	if f := o.Get("count"); f != nil {
		hasCount = true
		if count, sure = r.Integer(*f, "count", 1, maxSlaves, "write at least 1 or leave the entry out"); !sure {
			count = 1
		}
	}
	if int64(len(r.JS.Slaves))+count > maxSlaves {
		r.FaultAt(o.Node, fmt.Sprintf("the cluster has more than %d slaves", maxSlaves), "")
		return false
	}
	beats := []model.Time{0}
	if f := o.Get("first_heartbeat"); f != nil {
		beats = r.firstBeats(*f, count, sure)
	}
	nameField := r.Require(o, "name", "name: s1")
	if nameField == nil {
		return false
	}
	name, ok := r.Name(*nameField)
	if !ok || !r.free(*nameField, name) {
		return false
	}
	if problem, _ := document.BadName(fmt.Sprintf("%s-%d", name, count)); hasCount && problem != "" {
		r.Fault(*nameField, "the last name of the class "+problem, fmt.Sprintf("write a name that leaves room for -%d within %d characters", count, document.MaxName))
		return false
	}
	first := model.SlaveID(len(r.JS.Slaves))
	r.addSlaves(*nameField, name, s, int(count), hasCount, beats)
	r.Entries = append(r.Entries, clusterEntry{nameField.At(), first, first + model.SlaveID(count), amounts})
	if f := o.Get("down"); f != nil {
		r.down(*f, name, first)
	}
	return sure
}

// slots reads the fields about slots; cores are known.
func (r *clusterReader) slots(o *document.Object, s *model.Slave) {
	s.Slots = s.Cores
	common, maps, reduces := o.Get("slots"), o.Get("map_slots"), o.Get("reduce_slots")
	if common != nil {
		if v, ok := r.Integer(*common, "slots", 1, int64(model.MaxTime), ""); ok {
			s.Slots = int(v)
		}
	}
	if maps == nil && reduces == nil {
		return
	}
	s.SplitSlots, s.Slots = true, 0
	for _, kind := range []struct {
		f, other        *document.Field
		name, otherName string
		to              *int
	}{
		{maps, reduces, "map_slots", "reduce_slots", &s.MapSlots},
		{reduces, maps, "reduce_slots", "map_slots", &s.ReduceSlots},
	} {
		if kind.f == nil {
			continue
		}
		v, ok := r.Integer(*kind.f, kind.name, 0, int64(model.MaxTime), "")
		*kind.to = int(v)
		r.OffersSure = r.OffersSure && ok && common == nil && kind.other != nil
		switch {
		case common != nil:
			r.FaultAt(kind.f.Key, fmt.Sprintf("%s stands beside slots", kind.name), "give either slots or both map_slots and reduce_slots")
		case kind.other == nil:
			r.FaultAt(kind.f.Key, fmt.Sprintf("%s is given without %s", kind.name, kind.otherName), "add "+kind.otherName+" (0 is allowed)")
		}
	}
}

// never is the end of an absence from which a slave does not come back.
const never = "never"

// downAdvice says how to write absences.
const downAdvice = "write pairs of times, like [[40, 60]], or [[40, never]] for a slave that does not come back"

// down reads the absences of the slaves from first on, which an entry of the list of
// slaves stands for: a list for all of them, or a mapping by slave and class.
func (r *clusterReader) down(f document.Field, class string, first model.SlaveID) {
	members := r.JS.Slaves[first:]
	n := document.Deref(f.Value)
	if n.Kind != yaml.MappingNode {
		for i, away := 0, r.absences(f); i < len(members); i++ {
			members[i].Down, members[i].ClassDown = away, away
		}
		return
	}
	fields, _ := r.Mapping(f, "down")
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		away := r.absences(p)
		switch of, known := r.names[name]; {
		case name == class:
			for i := range members {
				members[i].Down = append(slices.Clip(members[i].Down), away...)
				members[i].ClassDown = append(slices.Clip(members[i].ClassDown), away...)
			}
		case known && of.Class < 0 && of.Slave >= first:
			down := &members[of.Slave-first].Down
			*down = append(slices.Clip(*down), away...)
		default:
			names := append(clusterNames(members, func(s model.Slave) string { return s.Name }), class)
			r.FaultAt(p.Key, fmt.Sprintf("down names %q, and these are absences of %s", document.Shorten(name), class),
				r.DidYouMean(name, slices.Compact(names), "write "))
		}
	}
}

// absences reads a list of absences [from, to].
func (r *clusterReader) absences(f document.Field) []model.Interval {
	n := document.Deref(f.Value)
	if n.Kind != yaml.SequenceNode {
		r.Fault(f, "down is "+document.Describe(n), downAdvice)
		return nil
	}
	if len(n.Content) == 2 && document.Deref(n.Content[0]).Kind == yaml.ScalarNode && document.Deref(n.Content[1]).Kind == yaml.ScalarNode {
		r.Fault(f, "down is a list of 2 times, not of absences", fmt.Sprintf("write [[%s, %s]]", document.Shorten(document.Deref(n.Content[0]).Value), document.Shorten(document.Deref(n.Content[1]).Value)))
		return nil
	}
	var out []model.Interval
	for _, item := range document.Items(n) {
		if away, ok := r.absence(item); ok {
			out = append(out, away)
		}
	}
	return out
}

func (r *clusterReader) absence(f document.Field) (away model.Interval, ok bool) {
	pair := document.Deref(f.Value)
	if pair.Kind != yaml.SequenceNode || len(pair.Content) != 2 {
		what, advice := document.Describe(pair), downAdvice
		if pair.Kind == yaml.SequenceNode {
			what = fmt.Sprintf("a list of %d", len(pair.Content))
		} else if m := rangeForm.FindStringSubmatch(pair.Value); m != nil {
			advice = fmt.Sprintf("write [%s, %s]", m[1], m[2])
		}
		r.Fault(f, "an absence in down is "+what, advice)
		return away, false
	}
	ends := document.Items(pair)
	a, okA := r.Point(ends[0], "the start of an absence", since{})
	end := document.Deref(ends[1].Value)
	if okA && end.Value == never {
		return model.Interval{Start: a, End: model.Never}, true
	}
	if advice := r.never(end); advice != "" {
		r.Fault(ends[1], "the end of an absence is "+document.Describe(end), advice)
		return away, false
	}
	b, okB := r.Point(ends[1], "the end of an absence", since{Tick: a, After: true})
	if !okA || !okB {
		return away, false
	}
	if a >= b {
		c := clock.Of(r.JS)
		r.Fault(f, fmt.Sprintf("an absence lasts from %s to %s", c.Point(a), c.Point(b)), "write the start before the end; the end is the first tick back")
		return away, false
	}
	return model.Interval{Start: a, End: b}, true
}

// rangeForm is an absence as people write it without brackets.
var rangeForm = regexp.MustCompile(`^([0-9:]+) *(?:-|–|to|until) *([0-9:]+)$`)

// never says how to write the end of an absence for ever, where one of the kind seems meant;
// empty where not.
func (r *clusterReader) never(end *yaml.Node) string {
	word := strings.ToLower(strings.TrimSpace(end.Value))
	switch {
	case end.Kind != yaml.ScalarNode:
		return ""
	case word == never:
		return "write never"
	case document.IsNull(end) || slices.Contains([]string{"forever", "for ever", "end", "none", "inf", "infinity", ".inf", "always", ""}, word):
		return "write never for a slave that does not come back"
	case strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "":
		return r.DidYouMean(word, []string{never}, "write when the slave is back, or ")
	}
	return ""
}

// firstBeats reads one time for all slaves of a class or a list of one each.
func (r *clusterReader) firstBeats(f document.Field, count int64, sure bool) []model.Time {
	n := document.Deref(f.Value)
	if n.Kind != yaml.SequenceNode {
		t, _ := r.Time(f, "first_heartbeat", 0, "")
		return []model.Time{t}
	}
	out := make([]model.Time, 0, len(n.Content))
	for _, item := range document.Items(n) {
		t, _ := r.Time(item, "first_heartbeat", 0, "")
		out = append(out, t)
	}
	if sure && int64(len(out)) != count {
		r.Fault(f, fmt.Sprintf("first_heartbeat lists %s for %s", document.Plural(len(out), "time"), document.Plural(int(count), "slave")), "give one time per slave, or a single number for all")
		return []model.Time{0}
	}
	if len(out) == 0 {
		return []model.Time{0}
	}
	return out
}

// free reports whether a name may be given to a slave or class.
func (r *clusterReader) free(f document.Field, name string) bool {
	if slices.Contains(ReservedNames, name) {
		r.Fault(f, fmt.Sprintf("a slave cannot be called %q, which has a meaning of its own in wcet and transfer", name), "choose another name")
		return false
	}
	if before, taken := r.names[name]; taken {
		r.nameTaken(f, name, before)
		return false
	}
	return true
}

func (r *clusterReader) nameTaken(f document.Field, name string, before ref) {
	message := fmt.Sprintf("the name %q is taken by line %d", name, before.line)
	if before.of != "" {
		message = fmt.Sprintf("the name %q is taken: the class %q of line %d expands to it", name, before.of, before.line)
	}
	r.Fault(f, message, "choose another name; slaves and classes share one set of names")
}

// addSlaves adds a slave, or the members of a class: name-1, name-2, …
func (r *clusterReader) addSlaves(f document.Field, name string, s model.Slave, count int, isClass bool, beats []model.Time) {
	first := model.SlaveID(len(r.JS.Slaves))
	line := f.At().Line
	if !isClass {
		r.names[name] = ref{Class: -1, Slave: first, line: line}
		s.Name, s.Class, s.FirstBeat, s.ClassBeats = name, name, beats[0], beats
		r.JS.Slaves = append(r.JS.Slaves, s)
		return
	}
	r.names[name] = ref{Class: len(r.Classes), line: line}
	r.Classes = append(r.Classes, class{name, first, first + model.SlaveID(count)})
	for i := range count {
		member := s
		member.Name, member.Class = fmt.Sprintf("%s-%d", name, i+1), name
		member.FirstBeat, member.ClassBeats = beats[min(i, len(beats)-1)], beats
		if before, taken := r.names[member.Name]; taken {
			r.Fault(f, fmt.Sprintf("the class %q expands to %q, a name taken by line %d", name, member.Name, before.line), "choose another name; slaves and classes share one set of names")
		} else {
			r.names[member.Name] = ref{Class: -1, Slave: first + model.SlaveID(i), line: line, of: name}
		}
		r.JS.Slaves = append(r.JS.Slaves, member)
	}
}

// Lookup finds the slave or class that a node names; an unknown one is a fault of what
// names it.
func (r *clusterReader) Lookup(n *yaml.Node, what string) (ref, bool) {
	name := document.Deref(n).Value
	of, ok := r.names[name]
	if ok || !r.NamesSure {
		return of, ok
	}
	advice := ""
	if i := strings.LastIndexByte(name, '-'); i > 0 && document.IsDigits(name[i+1:]) {
		if of, ok := r.names[name[:i]]; ok && of.Class >= 0 {
			c := r.Classes[of.Class]
			advice = fmt.Sprintf("class %s goes from %s-1 to %s-%d", c.Name, c.Name, c.Name, c.End-c.First)
		}
	}
	if advice == "" {
		advice = r.DidYouMean(name, r.slaveNames(), "slaves and classes are ")
	}
	r.FaultAt(n, fmt.Sprintf("%s names %q, which is neither a slave nor a class", what, document.Shorten(name)), advice)
	return of, false
}

// slaveNames lists classes and slaves in the file's order.
func (r *clusterReader) slaveNames() []string {
	if r.allNames == nil {
		for i := range r.JS.Slaves {
			s := &r.JS.Slaves[i]
			if s.Class != s.Name && (i == 0 || r.JS.Slaves[i-1].Class != s.Class) {
				r.allNames = append(r.allNames, s.Class)
			}
			r.allNames = append(r.allNames, s.Name)
		}
	}
	return r.allNames
}

// SomeName is a name that may stand in examples, as YAML text.
func (r *clusterReader) SomeName() string {
	if len(r.JS.Slaves) > 0 {
		return quoteName(r.JS.Slaves[0].Class)
	}
	return "s1"
}

// ClassOf is the class of a slave, -1 if it was given alone.
func (r *clusterReader) ClassOf(s model.SlaveID) int {
	i, found := slices.BinarySearchFunc(r.Classes, s, func(c class, s model.SlaveID) int {
		switch {
		case c.End <= s:
			return -1
		case c.First > s:
			return 1
		}
		return 0
	})
	if found {
		return i
	}
	return -1
}

var (
	plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)
	yamlWord  = regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off|y|n)$`)
)

// quoteName is a name as YAML text, in quotes where it could be read as
// something else.
func quoteName(s string) string {
	if plainName.MatchString(s) && !yamlWord.MatchString(s) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\ufeff", `\uFEFF`).Replace(s) + `"`
}

// clusterNames are the names of things.
func clusterNames[T any](things []T, name func(T) string) []string {
	out := make([]string, len(things))
	for i, thing := range things {
		out[i] = name(thing)
	}
	return out
}
