package sequence

import "context"

// SplitNow splits what there is before anything is known of it.
func (s *Search) SplitNow(ctx context.Context) {
	from, to := s.spans()
	for k := range s.Jobs {
		if from[k] < to[k] {
			s.goOn(ctx, s.splitBy(split{k, (from[k] + to[k]) / 2}))
			return
		}
	}
}
