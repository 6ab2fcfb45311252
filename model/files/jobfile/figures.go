package jobfile

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// slaveSelection is a list of slaves and classes, each ascending.
type slaveSelection struct {
	Classes []int
	Slaves  []model.SlaveID
}

// Has reports whether the selection, nil for all, holds slave s of class c.
func (sel *slaveSelection) Has(s model.SlaveID, c int) bool {
	if sel == nil {
		return true
	}
	_, byName := slices.BinarySearch(sel.Slaves, s)
	_, byClass := slices.BinarySearch(sel.Classes, c)
	return byName || byClass
}

// uncovered marks slaves for which a table has no figure.
const uncovered model.Time = -1

// figures says a figure per slave as files do: a slave's own entry beats its class, the
// class beats the default. Entries ascend.
type figures struct {
	Rest    model.Time // Uncovered if there is no default
	Classes []classFigure
	Slaves  []slaveFigure
}

// classFigure is the figure of the slaves of a class.
type classFigure struct {
	Class int
	Value model.Time
}

// slaveFigure is the figure of a slave.
type slaveFigure struct {
	Slave model.SlaveID
	Value model.Time
}

func compareSlave(e slaveFigure, s model.SlaveID) int { return cmp.Compare(e.Slave, s) }

// At is the figure on slave s of class c (-1: none).
func (f *figures) At(s model.SlaveID, c int) model.Time {
	if i, ok := slices.BinarySearchFunc(f.Slaves, s, compareSlave); ok {
		return f.Slaves[i].Value
	}
	return f.ofClass(c)
}

func (f *figures) ofClass(c int) model.Time {
	if i, ok := slices.BinarySearchFunc(f.Classes, c, func(e classFigure, c int) int { return cmp.Compare(e.Class, c) }); ok {
		return f.Classes[i].Value
	}
	return f.Rest
}

// Only is f on the selected slaves and uncovered elsewhere.
func (r *clusterReader) Only(f *figures, sel *slaveSelection) *figures {
	if sel == nil {
		return f
	}
	out := &figures{Rest: uncovered}
	for _, c := range sel.Classes {
		out.Classes = append(out.Classes, classFigure{c, f.ofClass(c)})
	}
	for _, e := range f.Slaves {
		if _, in := slices.BinarySearch(sel.Classes, r.ClassOf(e.Slave)); in {
			out.Slaves = append(out.Slaves, e)
		}
	}
	for _, s := range sel.Slaves {
		if i, done := slices.BinarySearchFunc(out.Slaves, s, compareSlave); !done {
			out.Slaves = slices.Insert(out.Slaves, i, slaveFigure{s, f.At(s, r.ClassOf(s))})
		}
	}
	return out
}
