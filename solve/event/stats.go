package event

import "time"

// Stats are sums over the events of a solve.
type Stats struct {
	Reason Reason
	// Counts are those of the whole, of what comes before and after strategies too.
	Counts
	// Plans and Bounds are how often there was a better one.
	Plans, Bounds int
	// FirstPlan, LastPlan and LastBound are when; 0 where there was none.
	FirstPlan, LastPlan, LastBound time.Duration
	// Memory is the most that the program was seen to hold, in bytes.
	Memory int64
	// Strategies are by rows of the portfolio's table, in the order of their first slices.
	Strategies []StrategyStats
}

// StrategyStats are sums over the slices of a strategy by a row of the portfolio's table, on
// all workers.
type StrategyStats struct {
	Name string
	// Row is counted from 1.
	Row    int
	Slices int
	// Time is on the clock; of several workers it adds up.
	Time time.Duration
	Counts
}

// Take takes an event into account.
func (s *Stats) Take(e Event) {
	switch e.Kind {
	case Plan:
		if s.Plans++; s.Plans == 1 {
			s.FirstPlan = e.Elapsed
		}
		s.LastPlan = e.Elapsed
	case Bound:
		s.Bounds++
		s.LastBound = e.Elapsed
	case Strategy:
		s.slice(e.Slice)
	case End:
		s.Reason, s.Counts, s.Memory = e.Ended.Reason, e.Ended.Counts, max(s.Memory, e.Ended.Memory)
	}
}

func (s *Stats) slice(next *Slice) {
	s.Memory = max(s.Memory, next.Memory)
	for i := range s.Strategies {
		if of := &s.Strategies[i]; of.Name == next.Strategy && of.Row == next.Row {
			of.take(next)
			return
		}
	}
	s.Strategies = append(s.Strategies, StrategyStats{Name: next.Strategy, Row: next.Row})
	s.Strategies[len(s.Strategies)-1].take(next)
}

func (s *StrategyStats) take(next *Slice) {
	s.Slices++
	s.Time += next.Took
	s.Add(next.Counts)
}
