package rds

import (
	"context"

	"downbeat/model"
	"downbeat/online"
)

// clusterRadius is how far a cluster of samples reaches, see [Train]; the paper
// gives none, this is the default of the toolbox that it uses.
const clusterRadius = 0.5

// TrainOn is the offline training of §III-B and §IV-B: it plays the job sets to
// their ends under RDS with these options, the k-th with seed seed+k, and makes
// rules of all that was measured. It fails as [online.Run] does, and if nothing
// was measured, as where no job lasts for a control interval.
func TrainOn(ctx context.Context, sets []*model.JobSet, o Options, durations online.Durations, seed uint64) ([]Rule, error) {
	var samples []Sample
	for k, js := range sets {
		p := New(o)
		if _, err := online.Run(ctx, js, p, online.Options{Seed: seed + uint64(k), Durations: durations}); err != nil {
			return nil, err
		}
		samples = append(samples, p.samples...)
	}
	return Train(samples, clusterRadius)
}
