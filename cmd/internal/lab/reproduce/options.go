// Report is what the reproductions of all papers are made of: documents in
// Markdown with figures, samples with intervals, claims with verdicts, and pieces of
// work that a journal keeps.

package reproduce

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"downbeat/cmd/internal/journal"
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
	// Journal keeps what has been computed, a piece to each result; nil keeps nothing. What it does
	// not want is left to other processes.
	Journal *journal.Pieces
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
// be the same after JSON and back. The key tells all that the results depend on beside
// what the journal is opened with. Results that are left to other processes have a stand-in, one
// of those that are there: what comes of them is of no use, but for which pieces it asks for next.
func Collect[T any](ctx context.Context, o Options, key string, n int, work func(ctx context.Context, i int) (T, error)) ([]T, error) {
	out := make([]T, n)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s #%d", key, i)
	}
	first := o.Journal.List(names)
	there := make([]bool, n)
	wanted := 0
	for i, name := range names {
		if there[i] = o.Journal.Wanted(first+i) || o.Journal.Holds(name); there[i] {
			wanted++
		}
	}
	if wanted == 0 && n > 0 {
		there[0], wanted = true, 1
	}
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for k := 1; ; k++ {
			if _, more := <-done; !more {
				return
			}
			if o.Progress != nil {
				o.Progress(k, wanted)
			}
		}
	}()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Parallel())
	for i := range n {
		if !there[i] {
			continue
		}
		g.Go(func() error {
			if err := collectOne(ctx, o, names[i], &out[i], func() (T, error) { return work(ctx, i) }); err != nil {
				return err
			}
			done <- struct{}{}
			return nil
		})
	}
	err := g.Wait()
	close(done)
	<-finished
	if wanted < n {
		standIn := out[slices.Index(there, true)]
		for i := range out {
			if !there[i] {
				out[i] = standIn
			}
		}
	}
	return out, err
}

func collectOne[T any](ctx context.Context, o Options, key string, into *T, work func() (T, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if held, err := o.Journal.Find(key, into); held || err != nil {
		return err
	}
	value, err := work()
	if err == nil {
		err = o.Journal.Add(key, value)
	}
	if err != nil {
		return &failure{err}
	}
	*into = value
	return nil
}

// failure is the error of a piece of work itself.
type failure struct{ err error }

// Error implements error.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap gives the error itself.
func (f *failure) Unwrap() error { return f.err }

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
