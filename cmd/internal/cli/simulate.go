package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/schedulers"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/horizon"
	"downbeat/solve/memory"
)

// simulateOptions are the flags and arguments of downbeat simulate.
type simulateOptions struct {
	options.Answer
	options.Runs
	options.Memory
	changes options.Changes
	file    string
	seed    uint64
	seeds   string
	// intervals is the file for when jobs start and finish, empty for none.
	intervals string
	// byHistory is set where nothing was said of durations: those of the job set hold, if it has some.
	byHistory bool
	margins   []uint
	// objective, timeLimit (0 for counted work) and slip (below 0 for never) are those of
	// plans with margins.
	objective options.Objectives
	timeLimit time.Duration
	slip      int64
	trace     bool
	// surprise keeps declared absences from the policies.
	surprise bool
	files    options.PlanFiles
	parts    options.Parts
	// newPolicy is Exec.New but for tests.
	newPolicy func(spec string, seed uint64) (online.Policy, error)
}

func newSimulateCmd(io *terminal.Streams, run func(context.Context, *simulateOptions) error) *cobra.Command {
	o := &simulateOptions{}
	o.newPolicy, o.Exec.Stderr = o.Exec.New, io.Err
	o.Follows = true
	o.IO = io
	cmd := &cobra.Command{
		Use:   "simulate FILE",
		Short: "Play a job set under an online scheduler",
		Long: `Play the job set in FILE (YAML or JSON; - for standard input) under an online
scheduler, which learns of a job at its release and decides at heartbeats. With
one policy, print what came of each job and machine; with several, a table.

Tasks take their worst case unless the job set has durations or --durations says
otherwise, and machines do not fail unless --mtbf and --mttr do. What is drawn depends on
--seed and not on the policy. With --seeds, print how likely each job is in time, and
by durations of the job set when it starts and finishes.
` + options.PartsAbout("with --seeds one for each policy and seed") + `
Policies:
` + policyList() + options.FollowAbout + options.ExecAbout + `
Exit code 0: done, also where deadlines were missed. 2: bad usage or input.
3: interrupted, or with --margins no plan to follow was found.`,
		Example: `  downbeat simulate nightly.yaml --policy edf
  downbeat simulate nightly.yaml --policy edf -o run.json --gantt run.svg --trace
  downbeat simulate nightly.yaml --policy all --durations uniform:0.5,1 --seed 7
  downbeat simulate nightly.yaml --policy fifo,rtmr:feedback=no --mtbf 500 --mttr 20
  downbeat simulate nightly.yaml --policy follow:plan.json,edf --durations uniform:0.8,1.5 --seeds 1-200`,
		Args: usage.ExactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			if err := o.check(cmd); err != nil {
				return err
			}
			return o.Recorded(o.IO, o.Policies, o.file, func() error { return run(cmd.Context(), o) })
		},
	}
	o.Answer.AddFlags(cmd)
	o.changes.AddFlags(cmd)
	o.Runs.AddFlags(cmd, nil, "ticks or as a duration")
	f := cmd.Flags()
	f.Uint64Var(&o.seed, "seed", 1, "number that fixes durations, failures and the lots that policies draw")
	f.StringVar(&o.seeds, "seeds", "", "in place of --seed many: 1-200, or 3,7,10-19")
	addIntervals(cmd, &o.intervals)
	f.UintSliceVar(&o.margins, "margins", nil, "with --seeds, plan with times so many percent longer, and follow these plans")
	f.Var(&o.objective, "objective", "with --margins, what plans minimise, most important first, instead of what the file says")
	f.DurationVar(&o.timeLimit, "time-limit", 0, "with --margins, search so long for each plan; 0 for a fixed amount of work")
	f.Int64Var(&o.slip, "slip", -1, "with --margins, how many ticks late a task may be until any machine may have it; -1 for never")
	o.Memory.AddFlag(cmd, "")
	f.BoolVar(&o.surprise, "surprise", false, "absences come as a surprise: policies do not know of them, and what a machine holds then is lost")
	f.BoolVar(&o.trace, "trace", false, "tell of each decision what there was to choose from, and by which keys")
	o.files.AddFlags(cmd, "write what was run as a plan", "draw what was run")
	o.parts.AddFlags(cmd)
	options.QuietFlag(cmd, &o.Quiet)
	o.AddWidth(cmd)
	return cmd
}

// policyList is a line for each policy and its parameters.
func policyList() string {
	var b strings.Builder
	for _, info := range schedulers.List() {
		fmt.Fprintf(&b, "  %-22s %s\n", info.Name, info.About)
		for _, p := range info.Params {
			fmt.Fprintf(&b, "      %-18s %s\n", ":"+p.Name+"="+p.Default, p.About)
		}
	}
	return b.String()
}

// check tells what cannot work before the job set is read.
func (o *simulateOptions) check(cmd *cobra.Command) (err error) {
	if len(o.margins) > 0 && o.seeds == "" {
		return usage.Errorf("--margins goes with --seeds: how likely jobs are in time with each")
	}
	for _, flag := range []string{"objective", "time-limit", "slip"} {
		if cmd.Flags().Changed(flag) && len(o.margins) == 0 {
			return usage.Errorf("--%s goes with --margins: it is about the plans that are followed", flag)
		}
	}
	if o.timeLimit < 0 || o.slip < -1 || o.slip > int64(model.MaxTime) {
		return usage.Errorf("--time-limit %v, --slip %d: no less than 0, and at most %d ticks of slip", o.timeLimit, o.slip, model.MaxTime)
	}
	if len(o.Policies) == 0 && len(o.margins) == 0 {
		return usage.Errorf("--policy is missing; write all, or some of %s", strings.Join(schedulers.Names(), ", "))
	}
	if o.Policies, err = o.Specs(); err != nil {
		return err
	}
	if err := o.checkSeeds(cmd); err != nil {
		return err
	}
	o.byHistory = !cmd.Flags().Changed("durations")
	if n := len(o.Policies); n > 1 {
		for _, flag := range []struct {
			name  string
			given bool
		}{{"-o", len(o.files.Outputs) > 0}, {"--gantt", len(o.files.Gantts) > 0}, {"--trace", o.trace && o.Format.Value != "json"}} {
			if flag.given {
				return usage.Errorf("%s shows a single run, but there are %d policies", flag.name, n)
			}
		}
	}
	if _, err := o.Actual(); err != nil {
		return err
	}
	if err := o.FaultsPaired(); err != nil {
		return err
	}
	if err := o.CheckWidth(); err != nil {
		return err
	}
	if o.intervals != "" {
		if err := files.CheckTarget(o.IO, o.intervals, o.file); err != nil {
			return err
		}
	}
	return o.files.Check(cmd, o.IO, o.file)
}

// checkSeeds tells what does not go with many runs.
func (o *simulateOptions) checkSeeds(cmd *cobra.Command) error {
	if err := o.parts.Check(cmd); err != nil {
		return err
	}
	switch {
	case o.parts.Wanted() && o.seeds == "":
		return usage.Errorf("--resume, --shard and --join go with --seeds, whose runs are pieces")
	case o.parts.Wanted() && o.timeLimit > 0:
		return usage.Errorf("--time-limit makes plans with margins that differ from call to call; leave it out with --resume and --join")
	case o.intervals != "" && o.seeds == "":
		return usage.Errorf("--intervals goes with --seeds: when jobs start and finish over many runs")
	case o.seeds == "":
		return nil
	}
	if _, err := bench.ParseSeeds(o.seeds); err != nil {
		return usage.Errorf("--seeds: %v", err)
	}
	for _, flag := range []string{"seed", "trace"} {
		if cmd.Flags().Changed(flag) {
			return usage.Errorf("--%s is for a single run, --seeds for many", flag)
		}
	}
	if len(o.files.Outputs)+len(o.files.Gantts) > 0 {
		return usage.Errorf("-o and --gantt show a single run, --seeds asks for many")
	}
	return nil
}

func runSimulate(ctx context.Context, o *simulateOptions) error {
	reading, read, err := options.Reading(ctx, o.IO, o.file)
	if err != nil {
		return err
	}
	defer read()
	js, known, err := o.changes.JobSets(reading, o.IO, o.file, o.Note)
	if err != nil {
		return err
	}
	sim := &report.Simulation{JS: js, Options: online.Options{Seed: o.seed, Trace: o.trace, Surprise: o.surprise}}
	if known != js && !o.surprise {
		sim.Options.Known = known
	}
	if o.byHistory && js.Durations() != nil {
		o.Durations = online.History{}.String()
	}
	if sim.Options.Durations, err = o.Actual(); err != nil {
		return err
	}
	if sim.Options.Faults, err = o.Faults(js.TimeUnit); err != nil {
		return err
	}
	if ceiling := o.Ceiling(); ceiling > 0 {
		options.Heed(ceiling)
		var stop context.CancelFunc
		ctx, stop = memory.With(ctx, ceiling, true)
		defer stop()
	}
	contenders, err := o.contenders(reading, known)
	if err != nil {
		return err
	}
	if o.seeds != "" {
		plans, err := o.marginContenders(ctx, known)
		if err != nil {
			return err
		}
		contenders = append(contenders, plans...)
		if len(contenders) == 0 {
			return exit.Unknown
		}
		return o.manyRuns(ctx, sim, contenders)
	}
	for _, c := range contenders {
		out, err := o.play(ctx, sim, c)
		if err != nil {
			return o.stopped(ctx, c.Name, err)
		}
		sim.Runs = append(sim.Runs, report.Run{Policy: c.Name, Outcome: out})
	}
	// What came of the run is printed even where a file cannot be written.
	unwritten := o.writeFiles(sim)
	if err := usage.Output(o.View().Simulate(sim)); err != nil {
		return err
	}
	return unwritten
}

// contenders are the policies; plans to follow are read.
func (o *simulateOptions) contenders(ctx context.Context, js *model.JobSet) ([]ontime.Contender, error) {
	var all []ontime.Contender
	for _, spec := range o.Policies {
		c := ontime.Contender{Name: spec, New: func(seed uint64) (online.Policy, error) { return o.newPolicy(spec, seed) }}
		if f, ok, err := options.ParseFollow(spec); err != nil {
			return nil, err
		} else if ok {
			make, err := f.Load(ctx, o.IO, js, o.Note)
			if err != nil {
				return nil, err
			}
			c.New = func(uint64) (online.Policy, error) { return make(), nil }
		}
		all = append(all, c)
	}
	return all, nil
}

// manyRuns prints how likely jobs are in time.
func (o *simulateOptions) manyRuns(ctx context.Context, sim *report.Simulation, contenders []ontime.Contender) (err error) {
	seeds, err := bench.ParseSeeds(o.seeds)
	if err != nil {
		return err
	}
	sim.Seeds = seeds
	open := func(declared []ontime.Tally) (*journal.Pieces, error) {
		err := o.parts.Open("downbeat simulate", sim.JS.Digest(), o.flags(declared), o.Note)
		return o.parts.Pieces(), err
	}
	defer func() { err = errors.Join(err, o.parts.Close()) }()
	tallies, err := ontime.Play(ctx, sim.JS, contenders, sim.Options, seeds, open)
	var bad *usage.Error
	if errors.As(err, &bad) {
		return err
	}
	if err != nil {
		return o.stopped(ctx, "a run", err)
	}
	if over, err := o.parts.Finish(&o.Answer); over {
		return err
	}
	if o.intervals != "" {
		if err := writeIntervals(o.intervals, sim.JS, tallies); err != nil {
			return err
		}
	}
	return usage.Output(o.View().Odds(sim, tallies))
}

// addIntervals registers the flag of the file for when jobs start and finish.
func addIntervals(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "intervals", "", "write when each job starts and finishes in 10, 50 and 90 % of the runs to this CSV file")
}

func writeIntervals(name string, js *model.JobSet, tallies []ontime.Tally) error {
	return files.Write(name, func(w io.Writer) error { return report.IntervalsCSV(w, js, tallies) })
}

// flags are those that runs depend on, with what each policy does where nothing goes wrong: the plan
// that it follows may be another one by now.
func (o *simulateOptions) flags(declared []ontime.Tally) []journal.Flag {
	flags := []journal.Flag{
		{Name: "durations", Value: o.Durations}, {Name: "mtbf", Value: o.MTBF}, {Name: "mttr", Value: o.MTTR},
		{Name: "surprise", Value: fmt.Sprint(o.surprise)},
	}
	var policies []string
	for i := range declared {
		sum := sha256.Sum256(fmt.Append(nil, declared[i].Declared.Schedule, declared[i].Declared.Rejected))
		policies = append(policies, fmt.Sprintf("%s (%x)", declared[i].Policy, sum[:4]))
	}
	return append(flags, journal.Flag{Name: "policy", Value: strings.Join(policies, ", ")})
}

// stopped is the error of a run that did not come to its end.
func (o *simulateOptions) stopped(ctx context.Context, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		for _, n := range memory.Notes(ctx) {
			o.Note("%s", n)
		}
		fmt.Fprintf(o.IO.Err, "interrupted: %s was not played to its end\n", name)
		return exit.Unknown
	case errors.Is(err, online.ErrHopeless):
		return usage.Errorf("--mtbf %s: under %s %v", o.MTBF, name, err)
	case o.Exec.Theirs(err):
		return usage.Errorf("%v", err)
	}
	return fmt.Errorf("simulating %s: %w", name, err)
}

func (o *simulateOptions) play(ctx context.Context, sim *report.Simulation, c ontime.Contender) (*online.Outcome, error) {
	policy, err := c.New(o.seed)
	if err != nil {
		return nil, err
	}
	out, err := online.Play(ctx, sim.JS, policy, sim.Options)
	if p, ok := policy.(*horizon.Policy); ok && err == nil {
		if all, byEDF := p.Decisions(); byEDF > 0 {
			o.Note("%s: at %d of %d decisions the work was spent before there was a plan, and EDF decided", c.Name, byEDF, all)
		}
	}
	return out, err
}

// writeFiles writes the plan and the pictures of a single run and answers with
// the first error.
func (o *simulateOptions) writeFiles(sim *report.Simulation) error {
	run, nothing := &sim.Runs[0], ""
	if len(run.Outcome.Rejected) == len(sim.JS.Jobs) {
		nothing = "every job was rejected"
	}
	draw := func(w io.Writer, p gantt.Picture) error { return report.DrawRun(w, p, sim, run) }
	return o.files.Write(sim.JS, run.Outcome.Plan, draw, nothing, o.Note)
}
