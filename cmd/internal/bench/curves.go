package bench

import (
	"downbeat/cmd/internal/stats"
	"downbeat/model"
)

// Curve is a measure of a policy, level by level.
type Curve struct {
	Policy string
	Points []stats.Sample
}

// Curves are the means of a measure, by its name, in the order of the policies.
func (c *Config) Curves(levels []Level, name string) ([]Curve, error) {
	m, err := measureNamed(name)
	if err != nil {
		return nil, err
	}
	return c.curves(levels, func(records []*Record, policy string) stats.Sample {
		runs := runsOf(records, policy)
		return m.sample(runs, observations(runs))
	}), nil
}

// WeightedCurves are the weighted schedulability of each policy (Bastoni, Brandenburg,
// Anderson 2010): the share of the demand of all runs that is in runs without a hard miss.
// Job sets without a demand count for nothing.
func (c *Config) WeightedCurves(levels []Level) []Curve {
	return c.curves(levels, func(records []*Record, policy string) stats.Sample {
		var met []bool
		var weights []float64
		for _, rec := range records {
			for i := range rec.Cells {
				if cell := &rec.Cells[i]; cell.Policy == policy {
					met, weights = append(met, cell.HardMet()), append(weights, rec.Demand)
				}
			}
		}
		return stats.WeightedShareOf(met, weights)
	})
}

// MissCurves are the share of all jobs that are late or rejected.
func (c *Config) MissCurves(levels []Level) []Curve {
	return c.curves(levels, func(records []*Record, policy string) stats.Sample {
		runs := runsOf(records, policy)
		return stats.MeanOfUnits(valuesOf(runs, func(cell *Cell) float64 {
			return 1 - float64(cell.Successful)/float64(max(1, cell.Jobs))
		}), observations(runs))
	})
}

func (c *Config) curves(levels []Level, of func(records []*Record, policy string) stats.Sample) []Curve {
	var out []Curve
	for _, p := range c.Policies {
		curve := Curve{Policy: p}
		for _, l := range levels {
			curve.Points = append(curve.Points, of(l.Records, p))
		}
		out = append(out, curve)
	}
	return out
}

// FeasibleShare is the share of job sets that are feasible at each level, between those
// proved to be and those not proved infeasible; by demand, if that is asked for. It is nil
// if the solver was not asked.
func (c *Config) FeasibleShare(levels []Level, byDemand bool) (low, high []float64) {
	for _, l := range levels {
		feasible, infeasible, all := 0.0, 0.0, 0.0
		for _, rec := range l.Records {
			weight := 1.0
			if byDemand {
				weight = rec.Demand
			}
			all += weight
			switch c.verdict(rec) {
			case model.Feasible.String():
				feasible += weight
			case model.Infeasible.String():
				infeasible += weight
			case "":
				return nil, nil
			}
		}
		low, high = append(low, feasible/all), append(high, 1-infeasible/all)
	}
	return low, high
}

// MeasureTitle says what a measure is, for an axis; share tells that it lies in [0, 1].
func MeasureTitle(name string) (title string, share bool, err error) {
	m, err := measureNamed(name)
	if err != nil {
		return "", false, err
	}
	return m.title, m.percent, nil
}
