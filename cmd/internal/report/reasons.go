package report

import (
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/incumbent"
)

// reasonJSON is what the bound on an objective rests on.
type reasonJSON struct {
	Objective string        `json:"objective"`
	Sentences []string      `json:"sentences"`
	Unit      model.Time    `json:"unit,omitempty"` // of all times here, in ticks, where not 1
	Argument  *argumentJSON `json:"argument,omitempty"`
}

// argumentJSON is one argument: by multipliers, by energy, by prices on lengths of tasks, or
// by prices that slaves share.
type argumentJSON struct {
	*branchingJSON
	Overloads []allowedJSON `json:"shortages,omitempty"`
	Packing   *packingJSON  `json:"packing,omitempty"`
	Pooled    *pooledJSON   `json:"pools,omitempty"`
}

// allowedJSON is an overload with soft jobs allowed to be so many ticks late.
type allowedJSON struct {
	countJSON
	Allowed model.Time `json:"allowed_late"`
}

type packingJSON struct {
	Interval [2]model.Time     `json:"interval"`
	Prices   []lengthPriceJSON `json:"prices"`
}

type lengthPriceJSON struct {
	Length model.Time `json:"length"`
	Price  int64      `json:"price"`
}

type pooledJSON struct {
	Step   model.Time      `json:"step"`
	Apart  bool            `json:"fetches_apart"`
	Pools  [][]string      `json:"slaves"`
	Unit   int64           `json:"weight_unit"`
	Prices []poolPriceJSON `json:"prices"`
}

type poolPriceJSON struct {
	Pool     int           `json:"pool"` // of slaves, -1 of a pool or a cap, which Resource names
	Resource string        `json:"resource"`
	Interval [2]model.Time `json:"interval"`
	Value    int64         `json:"price"`
}

// reasonsJSON are reasons for programs.
func reasonsJSON(js *model.JobSet, reasons []incumbent.Reason) []reasonJSON {
	var out []reasonJSON
	for _, r := range reasons {
		why := reasonJSON{Objective: r.Objective.String(), Sentences: r.Sentences}
		if r.Unit > 1 {
			why.Unit = r.Unit
		}
		why.Argument = newArgumentJSON(js, &r.Argument)
		out = append(out, why)
	}
	return out
}

// newArgumentJSON is nil where there is no argument as data.
func newArgumentJSON(js *model.JobSet, a *incumbent.Argument) *argumentJSON {
	switch {
	case a.Branching != nil:
		return &argumentJSON{branchingJSON: newBranchingJSON(js, a.Branching)}
	case len(a.Overloads) > 0:
		out := &argumentJSON{}
		for k := range a.Overloads {
			out.Overloads = append(out.Overloads, allowedJSON{newCountJSON(js, &a.Overloads[k]), a.Allowed[k]})
		}
		return out
	case a.Packing != nil:
		p := &packingJSON{Interval: pair(a.Packing.Interval)}
		for _, l := range a.Packing.Prices {
			p.Prices = append(p.Prices, lengthPriceJSON(l))
		}
		return &argumentJSON{Packing: p}
	case a.Pooled != nil:
		return &argumentJSON{Pooled: newPooledJSON(js, a.Pooled)}
	}
	return nil
}

func newPooledJSON(js *model.JobSet, b *proof.PoolBound) *pooledJSON {
	out := &pooledJSON{Step: b.Step, Apart: b.Apart, Unit: b.Unit, Prices: []poolPriceJSON{}}
	for _, pool := range b.Pools {
		out.Pools = append(out.Pools, wording.NamesOfSlaves(js, pool))
	}
	for _, p := range b.Prices {
		of := js.ResourceName(p.Resource)
		if p.Pool < 0 {
			of = js.SharedName(p.Shared)
		}
		out.Prices = append(out.Prices, poolPriceJSON{p.Pool, of, pair(p.Interval), p.Value})
	}
	return out
}

func pair(iv model.Interval) [2]model.Time { return [2]model.Time{iv.Start, iv.End} }

// byJob names the jobs of what is not 0.
func byJob(js *model.JobSet, values []int64) map[string]int64 {
	out := map[string]int64{}
	for j, v := range values {
		if v != 0 {
			out[js.Jobs[j].Name] = v
		}
	}
	return out
}
