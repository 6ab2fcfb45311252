package model

import (
	"encoding/binary"
	"slices"
)

// Row gives one figure per slave. A job set on a thousand slaves has many
// rows that differ only on the few slaves that hold the data, so a row is a
// shared base with exceptions.
type Row struct {
	base   []int32
	except []exception // sorted by slave
}

type exception struct {
	slave SlaveID
	value int32
}

// ConstRow is the row with the same figure, 0 ≤ v ≤ MaxTime, on all of n slaves.
func ConstRow(n int, v Time) Row {
	base := make([]int32, n)
	for i := range base {
		base[i] = int32(v)
	}
	return Row{base: base}
}

// DenseRow is the row with the given figures, one per slave, each in [0, MaxTime].
func DenseRow(values []Time) Row {
	base := make([]int32, len(values))
	for i, v := range values {
		base[i] = int32(v)
	}
	return Row{base: base}
}

// With is the row with v on the given slaves; the base is shared.
func (r Row) With(slaves []SlaveID, v Time) Row {
	except := slices.Clone(r.except)
	for _, s := range slaves {
		i, found := slices.BinarySearchFunc(except, s, compareException)
		if found {
			except[i].value = int32(v)
		} else {
			except = slices.Insert(except, i, exception{s, int32(v)})
		}
	}
	return Row{base: r.base, except: except}
}

func compareException(e exception, s SlaveID) int { return int(e.slave) - int(s) }

// At is the figure on slave s.
func (r *Row) At(s SlaveID) Time {
	// Linear: exceptions are the handful of slaves that hold a block.
	for _, e := range r.except {
		if e.slave == s {
			return Time(e.value)
		}
	}
	return Time(r.base[s])
}

// Len is the number of slaves.
func (r *Row) Len() int { return len(r.base) }

// Profile is a task's worst-case execution time E and transfer time C on each
// slave. E = 0 marks a slave that the task is barred from (C0).
type Profile struct {
	wcet, transfer Row
	anywhere       bool
}

// NewProfile makes a profile of two rows of equal length. A wcet of 0 bars the
// slave.
func NewProfile(wcet, transfer Row) *Profile {
	return &Profile{wcet: wcet, transfer: transfer}
}

// WCET is E on slave s in ticks, ≥ 1; 0 if the task is barred from s.
func (p *Profile) WCET(s SlaveID) Time { return p.wcet.At(s) }

// Transfer is C on slave s in ticks, ≥ 0; meaningless where the task is barred.
func (p *Profile) Transfer(s SlaveID) Time { return p.transfer.At(s) }

// Eligible reports whether the task may run on slave s (C0).
func (p *Profile) Eligible(s SlaveID) bool { return p.wcet.At(s) > 0 }

// eachRun calls yield for every run of slaves with equal figures, in order.
// Where the task is barred both figures are 0.
func (p *Profile) eachRun(yield func(wcet, transfer Time, count SlaveID)) {
	n := SlaveID(p.wcet.Len())
	for s := SlaveID(0); s < n; {
		wcet, transfer := p.figures(s)
		end := s + 1
		for ; end < n; end++ {
			if e, c := p.figures(end); e != wcet || c != transfer {
				break
			}
		}
		yield(wcet, transfer, end-s)
		s = end
	}
}

func (p *Profile) figures(s SlaveID) (wcet, transfer Time) {
	if wcet = p.WCET(s); wcet == 0 {
		return 0, 0
	}
	return wcet, p.Transfer(s)
}

// appendKey appends a form of the profile that is equal for profiles with
// equal figures on eligible slaves.
func (p *Profile) appendKey(dst []byte) []byte {
	p.eachRun(func(wcet, transfer Time, count SlaveID) {
		dst = binary.AppendUvarint(dst, uint64(wcet))
		dst = binary.AppendUvarint(dst, uint64(transfer))
		dst = binary.AppendUvarint(dst, uint64(count))
	})
	return dst
}

// interner makes equal profiles one, after barring them from slaves without a
// slot of the stage's kind.
type interner struct {
	slaves []Slave
	barred [2][]SlaveID
	done   map[internKey]*Profile
	byKey  map[string]*Profile
	buf    []byte
}

type internKey struct {
	profile *Profile
	slot    SlotKind
}

func newInterner(slaves []Slave) *interner {
	in := &interner{slaves: slaves, done: map[internKey]*Profile{}, byKey: map[string]*Profile{}}
	for i := range slaves {
		for _, k := range []SlotKind{MapSlot, ReduceSlot} {
			if slaves[i].PoolSize(slaves[i].Pool(k)) == 0 {
				in.barred[k] = append(in.barred[k], SlaveID(i))
			}
		}
	}
	return in
}

func (in *interner) intern(p *Profile, slot SlotKind) *Profile {
	key := internKey{p, slot}
	if q, ok := in.done[key]; ok {
		return q
	}
	q := &Profile{wcet: p.wcet, transfer: p.transfer}
	if barred := in.barred[slot]; len(barred) > 0 {
		q.wcet = q.wcet.With(barred, 0)
	}
	in.buf = q.appendKey(in.buf[:0])
	if same, ok := in.byKey[string(in.buf)]; ok {
		in.done[key] = same
		return same
	}
	for s := range in.slaves {
		if q.Eligible(SlaveID(s)) {
			q.anywhere = true
			break
		}
	}
	in.byKey[string(in.buf)] = q
	in.done[key] = q
	return q
}
