package policies

import (
	"downbeat/online"
	"downbeat/online/maxweight"
)

// mean asks maxweight for rates from the times of released tasks.
const mean = "mean"

// maxWeightEntries are JSQ with MaxWeight and its opponent.
func maxWeightEntries() []entry {
	info := Info{
		Name: "maxweight", About: "join the shortest of the local queues and the common one, serve the heavier (MaxWeight)",
		Params: []Param{
			{"alpha", mean, "rate of local service, or mean for one over the mean time of released map tasks"},
			{"gamma", mean, "rate of remote service, given together with alpha"},
			{"length", "all", "what counts in a queue: all until they end, or waiting"},
			{"order", "fair", "within a queue: fair to jobs, or fifo"},
		},
	}
	return []entry{
		{info, newMaxWeight},
		plain("fair-local", "the job with the fewest running tasks, a local task if it has one", maxweight.NewFair),
	}
}

func newMaxWeight(a *args) online.Policy {
	p := maxweight.Params{
		Seed:    a.seed,
		Waiting: a.word("length", "all", "waiting") == "waiting",
		FIFO:    a.word("order", "fair", "fifo") == "fifo",
	}
	p.Alpha, p.Gamma = a.rates()
	return maxweight.New(p)
}

// rates are the parameters alpha and gamma, 0 for mean.
func (a *args) rates() (alpha, gamma float64) {
	byMean := a.text("alpha") == mean
	switch {
	case byMean != (a.text("gamma") == mean):
		a.fail("alpha and gamma go together: give both or neither")
	case !byMean:
		return a.real("alpha", minRate, maxRate), a.real("gamma", minRate, maxRate)
	}
	return 0, 0
}

// Rates are inverse times in ticks, though only their ratio matters.
const minRate, maxRate = 1e-9, 1e9
