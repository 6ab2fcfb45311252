package heuristics

import (
	"cmp"
	"slices"

	"downbeat/model"
)

const (
	// denseLimit is the number of (profile, slave) pairs up to which every
	// eligible slave of a task is listed; at 12 bytes each that is 48 MB. Beyond
	// it only the best few are, and the others are found through the profile's kin,
	// or sampled.
	denseLimit = 4_000_000
	// fewSlaves is how many of the best slaves are listed beyond denseLimit.
	fewSlaves = 4
	// samplable is the number of eligible slaves up to which all are listed
	// even beyond denseLimit: guessing would seldom hit one.
	samplable = 32
)

// Option is a slave that a task may run on.
type Option struct {
	Slave model.SlaveID
	// Transfer is C ≥ 0, WCET is E ≥ 1 there, in ticks.
	Transfer, WCET int32
}

// Length is C + E, in ticks.
func (o Option) Length() model.Time { return model.Time(o.Transfer) + model.Time(o.WCET) }

// rank is the order in which slaves are tried: by C + E, then by number.
func (o Option) rank() uint64 { return uint64(o.Length())<<32 | uint64(o.Slave) }

// compare orders options by rank.
func (o Option) compare(p Option) int { return cmp.Compare(o.rank(), p.rank()) }

// options lists the slaves of a profile by rank.
type options struct {
	list []Option
	// more tells that there are other eligible slaves, none of them better.
	more bool
	// kin lists the slaves of the profile without its exceptions, by rank; it is
	// shared by all profiles of its kin, and nil if there are too many kins.
	kin *kin
	// own are the eligible ones of the slaves in except, by rank, except is
	// ascending: where the profile differs from its kin.
	own    []Option
	except []model.SlaveID
}

// kin is what profiles share that differ on few slaves.
type kin struct {
	typical *model.Profile
	list    []Option
}

func (f *Figures) listOptions() {
	number := map[*model.Profile]int32{}
	var distinct []*model.Profile
	kins := map[model.Kin]*kin{}
	for t := range f.js.Tasks {
		p := f.js.Tasks[t].Profile
		n, seen := number[p]
		if !seen {
			n = int32(len(distinct))
			number[p] = n
			distinct = append(distinct, p)
			kins[p.Kin()] = nil
		}
		f.byTask[t] = n
	}
	l := lister{slaves: len(f.js.Slaves), keep: len(f.js.Slaves), kins: kins}
	if len(distinct)*l.slaves > denseLimit {
		l.keep = fewSlaves
	}
	if len(kins)*l.slaves > denseLimit {
		l.kins = nil
	}
	f.profiles = make([]options, len(distinct))
	for i, p := range distinct {
		f.profiles[i] = l.options(p)
	}
}

// lister lists the slaves of profiles; its arrays are reused.
type lister struct {
	slaves int
	// keep is the number of slaves to be listed for a profile.
	keep int
	// kins are those listed so far, nil before; the map is nil if none are.
	kins map[model.Kin]*kin
	all  []Option
	// keys sort by rank: C + E above, the index in all below.
	keys []uint64
}

// options lists the slaves of a profile.
func (l *lister) options(p *model.Profile) options {
	if l.kins == nil {
		list, more := l.list(p, l.keep)
		return options{list: list, more: more}
	}
	shared := l.kins[p.Kin()]
	if shared == nil {
		shared = &kin{typical: p.Typical()}
		shared.list, _ = l.list(shared.typical, l.slaves)
		l.kins[p.Kin()] = shared
	}
	out := options{kin: shared, except: p.Exceptions()}
	for _, s := range out.except {
		if e := p.WCET(s); e > 0 {
			out.own = append(out.own, Option{s, int32(p.Transfer(s)), int32(e)})
		}
	}
	slices.SortFunc(out.own, Option.compare)
	out.merge(l.keep)
	return out
}

// merge fills the list from what the profile shares and what it has of its own. Nearly all
// is shared, and taken over in stretches between the slaves on which the profile differs.
func (o *options) merge(keep int) {
	shared, skips, own := o.kin.list, o.skips(), o.own
	count := len(shared) - len(skips) + len(own)
	n := atMost(count, keep)
	o.more = n < count
	if len(o.except) == 0 {
		o.list = shared[:n]
		return
	}
	o.list = make([]Option, 0, n)
	for from := 0; len(o.list) < n; {
		to, isOwn := len(shared), false
		if len(skips) > 0 {
			to = skips[0]
		}
		if len(own) > 0 {
			at, _ := slices.BinarySearchFunc(shared[from:to], own[0], Option.compare)
			isOwn = from+at < to || len(skips) == 0
			to = from + at
		}
		o.list = append(o.list, shared[from:min(to, from+n-len(o.list))]...)
		switch from = to; {
		case len(o.list) == n:
		case isOwn:
			o.list, own = append(o.list, own[0]), own[1:]
		default:
			from, skips = to+1, skips[1:]
		}
	}
}

// skips lists, ascending, where what the profile shares has slaves on which it differs.
func (o *options) skips() []int {
	var out []int
	for _, s := range o.except {
		if e := o.kin.typical.WCET(s); e > 0 {
			at, _ := slices.BinarySearchFunc(o.kin.list, Option{s, int32(o.kin.typical.Transfer(s)), int32(e)}, Option.compare)
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return out
}

// atMost is how many of a number of slaves are listed.
func atMost(slaves, keep int) int {
	if slaves <= max(keep, samplable) {
		return slaves
	}
	return keep
}

// excepts reports whether the profile may differ from its kin on slave s.
func (o *options) excepts(s model.SlaveID) bool { return slices.Contains(o.except, s) }

// list gives those of the slaves that a profile allows: all if they are no more
// than keep or samplable, else the keep best.
func (l *lister) list(p *model.Profile, keep int) (list []Option, more bool) {
	l.all, l.keys = l.all[:0], l.keys[:0]
	for s := range model.SlaveID(l.slaves) {
		if e := p.WCET(s); e > 0 {
			o := Option{s, int32(p.Transfer(s)), int32(e)}
			l.keys = append(l.keys, uint64(o.Length())<<32|uint64(len(l.all)))
			l.all = append(l.all, o)
		}
	}
	best := l.keys
	if n := atMost(len(l.all), keep); n == len(l.all) {
		slices.Sort(best)
	} else {
		best = smallest(l.keys, n)
	}
	list = make([]Option, len(best))
	for i, key := range best {
		list[i] = l.all[uint32(key)]
	}
	return list, len(best) < len(l.all)
}

// smallest moves the n smallest keys to the front, sorted.
func smallest(keys []uint64, n int) []uint64 {
	slices.Sort(keys[:n])
	for i := n; i < len(keys); i++ {
		for k := i; k > 0 && keys[min(k, n)-1] > keys[k]; {
			at := min(k, n) - 1
			keys[at], keys[k] = keys[k], keys[at]
			k = at
		}
	}
	return keys[:n]
}
