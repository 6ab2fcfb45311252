package policies

import (
	"math"
	"slices"
	"strconv"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/penn"
)

// pennEntries are the fourteen heuristics of Penn §5.1.
func pennEntries() []entry {
	orders := map[penn.Order]string{
		penn.EDF:           "earliest deadline first",
		penn.LLF:           "least laxity of the task first",
		penn.ShortestWCET:  "shortest execution time first",
		penn.ShortestTotal: "shortest transfer and execution time first",
		penn.Random:        "in random order",
		penn.Density:       "tasks denser than delta first, by deadline",
		penn.Densest:       "the k densest tasks first, then by deadline",
	}
	choices := map[penn.Choice]string{
		penn.First: "each on the slave that is asked first of those estimated in time",
		penn.Best:  "each on the slave that is estimated to finish first",
	}
	params := map[penn.Order][]Param{
		penn.Density: {{"delta", strconv.FormatFloat(penn.DefaultDelta, 'g', -1, 64), "threshold of WCET over relative deadline, at least 0"}},
		penn.Densest: {{"k", strconv.Itoa(penn.DefaultK), "number of tasks that go first, at least 1"}},
	}
	var out []entry
	for _, o := range penn.Orders() {
		for _, c := range penn.Choices() {
			info := Info{Name: penn.Name(o, c), About: orders[o] + ", " + choices[c], Params: params[o]}
			if c == penn.First {
				info.Params = append(slices.Clone(info.Params), Param{"first", "beat", "of the slaves in time the first: by heartbeat, or by number, free or not"})
			}
			out = append(out, entry{info, func(a *args) online.Policy {
				p := penn.Params{Seed: a.seed}
				switch o {
				case penn.Density:
					p.Delta = a.real("delta", 0, float64(model.MaxTime))
				case penn.Densest:
					p.K = a.whole("k", 1, math.MaxInt32)
				}
				if c == penn.First {
					p.ByNumber = a.word("first", "beat", "number") == "number"
				}
				return penn.New(o, c, p)
			}})
		}
	}
	return out
}
