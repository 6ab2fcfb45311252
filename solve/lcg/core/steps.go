package core

import (
	"encoding/binary"
	"slices"
)

// Label names what clauses and propagators come from, for who has it recorded.
type Label uint32

// Step is a clause that follows: by the rule of a label, or from the steps in Hints, each of
// which has all literals false but one at most when those before have been taken and the
// clause is denied. Steps of one literal need no hint.
type Step struct {
	// ID is 1 for the first step, and so on.
	ID    uint32
	Label Label   // 0: follows from Hints
	Args  []int32 // as noted for Label
	Lits  []Name
	Hints []uint32
	// Done are the steps of several literals that no later step needs, nor this one's rule.
	Done []uint32
}

// steps are written down one after the other as varints: label, literals, hints and units,
// both as differences, and arguments.
type steps struct {
	bytes  []byte
	starts []uint32 // by step
	most   int64    // bytes
	others int64    // bytes of other records that share in what may be kept
}

// maxSteps keeps starts within 32 bits.
const maxSteps = 1 << 31

func (l *steps) full() bool { return l.size()+l.others >= l.most }

func (l *steps) size() int64 { return int64(len(l.bytes)) + 4*int64(len(l.starts)) }

// add writes a step, and is its ID; what is full takes no more.
func (l *steps) add(label Label, args []int32, lits []Name, hints, units []uint32) uint32 {
	if l.full() {
		return uint32(len(l.starts)) + 1
	}
	l.starts = append(l.starts, uint32(len(l.bytes)))
	id := uint32(len(l.starts))
	out := binary.AppendUvarint(l.bytes, uint64(label))
	out = binary.AppendUvarint(out, uint64(len(lits)))
	for _, p := range lits {
		out = binary.AppendUvarint(out, uint64(p))
	}
	out = appendBack(out, id, hints)
	out = appendBack(out, id, units)
	if label > 0 {
		out = binary.AppendUvarint(out, uint64(len(args)))
		for _, a := range args {
			out = binary.AppendVarint(out, int64(a))
		}
	}
	l.bytes = out
	return id
}

// appendBack writes steps before id, by how far back they are.
func appendBack(out []byte, id uint32, before []uint32) []byte {
	out = binary.AppendUvarint(out, uint64(len(before)))
	for _, b := range before {
		out = binary.AppendUvarint(out, uint64(id-b))
	}
	return out
}

// written is a step that is read back.
type written struct {
	Step
	units []uint32
	rest  []byte
}

// read reads a step back.
func (l *steps) read(id uint32, w *written) {
	w.rest = l.bytes[l.starts[id-1]:]
	w.ID, w.Label = id, Label(w.next())
	w.Lits = w.Lits[:0]
	for range w.next() {
		w.Lits = append(w.Lits, Name(w.next()))
	}
	w.Hints = w.back(w.Hints[:0])
	w.units = w.back(w.units[:0])
	w.Args = w.Args[:0]
	if w.Label == 0 {
		return
	}
	for range w.next() {
		a, n := binary.Varint(w.rest)
		w.Args, w.rest = append(w.Args, int32(a)), w.rest[n:]
	}
}

func (w *written) next() uint64 {
	x, n := binary.Uvarint(w.rest)
	w.rest = w.rest[n:]
	return x
}

func (w *written) back(out []uint32) []uint32 {
	for range w.next() {
		out = append(out, w.ID-uint32(w.next()))
	}
	return out
}

// trimmed yields the steps that the last one, end, rests on, numbered anew. Of those that say
// the same, as inferences do that were explained again and again, the first is enough.
func (l *steps) trimmed(end uint32, yield func(*Step) bool) {
	first := make([]uint32, end+1)
	for id := range first {
		first[id] = uint32(id)
	}
	l.findFirsts(first, l.lastUses(end, first))
	end = first[end]
	last := l.lastUses(end, first)
	// From here on number holds the new IDs; units are not hinted.
	number, unit := make([]uint32, end+1), make([]bool, end+1)
	var w written
	for id, n := uint32(1), uint32(0); id <= end; id++ {
		if last[id] == 0 {
			continue
		}
		n++
		l.read(id, &w)
		number[id], unit[id] = n, len(w.Lits) == 1
		w.ID, w.Done = n, w.Done[:0]
		w.Hints = slices.DeleteFunc(w.Hints, func(h uint32) bool { return unit[first[h]] })
		for i, h := range w.Hints {
			h = first[h]
			w.Hints[i] = number[h]
			if last[h] == id {
				w.Done = append(w.Done, number[h])
				last[h] = 0 // named twice
			}
		}
		if !yield(&w.Step) {
			return
		}
	}
}

// findFirsts sets, by step, the first one of the same literals, of those that have a last use.
func (l *steps) findFirsts(first, last []uint32) {
	byHash := map[uint64]uint32{}
	var w, before written
	for id := range first {
		if last[id] == 0 {
			continue
		}
		l.read(uint32(id), &w)
		slices.Sort(w.Lits)
		hash := hashOf(w.Lits)
		same, found := byHash[hash]
		if !found {
			byHash[hash] = uint32(id)
			continue
		}
		l.read(same, &before)
		slices.Sort(before.Lits)
		if slices.Equal(w.Lits, before.Lits) {
			first[id] = same
		}
	}
}

// hashOf is FNV-1a over literals.
func hashOf(lits []Name) uint64 {
	hash := uint64(14695981039346656037)
	for _, p := range lits {
		hash = (hash ^ uint64(p)) * 1099511628211
	}
	return hash
}

// lastUses are, by step, the last one that needs it, of those that end needs; 0 for those
// that it does not need. For each step the first of its kind is taken.
func (l *steps) lastUses(end uint32, first []uint32) []uint32 {
	last := make([]uint32, end+1)
	last[end] = end
	var w written
	for id := end; id > 0; id-- {
		if last[id] == 0 {
			continue
		}
		l.read(id, &w)
		for _, needed := range [][]uint32{w.Hints, w.units} {
			for _, h := range needed {
				if h = first[h]; last[h] == 0 {
					last[h] = id
				}
			}
		}
	}
	return last
}
