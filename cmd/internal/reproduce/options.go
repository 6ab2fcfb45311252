package reproduce

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"downbeat/cmd/internal/schedulers"
	"downbeat/model"
	"downbeat/online"
)

// Options steer a reproduction.
type Options struct {
	// Seeds is the number of job sets drawn per setting, ≥ 2.
	Seeds int
	// Workers run side by side, 0: one per core. The report is the same for any
	// number.
	Workers int
	// Scale in (0, 1] shortens what the paper ran long; 1 is its full scale.
	Scale float64
	// mostJobs, if not 0, bounds the jobs of the sets drawn for rtmr and rds, so that
	// a test sees all of a report in a second.
	mostJobs int
	// Progress, if set, is told after each piece of work; it is called from one
	// goroutine at a time.
	Progress func(done, total int)
}

// jobs is how many of n jobs a set is to have.
func (o Options) jobs(n int) int {
	if o.mostJobs > 0 {
		n = min(n, o.mostJobs)
	}
	return n
}

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.NumCPU()
}

// each calls work for 0 ≤ i < n on several workers.
func (o Options) each(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for k := 1; ; k++ {
			if _, more := <-done; !more {
				return
			}
			if o.Progress != nil {
				o.Progress(k, n)
			}
		}
	}()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.workers())
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := work(ctx, i); err != nil {
				return err
			}
			done <- struct{}{}
			return nil
		})
	}
	err := g.Wait()
	close(done)
	<-finished
	return err
}

// play runs a policy on a job set.
func play(ctx context.Context, js *model.JobSet, policy string, opts online.Options) (*online.Outcome, error) {
	p, err := schedulers.New(policy, opts.Seed)
	if err != nil {
		return nil, err
	}
	out, err := online.Play(ctx, js, p, opts)
	if err != nil {
		return nil, fmt.Errorf("%s, policy %s: %w", js.Name, policy, err)
	}
	return out, nil
}
