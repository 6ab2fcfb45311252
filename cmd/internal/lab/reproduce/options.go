// Report is what the reproductions of all papers are made of: documents in
// Markdown with figures, samples with intervals, claims with verdicts, and pieces of
// work that a journal keeps.

package reproduce

import (
	"context"
	"encoding/json"
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
	// MostJobs, if not 0, bounds the jobs of the sets drawn for rtmr and rds, and other
	// numbers by Few, so that a test sees all of a report in a second.
	MostJobs int
	// journal keeps what has been computed; nil keeps nothing.
	Journal *journal
	// Program is the version of the program, Command the command line; both go into
	// the report.
	Program, Command string
	// Progress, if set, is told after each piece of work; it is called from one
	// goroutine at a time.
	Progress func(done, total int)
}

// Jobs is how many of n jobs a set is to have.
func (o Options) Jobs(n int) int {
	if o.MostJobs > 0 {
		n = min(n, o.MostJobs)
	}
	return n
}

// Few is n, or no more than few where MostJobs bounds numbers.
func (o Options) Few(n, few int) int {
	if o.MostJobs > 0 {
		n = min(n, few)
	}
	return n
}

// Parallel is the number of workers.
func (o Options) Parallel() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.NumCPU()
}

// Collect has the results of n pieces of work, called on several workers. Those that
// the journal holds under the key are taken from there, the others go there, so T must
// be the same after JSON and back. The key tells all that the results hang on beside
// what the journal is opened with.
func Collect[T any](ctx context.Context, o Options, key string, n int, work func(ctx context.Context, i int) (T, error)) ([]T, error) {
	out := make([]T, n)
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
	g.SetLimit(o.Parallel())
	for i := range n {
		g.Go(func() error {
			if err := collectOne(ctx, o, fmt.Sprintf("%s #%d", key, i), &out[i], func() (T, error) { return work(ctx, i) }); err != nil {
				return err
			}
			done <- struct{}{}
			return nil
		})
	}
	err := g.Wait()
	close(done)
	<-finished
	return out, err
}

func collectOne[T any](ctx context.Context, o Options, key string, into *T, work func() (T, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if held := o.Journal.find(key); held != nil {
		return json.Unmarshal(held, into)
	}
	value, err := work()
	if err != nil {
		return err
	}
	*into = value
	return o.Journal.add(key, value)
}

// runPolicy runs a policy, named as on the command line, on a job set.
func runPolicy(ctx context.Context, js *model.JobSet, policy string, opts online.Options) (*online.Outcome, error) {
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
