package jobfile

import (
	"cmp"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"downbeat/model"
	"downbeat/model/files/document"
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

// selection is a list of slaves and classes of the file.
type selection struct {
	node *yaml.Node
	slaveSelection
	sure bool
}

// all is what is selected, nil for a selection that is not there.
func (s *selection) all() *slaveSelection {
	if s == nil {
		return nil
	}
	return &s.slaveSelection
}

// tableReader reads wcet, transfer, data and slaves of stages and groups.
type tableReader struct {
	*clusterReader

	// What was read already, so that an anchor used a thousand times is read and
	// reported once.
	tables map[tableKey]*table
	places map[*yaml.Node]*selection
	shares map[*yaml.Node]*durations
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
	t := &table{node: f.At(), figures: figures{Rest: uncovered}, sure: true}
	r.tables[key] = t
	if key.node.Kind != yaml.MappingNode {
		if key.node.Kind == yaml.SequenceNode {
			r.Fault(f, what+" is a list", fmt.Sprintf("write one number or a mapping by slave or class, like %s: {default: 5}", what))
			t.sure = false
			return t
		}
		t.Rest, t.sure = r.Time(f, what, low, hint)
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
	slices.SortFunc(t.Classes, func(a, b classFigure) int { return cmp.Compare(a.Class, b.Class) })
	slices.SortFunc(t.Slaves, func(a, b slaveFigure) int { return cmp.Compare(a.Slave, b.Slave) })
	return t
}

// entry reads one figure of a table.
func (r *tableReader) entry(p document.Field, what string, low model.Time, hint string, t *table) {
	name := document.Deref(p.Key).Value
	v, ok := r.Time(p, what+" on "+document.Shorten(name), low, hint)
	t.sure = t.sure && ok
	if name == "default" {
		t.Rest = v
		return
	}
	of, known := r.Lookup(p.Key, what)
	switch {
	case !known:
		t.sure = false
	case of.Class >= 0:
		t.Classes = append(t.Classes, classFigure{Class: of.Class, Value: v})
	default:
		t.Slaves = append(t.Slaves, slaveFigure{Slave: of.Slave, Value: v})
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
		r.Fault(f, fmt.Sprintf("%s is %s", what, document.Describe(n)), fmt.Sprintf("write a list of slaves and classes, like %s: [%s]", what, r.SomeName()))
		s.sure = false
		return s
	}
	for _, item := range r.List(f, what, "one slave or class") {
		if _, ok := r.Name(item); !ok {
			s.sure = false
			continue
		}
		of, known := r.Lookup(item.Value, what)
		switch {
		case !known:
			s.sure = false
		case of.Class >= 0:
			s.Classes = append(s.Classes, of.Class)
		default:
			s.Slaves = append(s.Slaves, of.Slave)
		}
	}
	s.sure = s.sure && len(n.Content) > 0
	slices.Sort(s.Classes)
	slices.Sort(s.Slaves)
	s.Classes, s.Slaves = slices.Compact(s.Classes), slices.Compact(s.Slaves)
	return s
}

// byPlace is the transfer of tasks whose data lies on the selected slaves.
func byPlace(t *table, data *selection) *figures {
	out := &figures{Rest: t.remote}
	for _, c := range data.Classes {
		out.Classes = append(out.Classes, classFigure{Class: c, Value: t.local})
	}
	for _, s := range data.Slaves {
		out.Slaves = append(out.Slaves, slaveFigure{Slave: s, Value: t.local})
	}
	return out
}
