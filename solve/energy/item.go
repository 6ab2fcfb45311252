package energy

import (
	"encoding/binary"
	"math/bits"

	"downbeat/model"
	"downbeat/model/window"
)

// item is what a task occupies of one resource, whichever of its slaves it is
// put on: at least length ticks of one unit in one piece, that end at firstEnd
// or later and start at lastStart or earlier.
type item struct {
	length, firstEnd, lastStart model.Time
}

// nowhere is the item of a task that has been looked at on no slave yet.
var nowhere = item{length: model.Never, firstEnd: model.Never, lastStart: -1}

// or is the item of a task that has the choice.
func (it item) or(other item) item {
	return item{
		length:    min(it.length, other.length),
		firstEnd:  min(it.firstEnd, other.firstEnd),
		lastStart: max(it.lastStart, other.lastStart),
	}
}

// inside is the least part of iv that the item occupies.
func (it item) inside(iv model.Interval) model.Time {
	return max(0, min(iv.Len(), it.length, it.firstEnd-iv.Start, iv.End-it.lastStart))
}

// items of a task, by the way of occupying; the last one is what it holds of pools and caps, from
// heartbeat to finish.
type items [model.HoldStay + 2]item

// held is the index of the last one.
const held = model.HoldStay + 1

// itemsOf computes the items of task t within its windows, sets the bits of the
// slaves it can run on and tells one of them.
func itemsOf(js *model.JobSet, w *window.Windows, t model.TaskID, slaves mask) (its items, one model.SlaveID) {
	its = items{nowhere, nowhere, nowhere, nowhere}
	task := &js.Tasks[t]
	for s := range model.SlaveID(len(js.Slaves)) {
		sp := w.Span(t, s)
		if sp.LastStart < 0 {
			continue
		}
		wcet, transfer := task.WCET(s), task.Transfer(s)
		if sp.FirstFetch+transfer > sp.LastStart {
			continue
		}
		slaves.add(s)
		one = s
		run, fetch, stay := &its[model.HoldRun], &its[model.HoldFetch], &its[model.HoldStay]
		*run = run.or(item{wcet, sp.FirstFetch + transfer + wcet, sp.LastStart})
		*fetch = fetch.or(item{transfer, sp.FirstFetch + transfer, sp.LastStart - transfer})
		length := (transfer + wcet + js.Heartbeat - 1) / js.Heartbeat * js.Heartbeat
		_, lastAssign := js.BeatAtOrBefore(s, sp.LastStart-transfer)
		*stay = stay.or(item{length, sp.FirstFetch + length, lastAssign})
		its[held] = its[held].or(item{transfer + wcet, sp.FirstFetch + transfer + wcet, lastAssign})
	}
	return its, one
}

// mask is a set of slaves.
type mask []uint64

func newMask(slaves int) mask { return make(mask, (slaves+63)/64) }

// key is the same for sets that are the same.
func (m mask) key() string { return string(m.appendKey(make([]byte, 0, 8*len(m)))) }

func (m mask) appendKey(key []byte) []byte {
	for _, word := range m {
		key = binary.LittleEndian.AppendUint64(key, word)
	}
	return key
}

func (m mask) add(s model.SlaveID) { m[s/64] |= 1 << (s % 64) }

// several reports whether there are two slaves or more.
func (m mask) several() bool {
	n := 0
	for _, word := range m {
		n += bits.OnesCount64(word)
	}
	return n > 1
}

func (m mask) has(s model.SlaveID) bool { return m[s/64]&(1<<(s%64)) != 0 }

// addAll makes m the union with other.
func (m mask) addAll(other mask) {
	for i := range m {
		m[i] |= other[i]
	}
}

// within reports whether m is a subset of other.
func (m mask) within(other mask) bool {
	for i := range m {
		if m[i]&^other[i] != 0 {
			return false
		}
	}
	return true
}

// slaves lists the members, ascending.
func (m mask) slaves(n int) []model.SlaveID {
	var out []model.SlaveID
	for s := range model.SlaveID(n) {
		if m.has(s) {
			out = append(out, s)
		}
	}
	return out
}
