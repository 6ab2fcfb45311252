package core

import (
	"cmp"
	"slices"
)

// Clauses of three and more literals lie in one arena: number of literals,
// flags, origin, literals. The first two are watched.
const (
	header   = 3
	learnt   = 1 << 31
	usedOnce = 1 << 29 // a counter of two bits: how lately it was of use
	usedMask = 3 << 29
	glueMask = usedOnce - 1
)

// origin is where a clause comes from, where that is recorded: its step, or the label of a
// given one that has none yet.
type origin uint32

const given origin = 1 << 31

type watch struct {
	clause  uint32
	blocker Lit // of the clause; if it is true there is nothing to do
}

// list is what follows where a literal becomes true.
type list struct {
	watches []watch // clauses that watch its negation
	implied []Lit   // from clauses of two
}

type clauses struct {
	arena   []uint32
	given   []uint32
	learned []uint32
	lists   []list
	listOf  []uint32 // by literal: into lists, 0 for none: few order literals ever have one

	// made are the order literals that there are. Those that are kept stay when they have no value: forGood, or
	// because clauses have them.
	made, kept, forGood bitset

	stamps []uint32 // by level: when glueOf last counted it
	stamp  uint32
}

func (c *clauses) literals(at uint32) []uint32 { return c.arena[at+header : at+header+c.arena[at]] }

func (c *clauses) addPair(p, q Lit) {
	c.imply(p.Not(), q)
	c.imply(q.Not(), p)
	c.keepForGood(p)
	c.keepForGood(q)
}

// keepForGood keeps the literal of p's variable.
func (c *clauses) keepForGood(p Lit) {
	c.kept.add(p.variable())
	c.forGood.add(p.variable())
}

func (c *clauses) store(ps []Lit, flags uint32, from origin) uint32 {
	at := uint32(len(c.arena))
	c.arena = append(c.arena, uint32(len(ps)), flags, uint32(from))
	for _, p := range ps {
		c.arena = append(c.arena, uint32(p))
		c.kept.add(p.variable())
	}
	c.watch(at)
	return at
}

func (c *clauses) watch(at uint32) {
	p, q := Lit(c.arena[at+header]), Lit(c.arena[at+header+1])
	c.watchFor(p.Not(), watch{at, q})
	c.watchFor(q.Not(), watch{at, p})
}

func (c *clauses) watchFor(p Lit, w watch) {
	l := c.of(p)
	l.watches = append(l.watches, w)
}

func (c *clauses) imply(p, q Lit) {
	l := c.of(p)
	l.implied = append(l.implied, q)
}

// of is the list of a literal, which is made when it is first asked for.
func (c *clauses) of(p Lit) *list {
	if c.listOf[p] == 0 {
		c.listOf[p] = uint32(len(c.lists))
		c.lists = append(c.lists, list{})
	}
	return &c.lists[c.listOf[p]]
}

// glueOf counts the levels of literals (their LBD), and stamps them.
func glueOf[L ~uint32](c *clauses, level []int32, ps []L) uint32 {
	c.stamp++
	glue := uint32(0)
	for _, p := range ps {
		l := int(level[p>>1])
		for l >= len(c.stamps) {
			c.stamps = append(c.stamps, 0)
		}
		if c.stamps[l] != c.stamp {
			c.stamps[l] = c.stamp
			glue++
		}
	}
	return glue
}

// used notes that a clause took part in a conflict.
func (c *clauses) used(at uint32, level []int32) {
	flags := c.arena[at+1]
	if flags&learnt == 0 {
		return
	}
	glue := flags & glueMask
	if glue > 2 {
		glue = min(glue, glueOf(c, level, c.literals(at)))
	}
	c.arena[at+1] = learnt | 2*usedOnce | glue
}

// Learnt clauses of glue up to keptGlue stay for ever, of up to usefulGlue
// while they are used: the tiers of Chanseok Oh (2016).
const keptGlue, usefulGlue = 2, 6

// reduce drops learnt clauses that are satisfied, and the worse half of those
// with high glue that were not used lately. It is called without decisions.
func (c *clauses) reduce(t *trail) {
	var kept, weak []uint32
	for _, at := range c.learned {
		flags := c.arena[at+1]
		glue, used := flags&glueMask, flags&usedMask
		if used > 0 {
			c.arena[at+1] -= usedOnce
		}
		switch {
		case slices.ContainsFunc(c.literals(at), func(q uint32) bool { return t.IsTrue(Lit(q)) }):
		case glue <= keptGlue, glue <= usefulGlue && used > 0, used > usedOnce:
			kept = append(kept, at)
		default:
			weak = append(weak, at)
		}
	}
	slices.SortFunc(weak, func(a, b uint32) int {
		return cmp.Or(
			cmp.Compare(c.arena[a+1]&glueMask, c.arena[b+1]&glueMask),
			cmp.Compare(c.arena[a], c.arena[b]),
			cmp.Compare(b, a))
	})
	c.learned = append(kept, weak[:len(weak)/2]...)
	slices.Sort(c.learned)
	c.compact()
}

// compact moves the clauses together. Reasons of literals that hold for ever
// are never looked at, so they need not follow.
func (c *clauses) compact() {
	old := c.arena
	c.arena = make([]uint32, 0, len(old))
	for k := range c.lists {
		c.lists[k].watches = c.lists[k].watches[:0]
	}
	for _, list := range [][]uint32{c.given, c.learned} {
		for i, at := range list {
			list[i] = uint32(len(c.arena))
			c.arena = append(c.arena, old[at:at+header+old[at]]...)
			c.watch(list[i])
		}
	}
}
