package penn

import (
	"slices"

	"downbeat/model"
)

// minTree has a time of each slave, and finds the smallest of a range of slaves: a
// complete binary tree in which slave s is leaf s, and every node has the smaller time
// of the two below it. Slaves that there are not have model.Never.
type minTree struct {
	times  []model.Time
	leaves int
}

// newMinTree has model.Never for so many slaves.
func newMinTree(slaves int) minTree {
	l := minTree{leaves: 1}
	for l.leaves < slaves {
		l.leaves *= 2
	}
	l.times = slices.Repeat([]model.Time{model.Never}, 2*l.leaves)
	return l
}

func (l *minTree) of(s model.SlaveID) model.Time { return l.times[l.leaves+int(s)] }

func (l *minTree) set(s model.SlaveID, t model.Time) {
	i := l.leaves + int(s)
	l.times[i] = t
	for i /= 2; i > 0; i /= 2 {
		below := min(l.times[2*i], l.times[2*i+1])
		if l.times[i] == below {
			return
		}
		l.times[i] = below
	}
}

// all is the smallest time of any slave.
func (l *minTree) all() model.Time { return l.times[1] }

// first is the first slave by whose time it is no later than that; there is one.
func (l *minTree) first(by model.Time) model.SlaveID { return l.below(1, by) }

// below is first among the slaves of a node.
func (l *minTree) below(node int, by model.Time) model.SlaveID {
	for node < l.leaves {
		if node *= 2; l.times[node] > by {
			node++
		}
	}
	return model.SlaveID(node - l.leaves)
}

// before is the smallest time of the slaves with lower numbers than s, and the first
// slave that has it; model.Never and none where that is all they have.
func (l *minTree) before(s model.SlaveID) (model.Time, model.SlaveID) {
	node, t := 0, model.Never
	for i := l.leaves + int(s); i > 1; i /= 2 {
		if i%2 == 1 && l.times[i-1] < t {
			node, t = i-1, l.times[i-1]
		}
	}
	if t == model.Never {
		return t, model.NoSlave
	}
	return t, l.below(node, t)
}

// next is the first slave from s on whose time is no later than that, model.NoSlave if
// there is none.
func (l *minTree) next(s model.SlaveID, by model.Time) model.SlaveID {
	i := l.leaves + int(s)
	if int(s) >= l.leaves {
		return model.NoSlave
	}
	for l.times[i] > by {
		for i%2 == 1 {
			i /= 2
		}
		if i == 0 {
			return model.NoSlave
		}
		i++
	}
	return l.below(i, by)
}
