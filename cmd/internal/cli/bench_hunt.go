package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
)

// defaultHuntTries is how many job sets a hunt looks at if nobody says.
const defaultHuntTries = 5000

// target checks the flags of a hunt.
func (o *benchOptions) target() (*bench.HuntTarget, error) {
	target := &bench.HuntTarget{
		Policy: o.hunt, New: o.Exec.New, Seed: o.seed, Gap: o.huntFor.Value == "gap",
		Objective: model.WeightedTardiness, TimeLimit: o.timeLimit, Memory: o.Ceiling(),
	}
	var err error
	if target.Policy, err = o.Exec.Named(o.hunt); err != nil {
		return nil, usage.Errorf("--hunt: %v", err)
	}
	if _, err := o.Exec.New(target.Policy, 0); err != nil {
		return nil, usage.Errorf("--hunt: %v", err)
	}
	switch {
	case o.huntFound < 1:
		return nil, usage.Errorf("--found %d is less than 1", o.huntFound)
	case len(o.paths) > 0 || len(o.workloads) > 1 || len(o.sweeps) > 0:
		return nil, usage.Errorf("--hunt draws its job sets from one --workload at most")
	case len(o.objective) > 1 || len(o.objective) == 1 && !target.Gap:
		return nil, usage.Errorf("--objective is for --hunt-for gap, and one")
	case o.timeLimit < 0:
		return nil, usage.Errorf("--time-limit %v is negative", o.timeLimit)
	}
	if len(o.objective) == 1 {
		target.Objective = o.objective[0]
	}
	if info, err := os.Stat(o.folder); err == nil && !info.IsDir() {
		return nil, usage.Errorf("--into %s is no folder", o.folder)
	}
	if err := os.MkdirAll(o.folder, 0o777); err != nil {
		return nil, files.Error(o.folder, err)
	}
	return target, nil
}

// huntSource is where a hunt draws its job sets from.
func (o *benchOptions) huntSource(ctx context.Context, target *bench.HuntTarget) (bench.HuntSource, []uint64, error) {
	if o.count == 1 && o.seeds == "" {
		o.count = defaultHuntTries
	}
	seeds, err := o.seedList()
	if err != nil || len(o.workloads) == 0 {
		return bench.DefaultHuntSource(target), seeds, err
	}
	sets, err := bench.FromWorkloads(o.workloads, bench.Sweep{}, seeds, o.programs())
	if err != nil {
		return nil, nil, usage.Errorf("--workload: %v", err)
	}
	bySeed := map[uint64]bench.Set{}
	for i, s := range seeds {
		bySeed[s] = sets[i]
	}
	return func(seed uint64) (*model.JobSet, error) { return bySeed[seed].Make(ctx) }, seeds, nil
}

func runHunt(ctx context.Context, o *benchOptions) error {
	target, err := o.target()
	if err != nil {
		return err
	}
	source, seeds, err := o.huntSource(ctx, target)
	if err != nil {
		return err
	}
	options.Heed(target.Memory)
	line := terminal.StartStatus(o.IO, o.Quiet)
	var found []*bench.Counterexample
	var looked int
	err = o.Recorded(o.IO, []string{target.Policy}, "", func() (err error) {
		found, looked, err = target.Hunt(ctx, source, seeds, o.huntFound, line.Show)
		return err
	})
	o.Exec.Close()
	line.Stop()
	var input *bench.InputError
	switch {
	case errors.As(err, &input):
		return usage.Of(err)
	case o.Exec.Theirs(err):
		return usage.Errorf("%v", err)
	}
	if err != nil {
		return err
	}
	if len(found) < o.huntFound {
		o.Note("%d of %d found among %d job sets", len(found), o.huntFound, looked)
	}
	if ctx.Err() != nil {
		o.Note("interrupted after %d of %d job sets", looked, len(seeds))
	}
	for _, e := range found {
		path := filepath.Join(o.folder, e.JobSet.Name+".yaml")
		if err := files.Write(path, func(w io.Writer) error { return e.Write(w) }); err != nil {
			return err
		}
		js := e.JobSet
		if e.Unfinished {
			o.Note("%s is not as small as it gets", path)
		}
		if _, err := fmt.Fprintf(o.IO.Out, "%s: %s (%d jobs, %d tasks, %d machines)\n",
			table.Printable(path), e.Headline(), len(js.Jobs), len(js.Tasks), len(js.Slaves)); err != nil {
			return usage.Output(err)
		}
	}
	if len(found) == 0 {
		return exit.Unknown
	}
	return nil
}
