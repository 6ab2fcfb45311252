package rds

import (
	"context"

	"downbeat/model"
	"downbeat/online"
)

// clusterRadius is how far a cluster of samples reaches, see [Train]; the paper
// gives none, this is the default of the toolbox that it uses.
const clusterRadius = 0.5

// EnoughSamples is how many are worth training on: some seven for each
// coefficient of the four rules that the paper's workload comes to. With a
// quarter of that the rules are worse than untrained ones.
const EnoughSamples = 200

// TrainOn is the offline training of §III-B and §IV-B: it plays job sets to
// their ends under RDS with these options, the k-th, from 0, with seed seed+k,
// until there are [EnoughSamples] or a hundred sets, and makes rules of what was
// measured. It fails as [online.Run] and generate do, and if nothing was
// measured, as where no job lasts for a control interval.
func TrainOn(ctx context.Context, generate func(seed uint64) (*model.JobSet, error), o Options, durations online.Durations, seed uint64) ([]Rule, error) {
	var samples []Sample
	for k := uint64(0); k < 100 && len(samples) < EnoughSamples; k++ {
		js, err := generate(seed + k)
		if err != nil {
			return nil, err
		}
		p := New(o)
		if _, err := online.Run(ctx, js, p, online.Options{Seed: seed + k, Durations: durations}); err != nil {
			return nil, err
		}
		samples = append(samples, p.samples...)
	}
	return Train(samples, clusterRadius)
}
