package incumbent

import (
	"context"
	"slices"
)

// asked is a question under way: whether objective p can be v or less.
type asked struct {
	p   int
	v   int64
	end context.CancelFunc
}

// Until is ctx until it is settled whether objective p can be v or less: by a plan, or by a bound. For
// AnyPlan it is ctx.
func (s *Incumbent) Until(ctx context.Context, p int, v int64) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(ctx)
	if p == AnyPlan {
		return ctx, end
	}
	q := &asked{p, v, end}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	s.settle()
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = slices.DeleteFunc(s.asked, func(o *asked) bool { return o == q })
	})
	return ctx, end
}

// settle ends questions that are settled; s.mu is held.
func (s *Incumbent) settle() {
	for _, q := range s.asked {
		if s.bounds[q.p] > q.v || s.best != nil && s.values[q.p] <= q.v {
			q.end()
		}
	}
}
