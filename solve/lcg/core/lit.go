package core

// Lit is a literal: twice the variable, plus 1 if negated. Variable 0 is true.
type Lit uint32

// Literals that hold always and never.
const (
	True  Lit = 0
	False Lit = 1
)

// Not is the negation.
func (p Lit) Not() Lit { return p ^ 1 }

func (p Lit) variable() uint32 { return uint32(p >> 1) }
func (p Lit) negative() bool   { return p&1 == 1 }

// Name is a literal in the words of all solvers whose Booleans and integers were made in the same order, whatever order
// literals each has had a need of: Booleans, integers and all order literals numbered as they come, twice that number, plus 1 if
// negated. What is recorded and exchanged is in names.
type Name uint32

func (p Lit) sign() int8 {
	if p.negative() {
		return -1
	}
	return 1
}
