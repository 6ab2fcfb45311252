package jobfile

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// Selection is a list of slaves and classes, each ascending.
type Selection struct {
	Classes []int
	Slaves  []model.SlaveID
}

// Has reports whether the selection, nil for all, holds slave s of class c.
func (sel *Selection) Has(s model.SlaveID, c int) bool {
	if sel == nil {
		return true
	}
	_, byName := slices.BinarySearch(sel.Slaves, s)
	_, byClass := slices.BinarySearch(sel.Classes, c)
	return byName || byClass
}

// Uncovered marks slaves for which a table has no figure.
const Uncovered model.Time = -1

// Figures says a figure per slave as files do: a slave's own entry beats its class, the
// class beats the default. Entries ascend.
type Figures struct {
	Rest    model.Time // Uncovered if there is no default
	Classes []ClassFigure
	Slaves  []SlaveFigure
}

// ClassFigure is the figure of the slaves of a class.
type ClassFigure struct {
	Class int
	Value model.Time
}

// SlaveFigure is the figure of a slave.
type SlaveFigure struct {
	Slave model.SlaveID
	Value model.Time
}

func compareSlave(e SlaveFigure, s model.SlaveID) int { return cmp.Compare(e.Slave, s) }

// At is the figure on slave s of class c (-1: none).
func (f *Figures) At(s model.SlaveID, c int) model.Time {
	if i, ok := slices.BinarySearchFunc(f.Slaves, s, compareSlave); ok {
		return f.Slaves[i].Value
	}
	return f.ofClass(c)
}

func (f *Figures) ofClass(c int) model.Time {
	if i, ok := slices.BinarySearchFunc(f.Classes, c, func(e ClassFigure, c int) int { return cmp.Compare(e.Class, c) }); ok {
		return f.Classes[i].Value
	}
	return f.Rest
}

// Only is f on the selected slaves and uncovered elsewhere.
func (r *ClusterReader) Only(f *Figures, sel *Selection) *Figures {
	if sel == nil {
		return f
	}
	out := &Figures{Rest: Uncovered}
	for _, c := range sel.Classes {
		out.Classes = append(out.Classes, ClassFigure{c, f.ofClass(c)})
	}
	for _, e := range f.Slaves {
		if _, in := slices.BinarySearch(sel.Classes, r.ClassOf(e.Slave)); in {
			out.Slaves = append(out.Slaves, e)
		}
	}
	for _, s := range sel.Slaves {
		if i, done := slices.BinarySearchFunc(out.Slaves, s, compareSlave); !done {
			out.Slaves = slices.Insert(out.Slaves, i, SlaveFigure{s, f.At(s, r.ClassOf(s))})
		}
	}
	return out
}
