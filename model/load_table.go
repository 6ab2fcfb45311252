package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// uncovered marks slaves for which a table has no figure.
const uncovered Time = -1

// figures says a figure per slave as files do: a slave's own entry beats its
// class, the class beats the default.
type figures struct {
	rest    Time // uncovered if there is no default
	classes []classFigure
	slaves  []slaveFigure
}

type classFigure struct {
	class int
	value Time
}

type slaveFigure struct {
	slave SlaveID
	value Time
}

// table is a wcet or a transfer of the file.
type table struct {
	node *yaml.Node
	figures
	// byData: local on slaves that hold the data, remote elsewhere.
	byData        bool
	local, remote Time
	sure          bool
}

// selection is a list of slaves and classes.
type selection struct {
	node    *yaml.Node
	classes []int
	slaves  []SlaveID
	sure    bool
}

// tableKey tells apart the uses of a node with an anchor.
type tableKey struct {
	node *yaml.Node
	what string
}

func (l *loader) wcetTable(f field) *table {
	return l.table(f, "wcet", 1, "write at least 1; to bar a slave leave it out of the table and give no default")
}

func (l *loader) transferTable(f field) *table {
	return l.table(f, "transfer", 0, "")
}

// table reads a number for all slaves or a mapping, once per node.
func (l *loader) table(f field, what string, low Time, hint string) *table {
	key := tableKey{deref(f.value), what}
	if t, ok := l.tables[key]; ok {
		return t
	}
	t := &table{node: f.at(), figures: figures{rest: uncovered}, sure: true}
	l.tables[key] = t
	if key.node.Kind != yaml.MappingNode {
		if key.node.Kind == yaml.SequenceNode {
			l.fault(f, what+" is a list", fmt.Sprintf("write one number or a mapping by slave or class, like %s: {default: 5}", what))
			t.sure = false
			return t
		}
		t.rest, t.sure = l.time(f, what, low, hint)
		return t
	}
	fields, _ := l.mapping(f, what)
	t.sure = len(fields) > 0
	if len(key.node.Content) == 0 {
		l.fault(f, what+" is an empty mapping", fmt.Sprintf("write one number or give slaves and classes, like %s: {default: 5}", what))
	}
	for _, p := range fields {
		name := deref(p.key).Value
		if what == "transfer" && (name == "local" || name == "remote") {
			l.byData(f, fields, t)
			return t
		}
	}
	for _, p := range fields {
		l.entry(p, what, low, hint, t)
	}
	slices.SortFunc(t.classes, func(a, b classFigure) int { return cmp.Compare(a.class, b.class) })
	slices.SortFunc(t.slaves, func(a, b slaveFigure) int { return cmp.Compare(a.slave, b.slave) })
	return t
}

// entry reads one figure of a table.
func (l *loader) entry(p field, what string, low Time, hint string, t *table) {
	name := deref(p.key).Value
	v, ok := l.time(p, what+" on "+shorten(name), low, hint)
	t.sure = t.sure && ok
	if name == "default" {
		t.rest = v
		return
	}
	r, known := l.lookup(p.key, what)
	switch {
	case !known:
		t.sure = false
	case r.class >= 0:
		t.classes = append(t.classes, classFigure{r.class, v})
	default:
		t.slaves = append(t.slaves, slaveFigure{r.slave, v})
	}
}

// byData reads a transfer of the form {local: 1, remote: 4}.
func (l *loader) byData(f field, fields []field, t *table) {
	t.byData = true
	seen := map[string]bool{}
	for _, p := range fields {
		name := deref(p.key).Value
		seen[name] = true
		var to *Time
		switch name {
		case "local":
			to = &t.local
		case "remote":
			to = &t.remote
		default:
			l.faultAt(p.key, fmt.Sprintf("transfer has %q beside local and remote", shorten(name)), "give either local and remote, or slaves and classes")
			t.sure = false
			continue
		}
		v, ok := l.time(p, name, 0, "")
		*to, t.sure = v, t.sure && ok
	}
	for _, name := range []string{"local", "remote"} {
		if !seen[name] {
			l.faultAt(deref(f.value), "transfer has no "+name, fmt.Sprintf("add %s: 0 or more", name))
			t.sure = false
		}
	}
}

// selection reads a list of slaves and classes, once per node.
func (l *loader) selection(f field, what string) *selection {
	n := deref(f.value)
	if s, ok := l.places[n]; ok {
		return s
	}
	s := &selection{node: f.at(), sure: true}
	l.places[n] = s
	if n.Kind != yaml.SequenceNode {
		l.fault(f, fmt.Sprintf("%s is %s", what, describe(n)), fmt.Sprintf("write a list of slaves and classes, like %s: [%s]", what, l.someName()))
		s.sure = false
		return s
	}
	for _, item := range l.list(f, what, "one slave or class") {
		if _, ok := l.name(item); !ok {
			s.sure = false
			continue
		}
		r, known := l.lookup(item.value, what)
		switch {
		case !known:
			s.sure = false
		case r.class >= 0:
			s.classes = append(s.classes, r.class)
		default:
			s.slaves = append(s.slaves, r.slave)
		}
	}
	s.sure = s.sure && len(n.Content) > 0
	slices.Sort(s.classes)
	slices.Sort(s.slaves)
	s.classes, s.slaves = slices.Compact(s.classes), slices.Compact(s.slaves)
	return s
}

func (l *loader) someName() string {
	if len(l.js.Slaves) > 0 {
		return quoteName(l.js.Slaves[0].Class)
	}
	return "s1"
}

// lookup finds a slave or class; an unknown one is a fault.
func (l *loader) lookup(n *yaml.Node, what string) (ref, bool) {
	name := deref(n).Value
	r, ok := l.names[name]
	if ok || !l.namesSure {
		return r, ok
	}
	advice := ""
	if i := strings.LastIndexByte(name, '-'); i > 0 && isDigits(name[i+1:]) {
		if r, ok := l.names[name[:i]]; ok && r.class >= 0 {
			c := l.classes[r.class]
			advice = fmt.Sprintf("class %s goes from %s-1 to %s-%d", c.name, c.name, c.name, c.end-c.first)
		}
	}
	if advice == "" {
		advice = l.didYouMean(name, l.slaveNames(), "slaves and classes are ")
	}
	l.faultAt(n, fmt.Sprintf("%s names %q, which is neither a slave nor a class", what, shorten(name)), advice)
	return r, false
}

// slaveNames lists classes and slaves in the file's order.
func (l *loader) slaveNames() []string {
	if l.allNames == nil {
		for i := range l.js.Slaves {
			s := &l.js.Slaves[i]
			if s.Class != s.Name && (i == 0 || l.js.Slaves[i-1].Class != s.Class) {
				l.allNames = append(l.allNames, s.Class)
			}
			l.allNames = append(l.allNames, s.Name)
		}
	}
	return l.allNames
}

// at is the figure on slave s of class c (-1: none).
func (f *figures) at(s SlaveID, c int) Time {
	if i, ok := slices.BinarySearchFunc(f.slaves, s, func(e slaveFigure, s SlaveID) int { return cmp.Compare(e.slave, s) }); ok {
		return f.slaves[i].value
	}
	return f.ofClass(c)
}

func (f *figures) ofClass(c int) Time {
	if i, ok := slices.BinarySearchFunc(f.classes, c, func(e classFigure, c int) int { return cmp.Compare(e.class, c) }); ok {
		return f.classes[i].value
	}
	return f.rest
}

// classOf is the class of a slave, -1 if it was given alone.
func (l *loader) classOf(s SlaveID) int {
	i, found := slices.BinarySearchFunc(l.classes, s, func(c class, s SlaveID) int {
		switch {
		case c.end <= s:
			return -1
		case c.first > s:
			return 1
		}
		return 0
	})
	if found {
		return i
	}
	return -1
}

// only is f on the selected slaves and uncovered elsewhere.
func (l *loader) only(f *figures, sel *selection) *figures {
	if sel == nil {
		return f
	}
	out := &figures{rest: uncovered}
	for _, c := range sel.classes {
		out.classes = append(out.classes, classFigure{c, f.ofClass(c)})
	}
	for _, e := range f.slaves {
		if _, in := slices.BinarySearch(sel.classes, l.classOf(e.slave)); in {
			out.slaves = append(out.slaves, e)
		}
	}
	for _, s := range sel.slaves {
		if i, done := slices.BinarySearchFunc(out.slaves, s, func(e slaveFigure, s SlaveID) int { return cmp.Compare(e.slave, s) }); !done {
			out.slaves = slices.Insert(out.slaves, i, slaveFigure{s, f.at(s, l.classOf(s))})
		}
	}
	return out
}

// byPlace is the transfer of tasks whose data lies on the selected slaves.
func byPlace(t *table, data *selection) *figures {
	out := &figures{rest: t.remote}
	for _, c := range data.classes {
		out.classes = append(out.classes, classFigure{c, t.local})
	}
	for _, s := range data.slaves {
		out.slaves = append(out.slaves, slaveFigure{s, t.local})
	}
	return out
}

// maxExceptions is the number of slaves up to which a row shares its base.
const maxExceptions = 16

// row turns figures into a row, uncovered slaves as 0. Rows share the part
// that defaults and classes give, so that a hundred thousand groups with data
// of their own on a thousand slaves stay small.
func (l *loader) row(f *figures) Row {
	base := l.base(f)
	if len(f.slaves) > maxExceptions {
		values := make([]Time, len(l.js.Slaves))
		for s := range values {
			values[s] = base.At(SlaveID(s))
		}
		for _, e := range f.slaves {
			values[e.slave] = max(0, e.value)
		}
		return l.dense(values)
	}
	row := base
	for i := 0; i < len(f.slaves); {
		value := f.slaves[i].value
		var equal []SlaveID
		for ; i < len(f.slaves) && f.slaves[i].value == value; i++ {
			equal = append(equal, f.slaves[i].slave)
		}
		row = row.With(equal, max(0, value))
	}
	return row
}

// base is the row of the default and the classes alone.
func (l *loader) base(f *figures) Row {
	key := binary.AppendVarint(nil, int64(f.rest))
	for _, c := range f.classes {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(c.class)), int64(c.value))
	}
	if row, ok := l.bases[string(key)]; ok {
		return row
	}
	values := make([]Time, len(l.js.Slaves))
	for s := range values {
		values[s] = max(0, f.rest)
	}
	for _, e := range f.classes {
		for s := l.classes[e.class].first; s < l.classes[e.class].end; s++ {
			values[s] = max(0, e.value)
		}
	}
	row := l.dense(values)
	l.bases[string(key)] = row
	return row
}

// dense is a row that shares nothing.
func (l *loader) dense(values []Time) Row {
	l.rowFigures += int64(len(values))
	return DenseRow(values)
}

// profileKey is what a group's figures are made of.
type profileKey struct {
	figureFields
	slot SlotKind
}

// profile makes the figures of a group of tasks, nil if a fault stands in the
// way. Groups made of the same nodes share a profile.
func (l *loader) profile(own figureFields, at *object, slot SlotKind) *Profile {
	if own.wcet == nil {
		l.faultAt(at.node, at.what+" has no wcet", "add the worst-case execution time, like wcet: 5")
		return nil
	}
	if own.transfer != nil && own.transfer.byData && own.data == nil {
		node := own.transfer.node
		if at.get("transfer") == nil {
			node = at.node // a group that inherits from its stage
		}
		l.faultAt(node, "transfer has local and remote, but nothing says where the data is", "add data, like data: ["+l.someName()+"]")
		return nil
	}
	if !own.sure {
		return nil
	}
	key := profileKey{own, slot}
	if own.transfer == nil || !own.transfer.byData {
		key.data = nil
	}
	if p, ok := l.profiles[key]; ok {
		return p
	}
	var p *Profile
	if l.affordable(at) {
		p = l.newProfile(own, at, slot)
	}
	l.profiles[key] = p
	return p
}

// affordable reports whether there is time and memory for one more profile.
func (l *loader) affordable(at *object) bool {
	before := l.tooMuch
	l.tooMuch = int64(len(l.profiles))*int64(len(l.js.Slaves)) > maxCompared || l.rowFigures > maxFigures
	if l.tooMuch && !before {
		l.faultAt(at.node, fmt.Sprintf("too many different groups of tasks up to here for %d slaves", len(l.js.Slaves)),
			"let equal tasks share a group, or split the job set")
	}
	return !l.tooMuch
}

func (l *loader) newProfile(own figureFields, at *object, slot SlotKind) *Profile {
	wcet := l.only(&own.wcet.figures, own.slaves)
	transfer := &figures{}
	switch {
	case own.transfer == nil:
	case own.transfer.byData:
		transfer = byPlace(own.transfer, own.data)
	default:
		transfer = &own.transfer.figures
	}
	wcetRow := l.row(wcet)
	if !l.somewhere(&wcetRow, slot) {
		if l.namesSure && l.slotsSure {
			l.barred(own, wcet, at, slot)
		}
		return nil
	}
	if transfer.rest == uncovered {
		for s := range SlaveID(len(l.js.Slaves)) {
			if wcetRow.At(s) > 0 && l.hasSlot(s, slot) && transfer.at(s, l.classOf(s)) == uncovered {
				l.faultAt(own.transfer.node, fmt.Sprintf("transfer has no figure for %s, where the task may run", l.js.Slaves[s].Name), "add one for the slave or its class, or a default")
				return nil
			}
		}
	}
	return NewProfile(wcetRow, l.row(transfer))
}

func (l *loader) hasSlot(s SlaveID, slot SlotKind) bool {
	slave := &l.js.Slaves[s]
	return slave.PoolSize(slave.Pool(slot)) > 0
}

// somewhere reports whether there is a slave where the task may run.
func (l *loader) somewhere(wcet *Row, slot SlotKind) bool {
	for s := range SlaveID(len(l.js.Slaves)) {
		if wcet.At(s) > 0 && l.hasSlot(s, slot) {
			return true
		}
	}
	return false
}

// barred reports why a task can run nowhere.
func (l *loader) barred(own figureFields, wcet *figures, at *object, slot SlotKind) {
	var covered, allowed, left []string
	for s := range SlaveID(len(l.js.Slaves)) {
		c, name := l.classOf(s), l.js.Slaves[s].Name
		if own.wcet.at(s, c) > 0 {
			covered = append(covered, name)
		}
		if own.slaves.has(s, c) {
			allowed = append(allowed, name)
		}
		if wcet.at(s, c) > 0 {
			left = append(left, name)
		}
	}
	node := own.wcet.node
	if own.slaves != nil {
		node = own.slaves.node
	}
	message := "the tasks are barred from every slave: "
	if len(left) > 0 {
		verb := "have"
		if len(left) == 1 {
			verb = "has"
		}
		l.faultAt(node, fmt.Sprintf("%s%s %s no %s slot", message, some(left), verb, slot),
			fmt.Sprintf("give a slave %s_slots: 1 or more, or let the tasks run on other slaves", slot))
		return
	}
	l.faultAt(node, fmt.Sprintf("%swcet covers %s, and slaves allows %s", message, some(covered), some(allowed)),
		"let the two have a slave in common")
}

// has reports whether the selection, nil for all, holds slave s of class c.
func (sel *selection) has(s SlaveID, c int) bool {
	if sel == nil {
		return true
	}
	_, byName := slices.BinarySearch(sel.slaves, s)
	_, byClass := slices.BinarySearch(sel.classes, c)
	return byName || byClass
}

// some lists a few names and counts the rest.
func some(names []string) string {
	const shown = 4
	if len(names) > shown+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}
