package ejection

import (
	"cmp"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// lanes lists the tasks of each slave on a board by start.
type lanes struct {
	board *heuristics.Board
	on    [][]model.TaskID // by slave
}

func newLanes(board *heuristics.Board, slaves int) lanes {
	return lanes{board: board, on: make([][]model.TaskID, slaves)}
}

// index lists all tasks anew.
func (l *lanes) index() {
	for k := range l.on {
		l.on[k] = l.on[k][:0]
	}
	for t, p := range l.board.Place {
		if p.Slave != model.NoSlave {
			l.on[p.Slave] = append(l.on[p.Slave], model.TaskID(t))
		}
	}
	for k := range l.on {
		slices.SortFunc(l.on[k], func(a, b model.TaskID) int {
			return cmp.Or(cmp.Compare(l.board.Place[a].Start, l.board.Place[b].Start), cmp.Compare(a, b))
		})
	}
}

// firstFrom is the place in the list of a slave of the first task that starts at a
// time or later.
func (l *lanes) firstFrom(slave model.SlaveID, at model.Time) int {
	k, _ := slices.BinarySearchFunc(l.on[slave], at, func(t model.TaskID, at model.Time) int {
		return cmp.Compare(l.board.Place[t].Start, at)
	})
	return k
}

// add lists a task that was placed.
func (l *lanes) add(t model.TaskID) {
	p := l.board.Place[t]
	k := l.firstFrom(p.Slave, p.Start)
	l.on[p.Slave] = slices.Insert(l.on[p.Slave], k, t)
}

// remove takes a task that is still placed out of the list.
func (l *lanes) remove(t model.TaskID) {
	p := l.board.Place[t]
	k := l.firstFrom(p.Slave, p.Start)
	for l.on[p.Slave][k] != t {
		k++
	}
	l.on[p.Slave] = slices.Delete(l.on[p.Slave], k, k+1)
}
