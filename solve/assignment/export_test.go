package assignment

import "context"

// Hurry has a search take so few steps, from rewards that chance says, so that it has many cases to look at.
func (s *Search) Hurry(of int) {
	s.steps = steps{of, of, of}
	s.linear = func(context.Context, *state) []int64 {
		out := make([]int64, len(s.p.tasks))
		for i := range out {
			out[i] = s.rand.Int64N(worth)
		}
		return out
	}
}
