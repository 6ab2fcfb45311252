package core

import "slices"

// naming says what variables stand for.
type naming struct {
	nameOf []uint32 // by variable
	names  uint32   // so many there are
	// bases are the Booleans and integers, in the order in which they were made.
	bases []base
	// free are the first variables of blocks that stand for nothing any more.
	free []uint32
}

// base is a Boolean, or the variable of an integer as a whole, whose order literals have the names behind its own.
type base struct{ name, v uint32 }

// nextName is a name for variable v, a Boolean or an integer of so many order literals, whose names come behind it.
func (n *naming) nextName(v, literals uint32) uint32 {
	name := n.names
	n.bases = append(n.bases, base{name, v})
	n.names += 1 + literals
	return name
}

// appendNames appends what literals are called.
func (n *naming) appendNames(out []Name, lits []Lit) []Name {
	for _, p := range lits {
		out = append(out, Name(n.nameOf[p.variable()]<<1|uint32(p&1)))
	}
	return out
}

// baseOf is the Boolean or integer that a name is one of, and how far it is behind its own.
func (n *naming) baseOf(name Name) (v, behind uint32) {
	k, found := slices.BinarySearchFunc(n.bases, uint32(name>>1), func(b base, name uint32) int { return int(b.name) - int(name) })
	if !found {
		k--
	}
	return n.bases[k].v, uint32(name>>1) - n.bases[k].name
}

// LiteralOf is the literal of a name. An order literal is dropped again if nothing has it.
func (s *Solver) LiteralOf(name Name) Lit {
	v, behind := s.baseOf(name)
	if i := s.kindOf[v]; i >= 0 {
		return s.named(i, s.ints[i].lo+int32(behind)-1) | Lit(name&1)
	}
	return Lit(v<<1) | Lit(name&1)
}

// NameOf is what a literal is called.
func (s *Solver) NameOf(p Lit) Name { return Name(s.nameOf[p.variable()]<<1) | Name(p&1) }

// OrderOf is what an order literal says by its name: [v ≤ at], or if it is negated that v is more; not ok for Booleans.
func (s *Solver) OrderOf(name Name) (v View, at int32, ok bool) {
	u, behind := s.baseOf(name)
	i := s.kindOf[u]
	if i < 0 {
		return View{}, 0, false
	}
	return View{x: i}, s.ints[i].lo + int32(behind) - 1, true
}
