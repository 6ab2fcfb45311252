package online

import "downbeat/model"

// eventClass orders events of one tick; see the package comment.
type eventClass uint8

const (
	taskEnds    eventClass = iota
	slaveLeaves            // with tasks in hand that have overrun
	slaveFails
	slaveReturns
	slaveTurns  // by a declared absence
	slaveGoes   // for good
	amountTurns // of a pool or cap
	jobArrives
	controlDue
	slaveBeats
)

// event is due at a tick. key holds the class in its top byte and the number
// of the task, slave or job below, which together order events of one tick.
type event struct {
	at  model.Time
	key uint64
}

func newEvent(at model.Time, class eventClass, number int) event {
	return event{at, uint64(class)<<56 | uint64(number)}
}

func (e event) class() eventClass { return eventClass(e.key >> 56) }
func (e event) number() int       { return int(e.key & (1<<56 - 1)) }

func (e event) before(other event) bool {
	return e.at < other.at || e.at == other.at && e.key < other.key
}

// queue is a heap with four children to a node: half as deep as a binary one,
// and the children of a node share a cache line.
type queue []event

func (q *queue) push(e event) {
	*q = append(*q, e)
	h := *q
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

func (q *queue) pop() event {
	h := *q
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return top
	}
	i := 0
	for {
		least := 4*i + 1
		if least >= len(h) {
			break
		}
		for c := least + 1; c < min(4*i+5, len(h)); c++ {
			if h[c].before(h[least]) {
				least = c
			}
		}
		if !h[least].before(last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return top
}
