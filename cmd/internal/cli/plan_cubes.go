package cli

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/bench/present"
	"downbeat/cmd/internal/cubefolder"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/cubes"
)

// cubesOptions are the flags by which a proof goes over several processes.
type cubesOptions struct {
	cubes  int
	folder string
	join   string
	script options.OneOf
	shards int
}

func (o *cubesOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.cubes, "cubes", 0, "split what is left open into about so many questions, which downbeat cube works on, and write them with --into")
	f.StringVar(&o.folder, "into", "", "write what --cubes makes to this folder, which is empty or not there yet; where it has cubes of the set already they stay")
	f.StringVar(&o.join, "join", "", "answer as far as the cubes in this folder are worked on; there is no FILE then")
	o.script = options.OneOf{Known: []string{"slurm"}}
	f.Var(&o.script, "script", "do not plan but print what runs --cubes on a cluster: slurm, a shell script that submits the plan, a job array of cubes, and the answer after it")
	f.IntVar(&o.shards, "shards", 8, "how many shards the script is to have")
}

// args are those of downbeat plan.
func (o *cubesOptions) args(cmd *cobra.Command, args []string) error {
	if cmd.Flags().Changed("join") {
		if len(args) > 0 {
			return usage.Errorf("--join takes the job set from the folder; leave %s out", args[0])
		}
		return nil
	}
	return usage.ExactArgs("FILE")(cmd, args)
}

// forSearch are the flags that --join, which searches nothing, does not take.
var forSearch = append([]string{"relax", "from", "now", "executed", "seed", "workers", "engine", "order", "objective", "budget", "log", "stats"}, changing...)

// changing are those by which a job set is changed.
var changing = []string{"without", "count", "pool", "deadline", "drop", "soften", "margin"}

// check tells flags that go ill together.
func (o *cubesOptions) check(cmd *cobra.Command, plan *planOptions) error {
	given := cmd.Flags().Changed
	switch {
	case given("join"):
		return o.checkJoin(cmd)
	case given("cubes") && (o.cubes < 1 || o.cubes > cubefolder.MaxCubes):
		return usage.Errorf("--cubes %d is not between 1 and %d", o.cubes, cubefolder.MaxCubes)
	case given("cubes") && o.folder == "":
		return usage.Errorf("--cubes needs --into, the folder that the cubes are written to")
	case given("into") && !given("cubes"):
		return usage.Errorf("--into is the folder for cubes; add --cubes N")
	case given("script") && !given("cubes"):
		return usage.Errorf("--script is for a plan in cubes; add --cubes N and --into")
	case given("shards") && !given("script"):
		return usage.Errorf("--shards goes with --script slurm")
	case given("script") && (o.shards < 1 || o.shards > journal.MaxShards):
		return usage.Errorf("--shards %d is not between 1 and %d", o.shards, journal.MaxShards)
	case given("script") && plan.File == "-":
		return usage.Errorf("--script: jobs cannot read standard input; name a file")
	case given("script") && given("fail-on"):
		return usage.Errorf("--fail-on looks at an answer, which a script has not; give it with --join")
	case o.cubes > 0 && plan.relax:
		return usage.Errorf("--cubes is about plans that meet all hard deadlines; leave --relax out")
	case o.cubes > 0 && plan.night.Underway():
		return usage.Errorf("--cubes is about a job set, of which a plan that is under way is only the rest; leave --now and --executed out")
	}
	return nil
}

func (o *cubesOptions) checkJoin(cmd *cobra.Command) error {
	switch {
	case o.join == "":
		return usage.Errorf("--join needs a folder, got an empty name")
	case o.cubes != 0 || o.folder != "" || cmd.Flags().Changed("script") || cmd.Flags().Changed("shards"):
		return usage.Errorf("--join answers from a folder that is there; leave --cubes, --into and --script out")
	}
	for _, name := range forSearch {
		if cmd.Flags().Changed(name) {
			return usage.Errorf("--join searches nothing, and takes all that was asked from the folder; leave --%s out", name)
		}
	}
	return nil
}

// runJoin answers from a folder.
func runJoin(ctx context.Context, o *planOptions) error {
	loading, stop := o.Limit(ctx)
	defer stop()
	f, err := cubefolder.Open(loading, o.IO, o.cubes.join)
	if err != nil {
		return err
	}
	return o.answerFrom(ctx, f)
}

// answerFrom prints the answer that a folder has, and writes what was asked for.
func (o *planOptions) answerFrom(ctx context.Context, f *cubefolder.Folder) error {
	checks, err := o.failOn.Of(f.JS)
	if err != nil {
		return usage.Errorf("--fail-on %v", err)
	}
	res, err := f.Answer(ctx, o.proof.Wanted())
	if err != nil {
		return err
	}
	o.standing(f)
	return o.deliver(ctx, f.JS, res, checks)
}

// standing notes how far the cubes are.
func (o *planOptions) standing(f *cubefolder.Folder) {
	switch at := f.Standing(); {
	case at.Cubes == 0:
		o.Note("%s", "nothing was left open when the set was split")
	default:
		o.Note("%s, of which %d left to be worked on", wording.Count(at.Cubes, "cube"), at.Open)
	}
}

// goesOn opens the folder where it has cubes already; nil where it has none yet.
func (o *planOptions) goesOn(ctx context.Context, js *model.JobSet) (*cubefolder.Folder, error) {
	dir := o.cubes.folder
	if is, err := cubefolder.Is(dir); err != nil || !is {
		if err == nil {
			_, err = cubes.New(js, o.goal(js), nil)
			err = usage.Of(err)
		}
		return nil, cmp.Or(err, o.writable(dir))
	}
	f, err := cubefolder.Open(ctx, o.IO, dir)
	if err != nil {
		return nil, err
	}
	return f, f.MadeFor(js, o.goal(js))
}

// writable is the fault of a folder that takes no files.
func (o *planOptions) writable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return files.Error(dir, err)
	}
	return files.CheckTarget(o.IO, filepath.Join(dir, "cubes.json"), o.File)
}

// goal is what is minimised.
func (o *planOptions) goal(js *model.JobSet) []model.Objective {
	if o.Objective != nil {
		return o.Objective
	}
	return js.Goal()
}

// splitOpen splits what a solve has left open, and writes the folder. Where a better plan was found on
// the way the answer is that of the folder, else it stays.
func (o *planOptions) splitOpen(ctx context.Context, js *model.JobSet, res *solve.Result, opt solve.Options) (*solve.Result, error) {
	if ctx.Err() != nil {
		return o.unsplit(res)
	}
	goal, improved := o.goal(js), false
	n := &cubefolder.New{
		JS: js, Goal: goal, Seed: o.Seed, Certificate: res.Certificate, Budget: cubes.FirstBudget,
		Start: cubefolder.Start{Status: res.Status, Proof: res.Proof, Objectives: res.Objectives},
	}
	if res.Schedule != nil {
		n.Best = report.PlanFile(js, res)
	}
	if closed, open := leftOpen(res, goal); open {
		p, err := cubes.New(js, goal, closed)
		if err != nil {
			return nil, usage.Of(err)
		}
		bound := int64(0)
		if p.P < len(res.Objectives) && res.Objectives[p.P].Bound != nil {
			bound = p.InSteps(goal[p.P], *res.Objectives[p.P].Bound)
		}
		all, best, err := p.Split(ctx, p.Steps(res.Schedule), bound, o.cubes.cubes, opt.Exact, o.Seed)
		if ctx.Err() != nil {
			return o.unsplit(res)
		}
		if err != nil {
			return nil, usage.Of(err)
		}
		n.Problem, n.Cubes = p, all
		n.Most, _ = (&cubes.State{Problem: p, Best: best, Bound: bound}).Target()
		if better := p.Ticks(best); best != nil && !slices.Equal(better, res.Schedule) {
			n.Best, improved = cubefolder.PlanOf(js, better, goal), true
		}
	}
	if err := cubefolder.Create(ctx, o.cubes.folder, n); err != nil {
		if err == ctx.Err() {
			return o.unsplit(res)
		}
		return nil, err
	}
	f, err := cubefolder.Open(context.WithoutCancel(ctx), o.IO, o.cubes.folder)
	if err != nil {
		return nil, err
	}
	if o.standing(f); improved {
		return f.Answer(ctx, true)
	}
	return res, nil
}

// unsplit is the answer of a plan that was interrupted before there were cubes.
func (o *planOptions) unsplit(res *solve.Result) (*solve.Result, error) {
	o.Note("%s has no cubes: the plan was interrupted", o.cubes.folder)
	return res, nil
}

// leftOpen are the values of the objectives that are closed before the first open one, which there is
// unless all are, or it is known that there is no plan.
func leftOpen(res *solve.Result, goal []model.Objective) (closed []int64, open bool) {
	if res.Schedule == nil {
		return nil, res.Status == model.Unknown
	}
	for i := range goal {
		v := &res.Objectives[i]
		if v.Bound == nil || *v.Bound < v.Value {
			return closed, true
		}
		closed = append(closed, v.Value)
	}
	return closed, false
}

// runCubesScript prints the script of a plan in cubes, once it has seen that the set can be split.
func runCubesScript(ctx context.Context, cmd *cobra.Command, o *planOptions) error {
	loading, stop := o.Limit(ctx)
	defer stop()
	js, err := o.Changes.JobSet(loading, o.IO, o.File, o.Note)
	if err != nil {
		return err
	}
	if _, err := cubes.New(js, o.goal(js), nil); err != nil {
		return usage.Of(err)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	plan, join := cubesWords(cmd)
	s := &present.CubesScript{
		Program: program, Shards: o.cubes.shards, Folder: o.cubes.folder, Workers: max(1, o.Workers),
		Plan: slices.Concat(plan, o.Changes.Words(), []string{o.File}), Join: append(join, "--join="+o.cubes.folder),
	}
	_, err = io.WriteString(o.IO.Out, s.Slurm())
	return usage.Output(err)
}

// forAnswer are the flags that say how the answer is printed, and what is written of it.
var forAnswer = []string{"output", "gantt", "size", "proof", "certify", "why", "format", "late", "width", "no-color", "quiet"}

// cubesWords are the flags that a plan was called with: those that make the cubes, and those for the answer;
// neither has changes to the set, and what the script says itself.
func cubesWords(cmd *cobra.Command) (plan, join []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(forAnswer, f.Name):
			join = append(join, flagWords(f)...)
		case !slices.Contains([]string{"script", "shards", "workers", "into"}, f.Name) && !slices.Contains(changing, f.Name):
			plan = append(plan, flagWords(f)...)
		}
	})
	return plan, join
}
