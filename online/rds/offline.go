package rds

import (
	"context"

	"downbeat/model"
	"downbeat/online"
)

// clusterRadius is how far a cluster of samples reaches, see [Train]; the paper
// gives none, this is the default of the toolbox that it uses.
const clusterRadius = 0.5

// TrainOn is the offline training of §III-B and §IV-B, and the model fitting of §III-C: it plays
// the job sets to their ends under RDS with these options, the k-th with seed seed+k, makes rules of
// all progress that was measured, and fits the coefficients of Eq. 10 to the capacity that was read. It fails
// as [online.Run] does, and if nothing was measured, as where no job lasts for a control interval.
func TrainOn(ctx context.Context, sets []*model.JobSet, o Options, durations online.Durations, seed uint64) (rules []Rule, coef []float64, err error) {
	var samples []Sample
	var days [][]float64
	for k, js := range sets {
		p := New(o)
		if _, err := online.Run(ctx, js, p, online.Options{Seed: seed + uint64(k), Durations: durations}); err != nil {
			return nil, nil, err
		}
		samples = append(samples, p.samples...)
		var day []float64
		for _, ahead := range p.predicted {
			day = append(day, ahead[0])
		}
		days = append(days, day)
	}
	rules, err = Train(samples, clusterRadius)
	return rules, FitCapacity(days, o.Order), err
}
