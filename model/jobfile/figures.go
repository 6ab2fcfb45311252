package jobfile

import (
	"cmp"
	"slices"

	"downbeat/model"
)

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
