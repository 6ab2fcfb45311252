package slotted

import (
	"context"
	"fmt"
	"math"
)

// ServiceVariance returns the paper's ν²: the variance of the number of tasks
// that end in a slot if every machine with data always serves locally and every
// other remotely.
func (s System) ServiceVariance() float64 {
	with := float64(s.Local())
	return with*s.Alpha*(1-s.Alpha) + (float64(s.Machines)-with)*s.Gamma*(1-s.Gamma)
}

// Ceiling returns M_l·Alpha + M_r·Gamma, in tasks a slot: no more can end on
// average. Under heavy local traffic it is the capacity.
func (s System) Ceiling() float64 {
	with := float64(s.Local())
	return with*s.Alpha + (float64(s.Machines)-with)*s.Gamma
}

// LowerBound returns Theorem 2 of the paper: the mean number of tasks in the
// system at the start of a slot, Result.Queue, is at least
// (σ² + ν² + ε²)/2ε - M/2 under any policy, where ε is the distance of the load
// from the ceiling. The bound may be negative, and then says nothing. It fails
// for a load at or above the ceiling, where there is no mean.
func LowerBound(s System, a Arrivals) (float64, error) {
	eps := s.Ceiling() - a.Mean()
	if eps <= 0 {
		return 0, fmt.Errorf("a load of %g tasks a slot is not below the ceiling of %g", a.Mean(), s.Ceiling())
	}
	return (a.Variance()+s.ServiceVariance()+eps*eps)/(2*eps) - float64(s.Machines)/2, nil
}

// HeavyTrafficLimit returns (σ² + ν²)/2, to which ε·E[ΣQ] tends under
// [MaxWeight] as ε goes to 0 (Theorems 2 and 4), for arrivals of variance σ²
// and under heavy local traffic.
func HeavyTrafficLimit(s System, variance float64) float64 {
	return (variance + s.ServiceVariance()) / 2
}

// HeavyPoint is one step of the approach to the heavy-traffic limit.
type HeavyPoint struct {
	Epsilon float64 // distance of the load from the ceiling
	Result  Result
	Bound   float64  // Theorem 2, for Result.Queue
	Scaled  Estimate // ε·E[ΣQ]
	Limit   float64  // (σ² + ν²)/2 with the variance of these arrivals
	Local   bool     // whether the local traffic is heavy, as Theorem 4 asks
}

// HeavyTraffic runs a system at several distances ε from its ceiling, with jobs
// of one task and a binomial number of them in a slot, at most the given number
// (bounded, as the theorems ask). The configuration gives all else; each ε has a
// seed of its own. It fails as [Sweep.Run] does, or if a load is not in
// (0, most).
func HeavyTraffic(ctx context.Context, c Config, epsilons []float64, most, workers int) ([]HeavyPoint, error) {
	points := make([]HeavyPoint, len(epsilons))
	configs := make([]Config, len(epsilons))
	for i, eps := range epsilons {
		load := c.System.Ceiling() - eps
		jobs, err := Binomial(most, load/float64(most))
		if err != nil {
			return nil, err
		}
		config := c
		config.Arrivals = Arrivals{Jobs: jobs, Tasks: Constant(1)}
		config.Seed = loadSeed(c.Seed, load)
		p := HeavyPoint{Epsilon: eps, Limit: HeavyTrafficLimit(c.System, config.Arrivals.Variance())}
		if p.Bound, err = LowerBound(c.System, config.Arrivals); err != nil {
			return nil, err
		}
		if p.Local, err = HeavyLocal(c.System, load); err != nil {
			return nil, err
		}
		points[i], configs[i] = p, config
	}
	results, err := runAll(ctx, configs, workers, nil)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		eps := points[i].Epsilon
		points[i].Result = r
		points[i].Scaled = Estimate{Mean: eps * r.Queue.Mean, Half: math.Abs(eps * r.Queue.Half)}
	}
	return points, nil
}
