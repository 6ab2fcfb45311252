package workload

import (
	"downbeat/model"
	"downbeat/model/gen"
)

// Tiny is gen.Tiny: up to six tasks with every feature of the model.
type Tiny struct{}

func (*Tiny) params() []param { return nil }
func (*Tiny) check() error    { return nil }

// Assumptions is empty: no paper is behind these sets.
func (*Tiny) Assumptions() []string { return nil }

// Generate draws the set of the seed.
func (*Tiny) Generate(seed uint64) (*model.JobSet, error) { return gen.Tiny(seed), nil }

// Small is gen.Small: Tiny's features at a given number of tasks.
type Small struct {
	// Tasks is meant to be 8 to 14.
	Tasks int
}

// NewSmall has ten tasks.
func NewSmall() *Small { return &Small{Tasks: 10} }

func (w *Small) params() []param {
	return []param{{name: "tasks", help: "number of tasks", value: whole[int]{&w.Tasks, 1, 1000}}}
}

func (*Small) check() error { return nil }

// Assumptions is empty: no paper is behind these sets.
func (*Small) Assumptions() []string { return nil }

// Generate draws the set of the seed.
func (w *Small) Generate(seed uint64) (*model.JobSet, error) { return gen.Small(seed, w.Tasks), nil }

// Family is gen.Family: a named shape and size of sets.
type Family struct {
	// Shape is one of gen.FamilyNames.
	Shape string
}

// NewFamily is the family tight: all jobs hard, deadlines that can just be met.
func NewFamily() *Family { return &Family{Shape: "tight"} }

func (w *Family) params() []param {
	return []param{{name: "name", help: "the family's name", value: choice[string]{&w.Shape, gen.FamilyNames()}}}
}

func (*Family) check() error { return nil }

// Assumptions is empty: no paper is behind these sets.
func (*Family) Assumptions() []string { return nil }

// Generate draws the set of the seed.
func (w *Family) Generate(seed uint64) (*model.JobSet, error) {
	js, _, err := gen.Family(w.Shape, seed)
	return js, err
}
