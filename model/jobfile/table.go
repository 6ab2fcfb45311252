package jobfile

import (
	"cmp"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"downbeat/model"
	"downbeat/model/document"
)

// table is a wcet or a transfer of the file.
type table struct {
	node *yaml.Node
	figures
	// byData: local on slaves that hold the data, remote elsewhere.
	byData        bool
	local, remote model.Time
	sure          bool
}

// selection is a list of slaves and classes.
type selection struct {
	node    *yaml.Node
	classes []int
	slaves  []model.SlaveID
	sure    bool
}

// tableReader reads wcet, transfer, data and slaves of stages and groups.
type tableReader struct {
	*clusterReader

	// What was read already, so that an anchor used a thousand times is read and
	// reported once.
	tables map[tableKey]*table
	places map[*yaml.Node]*selection
}

// tableKey tells apart the uses of a node with an anchor.
type tableKey struct {
	node *yaml.Node
	what string
}

func (r *tableReader) wcetTable(f document.Field) *table {
	return r.table(f, "wcet", 1, "write at least 1; to bar a slave leave it out of the table and give no default")
}

func (r *tableReader) transferTable(f document.Field) *table {
	return r.table(f, "transfer", 0, "")
}

// table reads a number for all slaves or a mapping, once per node.
func (r *tableReader) table(f document.Field, what string, low model.Time, hint string) *table {
	key := tableKey{document.Deref(f.Value), what}
	if t, ok := r.tables[key]; ok {
		return t
	}
	t := &table{node: f.At(), figures: figures{rest: uncovered}, sure: true}
	r.tables[key] = t
	if key.node.Kind != yaml.MappingNode {
		if key.node.Kind == yaml.SequenceNode {
			r.Fault(f, what+" is a list", fmt.Sprintf("write one number or a mapping by slave or class, like %s: {default: 5}", what))
			t.sure = false
			return t
		}
		t.rest, t.sure = r.Time(f, what, low, hint)
		return t
	}
	fields, _ := r.Mapping(f, what)
	t.sure = len(fields) > 0
	if len(key.node.Content) == 0 {
		r.Fault(f, what+" is an empty mapping", fmt.Sprintf("write one number or give slaves and classes, like %s: {default: 5}", what))
	}
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		if what == "transfer" && (name == "local" || name == "remote") {
			r.byData(f, fields, t)
			return t
		}
	}
	for _, p := range fields {
		r.entry(p, what, low, hint, t)
	}
	slices.SortFunc(t.classes, func(a, b classFigure) int { return cmp.Compare(a.class, b.class) })
	slices.SortFunc(t.slaves, func(a, b slaveFigure) int { return cmp.Compare(a.slave, b.slave) })
	return t
}

// entry reads one figure of a table.
func (r *tableReader) entry(p document.Field, what string, low model.Time, hint string, t *table) {
	name := document.Deref(p.Key).Value
	v, ok := r.Time(p, what+" on "+document.Shorten(name), low, hint)
	t.sure = t.sure && ok
	if name == "default" {
		t.rest = v
		return
	}
	of, known := r.lookup(p.Key, what)
	switch {
	case !known:
		t.sure = false
	case of.class >= 0:
		t.classes = append(t.classes, classFigure{of.class, v})
	default:
		t.slaves = append(t.slaves, slaveFigure{of.slave, v})
	}
}

// byData reads a transfer of the form {local: 1, remote: 4}.
func (r *tableReader) byData(f document.Field, fields []document.Field, t *table) {
	t.byData = true
	seen := map[string]bool{}
	parts := map[string]*model.Time{"local": &t.local, "remote": &t.remote}
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		seen[name] = true
		to, known := parts[name]
		if !known {
			r.FaultAt(p.Key, fmt.Sprintf("transfer has %q beside local and remote", document.Shorten(name)), "give either local and remote, or slaves and classes")
			t.sure = false
			continue
		}
		v, ok := r.Time(p, name, 0, "")
		*to, t.sure = v, t.sure && ok
	}
	for _, name := range []string{"local", "remote"} {
		if !seen[name] {
			r.FaultAt(document.Deref(f.Value), "transfer has no "+name, fmt.Sprintf("add %s: 0 or more", name))
			t.sure = false
		}
	}
}

// selection reads a list of slaves and classes, once per node.
func (r *tableReader) selection(f document.Field, what string) *selection {
	n := document.Deref(f.Value)
	if s, ok := r.places[n]; ok {
		return s
	}
	s := &selection{node: f.At(), sure: true}
	r.places[n] = s
	if n.Kind != yaml.SequenceNode {
		r.Fault(f, fmt.Sprintf("%s is %s", what, document.Describe(n)), fmt.Sprintf("write a list of slaves and classes, like %s: [%s]", what, r.someName()))
		s.sure = false
		return s
	}
	for _, item := range r.List(f, what, "one slave or class") {
		if _, ok := r.Name(item); !ok {
			s.sure = false
			continue
		}
		of, known := r.lookup(item.Value, what)
		switch {
		case !known:
			s.sure = false
		case of.class >= 0:
			s.classes = append(s.classes, of.class)
		default:
			s.slaves = append(s.slaves, of.slave)
		}
	}
	s.sure = s.sure && len(n.Content) > 0
	slices.Sort(s.classes)
	slices.Sort(s.slaves)
	s.classes, s.slaves = slices.Compact(s.classes), slices.Compact(s.slaves)
	return s
}

// has reports whether the selection, nil for all, holds slave s of class c.
func (sel *selection) has(s model.SlaveID, c int) bool {
	if sel == nil {
		return true
	}
	_, byName := slices.BinarySearch(sel.slaves, s)
	_, byClass := slices.BinarySearch(sel.classes, c)
	return byName || byClass
}

// uncovered marks slaves for which a table has no figure.
const uncovered model.Time = -1

// figures says a figure per slave as files do: a slave's own entry beats its
// class, the class beats the default.
type figures struct {
	rest    model.Time // uncovered if there is no default
	classes []classFigure
	slaves  []slaveFigure
}

type classFigure struct {
	class int
	value model.Time
}

type slaveFigure struct {
	slave model.SlaveID
	value model.Time
}

// at is the figure on slave s of class c (-1: none).
func (f *figures) at(s model.SlaveID, c int) model.Time {
	if i, ok := slices.BinarySearchFunc(f.slaves, s, func(e slaveFigure, s model.SlaveID) int { return cmp.Compare(e.slave, s) }); ok {
		return f.slaves[i].value
	}
	return f.ofClass(c)
}

func (f *figures) ofClass(c int) model.Time {
	if i, ok := slices.BinarySearchFunc(f.classes, c, func(e classFigure, c int) int { return cmp.Compare(e.class, c) }); ok {
		return f.classes[i].value
	}
	return f.rest
}

// only is f on the selected slaves and uncovered elsewhere.
func (r *clusterReader) only(f *figures, sel *selection) *figures {
	if sel == nil {
		return f
	}
	out := &figures{rest: uncovered}
	for _, c := range sel.classes {
		out.classes = append(out.classes, classFigure{c, f.ofClass(c)})
	}
	for _, e := range f.slaves {
		if _, in := slices.BinarySearch(sel.classes, r.classOf(e.slave)); in {
			out.slaves = append(out.slaves, e)
		}
	}
	for _, s := range sel.slaves {
		if i, done := slices.BinarySearchFunc(out.slaves, s, func(e slaveFigure, s model.SlaveID) int { return cmp.Compare(e.slave, s) }); !done {
			out.slaves = slices.Insert(out.slaves, i, slaveFigure{s, f.at(s, r.classOf(s))})
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
