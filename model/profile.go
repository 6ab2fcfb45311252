package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Row gives one figure per slave. A job set on a thousand slaves has many
// rows that differ only on the few slaves that hold the data, so a row is a
// shared base with exceptions.
type Row struct {
	base   []int32
	steps  []SlaveID   // where the base differs from the slave before, ascending
	except []exception // sorted by slave
}

type exception struct {
	slave SlaveID
	value int32
}

// ConstRow is the row with the same figure, 0 ≤ v ≤ MaxTime, on all of n slaves.
func ConstRow(n int, v Time) Row {
	return Row{base: slices.Repeat([]int32{int32(v)}, n)}
}

// onBase is the row without exceptions on a base.
func onBase(base []int32) Row {
	r := Row{base: base}
	for s := 1; s < len(base); s++ {
		if base[s] != base[s-1] {
			r.steps = append(r.steps, SlaveID(s))
		}
	}
	return r
}

// excepting is the row on the same base with these exceptions.
func (r Row) excepting(except []exception) Row {
	r.except = except
	return r
}

// DenseRow is the row with the given figures, one per slave, each in [0, MaxTime].
func DenseRow(values []Time) Row {
	base := make([]int32, len(values))
	for i, v := range values {
		base[i] = int32(v)
	}
	return onBase(base)
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
	return r.excepting(except)
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

// Needs are the amounts that a task holds of what slaves have, on whichever it is.
type Needs struct {
	// Cores ≥ 1 are held while the task runs; 0 stands for 1.
	Cores int64
	// Units ≥ 0 of each of JobSet.Named are held from assignment to finish.
	Units [MaxNamed]int64
	// Pools are what it takes of pools, from assignment to finish (C11): ascending by pool, and then
	// those that stand for none.
	Pools [MaxTakes]PoolNeed
}

// inPools reports whether the needs name pools of a set that has so many, in order.
func (n *Needs) inPools(pools int) bool {
	last := int32(0)
	for _, need := range n.Pools {
		switch {
		case need == PoolNeed{}:
			last = int32(pools) // none after it
		case need.Pool <= last || int(need.Pool) > pools || need.Units < 0:
			return false
		default:
			last = need.Pool
		}
	}
	return true
}

// Pooled is what the needs take of pool i of JobSet.Pools.
func (n *Needs) Pooled(i int) int64 {
	for _, need := range n.Pools {
		if need.Pool == int32(i)+1 {
			return int64(need.Units)
		}
	}
	return 0
}

// TakePool adds a need of pool i of JobSet.Pools, 0 < units ≤ MaxTime; it is false where there are MaxTakes
// of others already. What was needed of it before no longer is.
func (n *Needs) TakePool(i int, units int64) bool {
	needs := make([]PoolNeed, 0, MaxTakes+1)
	for _, need := range n.Pools {
		if need.Pool > 0 && need.Pool != int32(i)+1 {
			needs = append(needs, need)
		}
	}
	needs = append(needs, PoolNeed{int32(i) + 1, int32(units)})
	if len(needs) > MaxTakes {
		return false
	}
	slices.SortFunc(needs, func(a, b PoolNeed) int { return cmp.Compare(a.Pool, b.Pool) })
	n.Pools = [MaxTakes]PoolNeed{}
	copy(n.Pools[:], needs)
	return true
}

// Profile is a task's worst-case execution time E and transfer time C on each
// slave, and what it needs. E = 0 marks a slave that the task is barred from (C0).
type Profile struct {
	wcet, transfer Row
	needs          Needs
	anywhere       bool
}

// NewProfile makes a profile of two rows of equal length. A wcet of 0 bars the
// slave. The task needs one core and nothing else.
func NewProfile(wcet, transfer Row) *Profile {
	return &Profile{wcet: wcet, transfer: transfer, needs: Needs{Cores: 1}}
}

// Needing is the profile with other needs.
func (p *Profile) Needing(needs Needs) *Profile {
	q := *p
	q.needs = needs
	q.needs.Cores = max(1, needs.Cores)
	return &q
}

// Needs are the amounts that the task holds.
func (p *Profile) Needs() Needs { return p.needs }

// Cores is the number of cores that the task runs on, ≥ 1.
func (p *Profile) Cores() int64 { return p.needs.Cores }

// Units is what the task holds of the named resource of that index.
func (p *Profile) Units(named int) int64 { return p.needs.Units[named] }

// FitOn reports whether slave s has enough for a task alone: of what is needed, and a
// slot of the stage's kind.
func (n *Needs) FitOn(s *Slave, slot SlotKind) bool {
	if s.PoolSize(s.Pool(slot)) == 0 || n.Cores > int64(s.Cores) {
		return false
	}
	for i, units := range n.Units {
		if units > s.Offers(i) {
			return false
		}
	}
	return true
}

// With is a profile that differs from p in its figures alone; see NewProfile.
func (p *Profile) With(wcet, transfer Row) *Profile {
	q := *p
	q.wcet, q.transfer = wcet, transfer
	return &q
}

// Taking is the profile with another execution time on one slave, in ticks to MaxTime; 0 bars it.
func (p *Profile) Taking(s SlaveID, wcet Time) *Profile {
	return p.With(p.wcet.With([]SlaveID{s}, wcet), p.transfer)
}

// Fetching is the profile with another transfer time on one slave, in ticks from 0 to MaxTime.
func (p *Profile) Fetching(s SlaveID, transfer Time) *Profile {
	return p.With(p.wcet, p.transfer.With([]SlaveID{s}, transfer))
}

// WCET is E on slave s in ticks, ≥ 1; 0 if the task is barred from s.
func (p *Profile) WCET(s SlaveID) Time { return p.wcet.At(s) }

// Transfer is C on slave s in ticks, ≥ 0; meaningless where the task is barred.
func (p *Profile) Transfer(s SlaveID) Time { return p.transfer.At(s) }

// Eligible reports whether the task may run on slave s (C0).
func (p *Profile) Eligible(s SlaveID) bool { return p.wcet.At(s) > 0 }

// Kin names what a profile shares with others: profiles of equal kin have the same
// needs, and differ in their figures at most on the slaves that one of them lists as
// exceptions.
type Kin struct {
	wcet, transfer *int32
	needs          Needs
}

// Kin names what the profile shares with others.
func (p *Profile) Kin() Kin { return Kin{&p.wcet.base[0], &p.transfer.base[0], p.needs} }

// Typical is the profile without its exceptions: equal for all of its kin.
func (p *Profile) Typical() *Profile {
	return p.With(p.wcet.excepting(nil), p.transfer.excepting(nil))
}

// Exceptions lists, ascending, the slaves on which the profile may differ from what
// is typical of its kin.
func (p *Profile) Exceptions() []SlaveID {
	var out []SlaveID
	for _, r := range []*Row{&p.wcet, &p.transfer} {
		for _, e := range r.except {
			out = append(out, e.slave)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Nearest lists, ascending, the eligible slaves with the least transfer time:
// those that hold the input. It is nil if all eligible slaves are alike.
func (p *Profile) Nearest() []SlaveID {
	wcets, transfers := rowCursor{row: &p.wcet}, rowCursor{row: &p.transfer}
	nearest := make([]SlaveID, 0, 8)
	least, alike := Never, true
	for s := range SlaveID(p.wcet.Len()) {
		e, c := wcets.at(s), transfers.at(s)
		switch {
		case e == 0:
			continue
		case c < least:
			alike = alike && least == Never
			least, nearest = c, append(nearest[:0], s)
		case c == least:
			nearest = append(nearest, s)
		default:
			alike = false
		}
	}
	if alike {
		return nil
	}
	return nearest
}

// EachRun calls yield for every run of slaves with equal figures, in order.
// Where the task is barred both figures are 0.
func (p *Profile) EachRun(yield func(wcet, transfer Time, count SlaveID)) {
	n := SlaveID(p.wcet.Len())
	wcets, transfers := rowCursor{row: &p.wcet}, rowCursor{row: &p.transfer}
	var wcet, transfer Time
	first := SlaveID(0)
	for s := SlaveID(0); s < n; s++ {
		e, c := wcets.at(s), transfers.at(s)
		if e == 0 {
			c = 0
		}
		if s > first && (e != wcet || c != transfer) {
			yield(wcet, transfer, s-first)
			first = s
		}
		wcet, transfer = e, c
		s = min(wcets.change(s), transfers.change(s)) - 1 // most slaves are as their neighbours
	}
	yield(wcet, transfer, n-first)
}

// rowCursor reads a row from left to right without searching its exceptions.
type rowCursor struct {
	row        *Row
	next, step int // exception, step
}

// at is the figure on slave s; each slave is asked for once, in order, but for those before
// the next change.
func (c *rowCursor) at(s SlaveID) Time {
	if except := c.row.except; c.next < len(except) && except[c.next].slave == s {
		c.next++
		return Time(except[c.next-1].value)
	}
	return Time(c.row.base[s])
}

// change is the first slave after s, which was asked for last, whose figure may be another;
// the number of slaves if none is.
func (c *rowCursor) change(s SlaveID) SlaveID {
	except, steps := c.row.except, c.row.steps
	if c.next > 0 && except[c.next-1].slave == s {
		return s + 1
	}
	next := SlaveID(c.row.Len())
	if c.next < len(except) {
		next = except[c.next].slave
	}
	for c.step < len(steps) && steps[c.step] <= s {
		c.step++
	}
	if c.step < len(steps) {
		next = min(next, steps[c.step])
	}
	return next
}

// sharesRows reports whether two profiles have the same rows: profiles that are equal on the slaves that
// there are may differ on more.
func (p *Profile) sharesRows(q *Profile) bool {
	return p.wcet.is(&q.wcet) && p.transfer.is(&q.transfer)
}

// is reports whether two rows have the same base and the same exceptions from it.
func (r *Row) is(q *Row) bool {
	if &r.base[0] != &q.base[0] && !slices.Equal(r.base, q.base) {
		return false
	}
	return slices.Equal(r.except, q.except) || r.departs(q) && q.departs(r)
}

// departs reports whether q, on an equal base, has all exceptions of r that differ from the base.
func (r *Row) departs(q *Row) bool {
	for _, e := range r.except {
		if e.value != r.base[e.slave] && q.At(e.slave) != Time(e.value) {
			return false
		}
	}
	return true
}

// appendKey appends a form of the profile that is equal for profiles with
// equal needs and equal figures on eligible slaves.
func (p *Profile) appendKey(dst []byte) []byte {
	if p.needs != (Needs{Cores: 1}) {
		dst = fmt.Appendf(dst, "%v %v ", p.needs.Cores, p.needs.Units)
		for _, need := range p.needs.Pools {
			if need.Pool > 0 {
				dst = fmt.Appendf(dst, "%v ", need)
			}
		}
	}
	p.EachRun(func(wcet, transfer Time, count SlaveID) {
		for _, v := range [...]int64{int64(wcet), int64(transfer), int64(count)} {
			dst = append(strconv.AppendInt(dst, v, 36), ' ')
		}
	})
	return dst
}

// interner makes equal profiles one, after barring them from slaves without a
// slot of the stage's kind, or with too little of what the task needs.
type interner struct {
	slaves []Slave
	// barred marks, by what a task needs, the slaves that have too little; nil if all
	// have enough.
	barred map[demand][]bool
	bases  map[baseKey]Row // with the barred slaves at 0
	done   map[internKey]*Profile
	byKey  map[string]*Profile
	buf    []byte
}

type internKey struct {
	profile *Profile
	slot    SlotKind
}

// demand is what a slave has to have for a task to be eligible.
type demand struct {
	slot  SlotKind
	needs Needs
}

// baseKey names a shared base by its first figure.
type baseKey struct {
	base *int32
	demand
}

func newInterner(slaves []Slave) *interner {
	return &interner{
		slaves: slaves, barred: map[demand][]bool{},
		bases: map[baseKey]Row{}, done: map[internKey]*Profile{}, byKey: map[string]*Profile{},
	}
}

// without marks the slaves that have too little; nil if all have enough.
func (in *interner) without(d demand) []bool {
	barred, known := in.barred[d]
	if known {
		return barred
	}
	for i := range in.slaves {
		s := &in.slaves[i]
		if d.needs.FitOn(s, d.slot) {
			continue
		}
		if barred == nil {
			barred = make([]bool, len(in.slaves))
		}
		barred[i] = true
	}
	in.barred[d] = barred
	return barred
}

// bar is the row with 0 on the slaves that have too little. Rows that share a base
// share one afterwards too.
func (in *interner) bar(r Row, barred []bool, d demand) Row {
	if barred == nil {
		return r
	}
	key := baseKey{&r.base[0], d}
	base, ok := in.bases[key]
	if !ok {
		figures := slices.Clone(r.base)
		for s := range figures {
			if barred[s] {
				figures[s] = 0
			}
		}
		base = onBase(figures)
		in.bases[key] = base
	}
	return base.excepting(slices.DeleteFunc(slices.Clone(r.except), func(e exception) bool { return barred[e.slave] }))
}

func (in *interner) intern(p *Profile, slot SlotKind) *Profile {
	key := internKey{p, slot}
	if q, ok := in.done[key]; ok {
		return q
	}
	d := demand{slot, p.needs}
	q := p.With(in.bar(p.wcet, in.without(d), d), p.transfer)
	q.anywhere = false
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

// Selector makes profiles for another list of slaves out of profiles for this one; what
// they share stays shared.
type Selector struct {
	from    []SlaveID
	fresh   []bool
	members []SlaveID
	lone    bool
	bases   map[origin]Row
	done    map[*Profile]*Profile
	to      map[SlaveID][]SlaveID // see numbers; nil before the first row
}

// origin is what a base for the other list is made of: the first figure of one here, and that of
// new slaves.
type origin struct {
	base *int32
	own  Time
}

// NewSelector is for a list of slaves of which number i is number from[i] here. All tasks
// are barred from one that is NoSlave here.
func NewSelector(from []SlaveID) *Selector {
	return &Selector{from: from, bases: map[origin]Row{}, done: map[*Profile]*Profile{}}
}

// Fresh has slaves of the other list be new ones of a class, which has the given members
// here; lone tells that its only one is a slave of its own name. They have the figures of
// the class, and nothing that is said of a member.
func (sel *Selector) Fresh(fresh []bool, members []SlaveID, lone bool) *Selector {
	sel.fresh, sel.members, sel.lone = fresh, members, lone
	return sel
}

// Profile is p for the other list.
func (sel *Selector) Profile(p *Profile) *Profile {
	if sel.done[p] == nil {
		wcet, transfer := Time(0), Time(0)
		if len(sel.members) > 0 {
			wcet, transfer = sel.ownOf(&p.wcet, sel.lone), sel.ownOf(&p.transfer, sel.lone)
		}
		sel.done[p] = p.With(sel.row(p.wcet, wcet), sel.row(p.transfer, transfer))
	}
	return sel.done[p]
}

// ownOf is the figure of a new slave of the class: that of the class, which a slave of its own
// name is by itself.
func (sel *Selector) ownOf(r *Row, lone bool) Time {
	first := sel.members[0]
	if at, found := slices.BinarySearchFunc(r.except, first, compareException); found && lone {
		return Time(r.except[at].value)
	}
	return Time(r.base[first])
}

// row is r for the other list, with a figure for new slaves.
func (sel *Selector) row(r Row, own Time) Row {
	of := origin{&r.base[0], own}
	out, known := sel.bases[of]
	if !known {
		base := make([]int32, len(sel.from))
		for i, s := range sel.from {
			switch {
			case sel.fresh != nil && sel.fresh[i], sel.isLone(s):
				base[i] = int32(own)
			case s != NoSlave:
				base[i] = r.base[s]
			}
		}
		out = onBase(base)
		sel.bases[of] = out
	}
	if len(r.except) == 0 {
		return out
	}
	to := sel.numbers()
	for _, e := range r.except {
		if sel.isLone(e.slave) {
			continue
		}
		for _, s := range to[e.slave] {
			out.except = append(out.except, exception{s, e.value})
		}
	}
	slices.SortFunc(out.except, func(a, b exception) int { return cmp.Compare(a.slave, b.slave) })
	return out
}

// isLone reports whether a slave is the only one of the class, by its own name, which means the class
// from now on.
func (sel *Selector) isLone(s SlaveID) bool { return sel.lone && s == sel.members[0] }

// numbers are those of the other list by number here, but for new slaves. They are worked out
// once: rows differ from their base on few slaves.
func (sel *Selector) numbers() map[SlaveID][]SlaveID {
	if sel.to == nil {
		sel.to = map[SlaveID][]SlaveID{}
		for i, s := range sel.from {
			if sel.fresh == nil || !sel.fresh[i] {
				sel.to[s] = append(sel.to[s], SlaveID(i))
			}
		}
	}
	return sel.to
}

// Mapper makes profiles of other figures; what they share stays shared.
type Mapper struct {
	wcet, transfer   func(Time) Time
	wcets, transfers map[*int32]Row // by the first figure of a base
	done             map[*Profile]*Profile
}

// NewMapper is for figures that are functions of those there are, at most MaxTime; 0 has to
// stay 0.
func NewMapper(wcet, transfer func(Time) Time) *Mapper {
	return &Mapper{wcet, transfer, map[*int32]Row{}, map[*int32]Row{}, map[*Profile]*Profile{}}
}

// Profile is p with the other figures.
func (m *Mapper) Profile(p *Profile) *Profile {
	if m.done[p] == nil {
		m.done[p] = p.With(mapRow(p.wcet, m.wcet, m.wcets), mapRow(p.transfer, m.transfer, m.transfers))
	}
	return m.done[p]
}

func mapRow(r Row, to func(Time) Time, bases map[*int32]Row) Row {
	base, known := bases[&r.base[0]]
	if !known {
		figures := slices.Clone(r.base)
		for i, v := range figures {
			figures[i] = int32(to(Time(v)))
		}
		base = onBase(figures)
		bases[&r.base[0]] = base
	}
	except := slices.Clone(r.except)
	for i := range except {
		except[i].value = int32(to(Time(except[i].value)))
	}
	return base.excepting(except)
}
