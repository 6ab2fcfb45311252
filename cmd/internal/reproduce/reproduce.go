// Package reproduce regenerates the tables and figures of the papers, side by
// side with what was published, as a report in Markdown with plots.
//
// Figures that come out otherwise than published are reported as they came out.
// Whatever a paper leaves open is stated, with how the result moves with it.
package reproduce

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/policies"
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
	// Progress, if set, is told after each piece of work; it is called from one
	// goroutine at a time.
	Progress func(done, total int)
}

// Paper is a paper whose results can be regenerated.
type Paper struct {
	Name, Title string
	write       func(ctx context.Context, d *document, o Options) error
}

// Papers lists what there is, in order of name.
func Papers() []Paper {
	return []Paper{
		{"maxweight", "Map Task Scheduling in MapReduce with Data Locality (Wang, Zhu, Ying, Tan, Zhang; 2013)", writeMaxWeight},
		{"penn", "Real-Time MapReduce Scheduling (Phan, Zhang, Loo, Lee; 2010)", writePenn},
		{"rds", "Resource and Deadline-aware Job Scheduling in Dynamic Hadoop Clusters (Cheng, Rao, Jiang, Zhou; 2015)", writeRDS},
		{"rtmr", "Real-Time Scheduling in MapReduce Clusters (He, Lu, Swanson; 2013)", writeRTMR},
	}
}

// Run makes the report of a paper. Its files belong into a folder of their own.
func (p Paper) Run(ctx context.Context, o Options) ([]File, error) {
	var d document
	d.heading(1, p.Title)
	if err := p.write(ctx, &d, o); err != nil {
		return nil, err
	}
	return d.files()
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
	p, err := policies.New(policy, opts.Seed)
	if err != nil {
		return nil, err
	}
	out, err := online.Play(ctx, js, p, opts)
	if err != nil {
		return nil, fmt.Errorf("%s, policy %s: %w", js.Name, policy, err)
	}
	return out, nil
}
