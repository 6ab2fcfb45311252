package core_test

import (
	"context"
	"fmt"

	"downbeat/solve/lcg/core"
)

// differ keeps two views apart. Bounds are all that it looks at: once one is
// settled, the other leaves it at either end.
type differ struct{ v, w core.View }

func (*differ) Priority() int { return 0 }

func (d *differ) Propagate(s *core.Solver) bool {
	return leave(s, d.v, d.w) && leave(s, d.w, d.v)
}

// leave moves w off the value of v, and explains why.
func leave(s *core.Solver, v, w core.View) bool {
	at := s.Lower(v)
	if at != s.Upper(v) {
		return true
	}
	s.BeginExplanation()
	s.ExplainLower(v, at)
	s.ExplainUpper(v, at)
	if s.Lower(w) == at {
		s.ExplainLower(w, at)
		return s.SetLower(w, at+1)
	}
	if s.Upper(w) == at {
		s.ExplainUpper(w, at)
		return s.SetUpper(w, at-1)
	}
	return true
}

// Example places queens on a board, one a column, so that no two share a row or a
// diagonal: the rows differ, and so do their views shifted by the columns.
func Example() {
	for _, n := range []int32{3, 6} {
		s := core.New(1)
		var row []core.View
		for j := range n {
			row = append(row, s.NewInt(1, n))
			for i := range j {
				for _, slope := range []int32{-1, 0, 1} {
					v, w := row[i].Plus(slope*i), row[j].Plus(slope*j)
					id := s.Add(&differ{v, w})
					s.OnChange(v, id, core.False)
					s.OnChange(w, id, core.False)
				}
			}
		}
		if s.Search(context.Background(), func() bool { return false }) == core.Unsatisfiable {
			fmt.Println(n, "queens do not fit")
			continue
		}
		for _, v := range row {
			fmt.Print(s.Lower(v), " ")
		}
		fmt.Println()
	}
	// Output:
	// 3 queens do not fit
	// 3 6 2 5 1 4
}
