package model

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// ref is what a name stands for: a class of slaves or a single slave.
type ref struct {
	class int     // index of loader.classes, -1 for a slave
	slave SlaveID // meaningless for a class
	line  int     // where the name was given
	of    string  // the class that a slave's name was made from
}

// class is a run of slaves that the file gives with a count.
type class struct {
	name       string
	first, end SlaveID
}

// reservedNames have a meaning of their own in tables.
var reservedNames = []string{"default", "local", "remote"}

func (l *loader) cluster(f field) {
	o := l.object(f, "the cluster", "heartbeat", "fetch", "fifo", "slaves")
	if o == nil {
		return
	}
	if f := l.require(o, "heartbeat", "the interval between heartbeats, like heartbeat: 3"); f != nil {
		l.js.Heartbeat, _ = l.time(*f, "heartbeat", 1, "")
	}
	if f := o.get("fetch"); f != nil {
		if word, _ := l.word(*f, "fetch", []string{"exclusive", "concurrent"}); word == "concurrent" {
			l.js.Fetch = FetchConcurrent
		}
	}
	if f := o.get("fifo"); f != nil {
		l.js.FIFO, _ = l.boolean(*f, "fifo")
	}
	l.names = map[string]ref{}
	if f := l.require(o, "slaves", "slaves: [{name: s1}]"); f != nil {
		l.slaves(*f)
	}
}

func (l *loader) slaves(f field) {
	list := l.list(f, "slaves", "one slave")
	l.namesSure = len(list) > 0
	for _, item := range list {
		if !l.slave(item) {
			l.namesSure = false
		}
	}
}

// slave reads one entry of the list of slaves and reports whether its names
// could be made out.
func (l *loader) slave(f field) bool {
	o := l.object(f, "a slave", "name", "count", "cores", "slots", "map_slots", "reduce_slots", "first_heartbeat", "down")
	if o == nil {
		return false
	}
	s := Slave{Cores: 1}
	if f := o.get("cores"); f != nil {
		if v, ok := l.integer(*f, "cores", 1, int64(MaxTime), ""); ok {
			s.Cores = int(v)
		}
	}
	l.slots(o, &s)
	if f := o.get("down"); f != nil {
		s.Down = l.down(*f)
	}
	count, hasCount, sure := int64(1), false, true
	if f := o.get("count"); f != nil {
		hasCount = true
		if count, sure = l.integer(*f, "count", 1, maxSlaves, "write at least 1 or leave the entry out"); !sure {
			count = 1
		}
	}
	if int64(len(l.js.Slaves))+count > maxSlaves {
		l.faultAt(o.node, fmt.Sprintf("the cluster has more than %d slaves", maxSlaves), "")
		return false
	}
	beats := []Time{0}
	if f := o.get("first_heartbeat"); f != nil {
		beats = l.firstBeats(*f, count, sure)
	}
	nameField := l.require(o, "name", "name: s1")
	if nameField == nil {
		return false
	}
	name, ok := l.name(*nameField)
	if !ok || !l.free(*nameField, name) {
		return false
	}
	if problem, _ := badName(fmt.Sprintf("%s-%d", name, count)); hasCount && problem != "" {
		l.fault(*nameField, "the last name of the class "+problem, fmt.Sprintf("write a name that leaves room for -%d within %d characters", count, maxName))
		return false
	}
	l.addSlaves(*nameField, name, s, int(count), hasCount, beats)
	return sure
}

// slots reads the fields about slots; cores are known.
func (l *loader) slots(o *object, s *Slave) {
	s.Slots = s.Cores
	common, maps, reduces := o.get("slots"), o.get("map_slots"), o.get("reduce_slots")
	if common != nil {
		if v, ok := l.integer(*common, "slots", 1, int64(MaxTime), ""); ok {
			s.Slots = int(v)
		}
	}
	if maps == nil && reduces == nil {
		return
	}
	s.SplitSlots, s.Slots = true, 0
	for _, kind := range []struct {
		f, other        *field
		name, otherName string
		to              *int
	}{
		{maps, reduces, "map_slots", "reduce_slots", &s.MapSlots},
		{reduces, maps, "reduce_slots", "map_slots", &s.ReduceSlots},
	} {
		if kind.f == nil {
			continue
		}
		v, ok := l.integer(*kind.f, kind.name, 0, int64(MaxTime), "")
		*kind.to = int(v)
		l.slotsSure = l.slotsSure && ok && common == nil && kind.other != nil
		switch {
		case common != nil:
			l.faultAt(kind.f.key, fmt.Sprintf("%s stands beside slots", kind.name), "give either slots or both map_slots and reduce_slots")
		case kind.other == nil:
			l.faultAt(kind.f.key, fmt.Sprintf("%s is given without %s", kind.name, kind.otherName), "add "+kind.otherName+" (0 is allowed)")
		}
	}
}

// down reads a list of absences [from, to].
func (l *loader) down(f field) []Interval {
	const advice = "write pairs of times, like [[40, 60]]"
	n := deref(f.value)
	if n.Kind != yaml.SequenceNode {
		l.fault(f, "down is "+describe(n), advice)
		return nil
	}
	if len(n.Content) == 2 && deref(n.Content[0]).Kind == yaml.ScalarNode && deref(n.Content[1]).Kind == yaml.ScalarNode {
		l.fault(f, "down is a list of 2 times, not of absences", fmt.Sprintf("write [[%s, %s]]", shorten(deref(n.Content[0]).Value), shorten(deref(n.Content[1]).Value)))
		return nil
	}
	var out []Interval
	for _, item := range items(n) {
		pair := deref(item.value)
		if pair.Kind != yaml.SequenceNode || len(pair.Content) != 2 {
			what := describe(pair)
			if pair.Kind == yaml.SequenceNode {
				what = fmt.Sprintf("a list of %d", len(pair.Content))
			}
			l.fault(item, "an absence in down is "+what, advice)
			continue
		}
		ends := items(pair)
		a, okA := l.time(ends[0], "the start of an absence", 0, "")
		b, okB := l.time(ends[1], "the end of an absence", 0, "")
		if !okA || !okB {
			continue
		}
		if a >= b {
			l.fault(item, fmt.Sprintf("an absence lasts from %d to %d", a, b), "write the start before the end; the end is the first tick back")
			continue
		}
		out = append(out, Interval{a, b})
	}
	return out
}

// firstBeats reads one time for all slaves of a class or a list of one each.
func (l *loader) firstBeats(f field, count int64, sure bool) []Time {
	n := deref(f.value)
	if n.Kind != yaml.SequenceNode {
		t, _ := l.time(f, "first_heartbeat", 0, "")
		return []Time{t}
	}
	out := make([]Time, 0, len(n.Content))
	for _, item := range items(n) {
		t, _ := l.time(item, "first_heartbeat", 0, "")
		out = append(out, t)
	}
	if sure && int64(len(out)) != count {
		l.fault(f, fmt.Sprintf("first_heartbeat lists %s for %s", plural(len(out), "time"), plural(int(count), "slave")), "give one time per slave, or a single number for all")
		return []Time{0}
	}
	if len(out) == 0 {
		return []Time{0}
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// free reports whether a name may be given to a slave or class.
func (l *loader) free(f field, name string) bool {
	for _, r := range reservedNames {
		if name == r {
			l.fault(f, fmt.Sprintf("a slave cannot be called %q, which has a meaning of its own in wcet and transfer", name), "choose another name")
			return false
		}
	}
	if before, taken := l.names[name]; taken {
		l.nameTaken(f, name, before)
		return false
	}
	return true
}

func (l *loader) nameTaken(f field, name string, before ref) {
	message := fmt.Sprintf("the name %q is taken by line %d", name, before.line)
	if before.of != "" {
		message = fmt.Sprintf("the name %q is taken: the class %q of line %d expands to it", name, before.of, before.line)
	}
	l.fault(f, message, "choose another name; slaves and classes share one set of names")
}

// addSlaves adds a slave, or the members of a class: name-1, name-2, …
func (l *loader) addSlaves(f field, name string, s Slave, count int, isClass bool, beats []Time) {
	first := SlaveID(len(l.js.Slaves))
	line := f.at().Line
	if !isClass {
		l.names[name] = ref{class: -1, slave: first, line: line}
		s.Name, s.Class, s.FirstBeat = name, name, beats[0]
		l.js.Slaves = append(l.js.Slaves, s)
		return
	}
	l.names[name] = ref{class: len(l.classes), line: line}
	l.classes = append(l.classes, class{name, first, first + SlaveID(count)})
	for i := range count {
		member := s
		member.Name, member.Class = fmt.Sprintf("%s-%d", name, i+1), name
		member.FirstBeat = beats[min(i, len(beats)-1)]
		if before, taken := l.names[member.Name]; taken {
			l.fault(f, fmt.Sprintf("the class %q expands to %q, a name taken by line %d", name, member.Name, before.line), "choose another name; slaves and classes share one set of names")
		} else {
			l.names[member.Name] = ref{class: -1, slave: first + SlaveID(i), line: line, of: name}
		}
		l.js.Slaves = append(l.js.Slaves, member)
	}
}
