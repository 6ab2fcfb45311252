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
//
// On thirty sets of the paper's workload at 0.4 to 1 of declared times such rules
// predict better than untrained ones and schedule worse: the penalty is 4.7 and
// not 0.15 at intervals of 600 s, 0.19 and 0.18 at 60 s. Training on five times
// as many sets does not mend it.
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
