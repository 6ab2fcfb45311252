package policies

import (
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/aria"
	"downbeat/online/backfill"
	"downbeat/online/basic"
	"downbeat/online/federated"
	"downbeat/online/maxweight"
	"downbeat/online/rayon"
)

// laterEntries are schedulers beyond those of the five papers.
func laterEntries() []entry {
	beat := Param{"beat", "yes", "yes adds the heartbeat interval to the time of a task"}
	early := Param{"early", "no", "yes reserves as early as goes, as Hadoop's agents do by default; the papers reserve from the deadline"}
	rates := []Param{
		{"alpha", mean, "rate of local service, or mean for one over the mean time of released map tasks"},
		{"gamma", mean, "rate of remote service, given together with alpha"},
	}
	return []entry{
		{Info{Name: "minedf-wc", About: "the earliest deadline, up to the fewest slots that meet it by ARIA's bounds; spare slots by deadline", Params: []Param{
			{"bound", "average", "on the time of a stage: lower, average or upper"},
			{"spare", "yes", "no leaves spare slots free (MinEDF)"},
			{"kill", "no", "yes takes spare slots back, by killing what runs there, for a job that is short of its fewest"},
		}}, newMinEDF},
		{Info{Name: "delay", About: "fair sharing in which a job waits for a slave with its input, a number of skips long", Params: []Param{
			{"skips", "slaves", "how often a job is passed over; slaves for as often as there are slaves"},
		}}, newDelay},
		{Info{Name: "pandas", About: "join the shortest of the local queues; a slave with nothing to do takes from the longest"},
			func(a *args) online.Policy { return maxweight.NewPandas(maxweight.PandasParams{Seed: a.seed}) }},
		{Info{Name: "balanced-pandas", About: "join the slave with the least work for its rate, serve local tasks before remote ones", Params: rates}, newBalanced},
		{Info{Name: "gree", About: "Rayon: accepts jobs that can be reserved, as late as goes", Params: []Param{early, beat}}, func(a *args) online.Policy { return newRayon(a, false) }},
		{Info{Name: "lowcost", About: "Morpheus: accepts jobs that can be reserved, where the load is least", Params: []Param{early, beat}}, func(a *args) online.Policy { return newRayon(a, true) }},
		{Info{Name: "federated", About: "accepts jobs that get as many cores of their own as they need, or share one by deadline", Params: []Param{beat}},
			func(a *args) online.Policy { return federated.New(federated.Params{NoBeat: !a.yesNo("beat")}) }},
		{Info{Name: "easy", About: "in order of arrival; others go before the head of the queue if it starts no later (EASY backfill)", Params: []Param{
			{"extra", "yes", "no lets only those go before it that end before it starts, not those that take what it leaves"},
		}}, func(a *args) online.Policy { return backfill.EASY(backfill.EASYParams{NoExtra: !a.yesNo("extra")}) }},
		{Info{Name: "conservative", About: "each task and gang has a reservation from its arrival on; others go before it if all start no later", Params: []Param{
			{"depth", "100", "tasks and gangs with a reservation, the first of the queue; those behind them wait"},
		}}, func(a *args) online.Policy {
			return backfill.Conservative(backfill.ConservativeParams{Depth: a.whole("depth", 1, int(model.MaxTime))})
		}},
	}
}

func newMinEDF(a *args) online.Policy {
	bounds := map[string]aria.Bound{"average": aria.Average, "lower": aria.Lower, "upper": aria.Upper}
	return aria.New(aria.Params{Bound: bounds[a.word("bound", "lower", "average", "upper")], Keep: !a.yesNo("spare"), Kill: a.yesNo("kill")})
}

// mostSkips is well below the number of heartbeats without a decision at which a run ends.
const mostSkips = 5000

func newDelay(a *args) online.Policy {
	if a.text("skips") == "slaves" {
		return basic.Delay(basic.PerSlave)
	}
	return basic.Delay(a.whole("skips", 0, mostSkips))
}

func newBalanced(a *args) online.Policy {
	p := maxweight.PandasParams{Balanced: true, Seed: a.seed}
	p.Alpha, p.Gamma = a.rates()
	return maxweight.NewPandas(p)
}

func newRayon(a *args, lowCost bool) online.Policy {
	return rayon.New(rayon.Params{LowCost: lowCost, Early: a.yesNo("early"), NoBeat: !a.yesNo("beat")})
}
