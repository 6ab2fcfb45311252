package slotted

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
)

// Sweep runs one configuration at several loads under several policies.
type Sweep struct {
	Config   Config    // its Policy, Seed and Arrivals.Jobs are set for each run
	Loads    []float64 // tasks a slot, ascending
	Policies []Policy
	Seed     uint64 // each load has a seed of its own under it, the same for all policies
	Workers  int    // runs at a time, at least 1; the results do not depend on it

	// Done, if not nil, is told of each run that has ended, in whatever order,
	// one call at a time.
	Done func(Result)
}

// Curve is one policy's line in a figure.
type Curve struct {
	Policy Policy
	Points []Result // in order of the loads
}

// Figures returns the sweep behind the paper's Figures 3 and 4 with jobs sized
// by the given law: Section V's cluster, twelve loads up to 670 tasks a slot and
// both schedulers, one sample path each. Figure 3b draws [Result.Jobs] over the
// load, Figure 4a [Result.JobDelay], Figure 4b [Result.TaskDelay]; Figure 3a
// draws [Result.JobsAt], sampled every 1000 slots, at a load that one scheduler
// carries and the other does not.
func Figures(tasks *Law, seed uint64, workers int) Sweep {
	config := Paper(0, tasks)
	config.SampleEvery = 1000
	return Sweep{
		Config:   config,
		Loads:    []float64{70, 150, 230, 310, 350, 390, 470, 550, 590, 630, 650, 670},
		Policies: []Policy{MaxWeight, NaiveFair},
		Seed:     seed,
		Workers:  workers,
	}
}

// Configs are the runs of the sweep: all loads of the first policy, then those of the
// next. Errors are those of [PoissonArrivals].
func (s Sweep) Configs() ([]Config, error) {
	var configs []Config
	for _, policy := range s.Policies {
		for _, load := range s.Loads {
			c := s.Config
			arrivals, err := PoissonArrivals(load, c.Arrivals.Tasks)
			if err != nil {
				return nil, err
			}
			c.Policy, c.Arrivals, c.Seed, c.load = policy, arrivals, loadSeed(s.Seed, load), load
			configs = append(configs, c)
		}
	}
	return configs, nil
}

// Run returns a curve for each policy. It fails as [Run] does.
func (s Sweep) Run(ctx context.Context) ([]Curve, error) {
	configs, err := s.Configs()
	if err != nil {
		return nil, err
	}
	results, err := runAll(ctx, configs, s.Workers, s.Done)
	if err != nil {
		return nil, err
	}
	curves := make([]Curve, len(s.Policies))
	for i, policy := range s.Policies {
		curves[i] = Curve{Policy: policy, Points: results[i*len(s.Loads) : (i+1)*len(s.Loads)]}
	}
	return curves, nil
}

// loadSeed gives each load a seed that does not depend on the other loads.
func loadSeed(seed uint64, load float64) uint64 {
	return scramble(seed ^ scramble(math.Float64bits(load)))
}

// runAll runs configurations on several workers, those of the largest load
// first since they take longest, and returns their results in order. After an
// error no further run begins.
func runAll(ctx context.Context, configs []Config, workers int, done func(Result)) ([]Result, error) {
	order := make([]int, len(configs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(configs[b].Arrivals.Mean(), configs[a].Arrivals.Mean())
	})
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results := make([]Result, len(configs))
	var mutex sync.Mutex // guards order and calls of done
	work := func() {
		for {
			mutex.Lock()
			if len(order) == 0 || ctx.Err() != nil {
				mutex.Unlock()
				return
			}
			i := order[0]
			order = order[1:]
			mutex.Unlock()
			r, err := Run(ctx, configs[i])
			if err != nil {
				stop(err) // the first cause stays
				return
			}
			mutex.Lock()
			results[i] = r
			if done != nil {
				done(r)
			}
			mutex.Unlock()
		}
	}
	var group sync.WaitGroup
	for range max(1, min(workers, len(configs))) {
		group.Go(work)
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return results, nil
}

// Turn returns the turning point of a curve: the largest load before the mean
// job delay exceeds the given multiple of that at the curve's lowest load, in
// the order of the loads. turned tells whether it does so at all; if not, load is
// the curve's largest. The curve must have a point.
func (c Curve) Turn(multiple float64) (load float64, turned bool) {
	for i, p := range c.Points {
		if i > 0 && !(p.JobDelay.Mean <= multiple*c.Points[0].JobDelay.Mean) {
			return c.Points[i-1].Load, true
		}
	}
	return c.Points[len(c.Points)-1].Load, false
}
