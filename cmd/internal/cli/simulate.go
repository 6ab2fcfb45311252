package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/report"
	"downbeat/model"
	"downbeat/model/verify"
	"downbeat/online"
	"downbeat/online/policies"
)

// simulateOptions are the flags and arguments of downbeat simulate.
type simulateOptions struct {
	viewOptions
	file       string
	policies   []string
	seed       uint64
	durations  string
	mtbf, mttr string
	trace      bool
	output     string
	gantts     []string
	quiet      bool
	// newPolicy is policies.New but for tests.
	newPolicy func(spec string, seed uint64) (online.Policy, error)
}

func newSimulateCmd(io *streams, run func(context.Context, *simulateOptions) error) *cobra.Command {
	o := &simulateOptions{newPolicy: policies.New}
	o.io = io
	cmd := &cobra.Command{
		Use:   "simulate FILE",
		Short: "Play a job set under an online scheduler",
		Long: `Play the job set in FILE (YAML or JSON; - for standard input) under an online
scheduler, which learns of a job at its release and decides at heartbeats. With
one policy, print what came of each job and slave; with several, a table.

Tasks take their worst case unless --durations says otherwise, and slaves do not
fail unless --mtbf and --mttr do. What is drawn hangs on --seed and not on the
policy.

Policies:
` + policyList() + `
Exit code 0: done, also where deadlines were missed. 2: bad usage or input.
3: interrupted.`,
		Example: `  downbeat simulate nightly.yaml --policy edf
  downbeat simulate nightly.yaml --policy edf -o run.json --gantt run.svg --trace
  downbeat simulate nightly.yaml --policy all --durations uniform:0.5,1 --seed 7
  downbeat simulate nightly.yaml --policy fifo,rtmr:feedback=no --mtbf 500 --mttr 20`,
		Args: exactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			if cmd.Flags().Changed("output") && o.output == "" {
				return usagef("-o needs a file name, got an empty one")
			}
			if err := o.check(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.policies, "policy", nil, "policies, with commas between them, or all; may be repeated")
	f.Uint64Var(&o.seed, "seed", 1, "number that fixes durations, failures and the lots that policies draw")
	f.StringVar(&o.durations, "durations", "worst", "actual execution times: worst, uniform:LO,HI, normal:MEAN,SD, lognormal:MU,SIGMA or stragglers:SHARE,USUAL, as factors of the worst case")
	f.StringVar(&o.mtbf, "mtbf", "", "mean time until a slave fails, in ticks or as a duration; goes with --mttr")
	f.StringVar(&o.mttr, "mttr", "", "mean time until a slave that failed is back")
	f.BoolVar(&o.trace, "trace", false, "tell of each decision what there was to choose from, and by which keys")
	f.StringVarP(&o.output, "output", "o", "", "write what was run as a plan to this file: .json, .yaml or .csv")
	f.StringArrayVar(&o.gantts, "gantt", nil, "draw what was run to this file: .svg, .png or .html; may be repeated")
	f.BoolVar(&o.quiet, "quiet", false, "no notes on standard error")
	f.IntVar(&o.width, "width", 0, "columns for the report, 0 for the terminal's")
	return cmd
}

// policyList is a line for each policy and its parameters.
func policyList() string {
	var b strings.Builder
	for _, info := range policies.List() {
		fmt.Fprintf(&b, "  %-22s %s\n", info.Name, info.About)
		for _, p := range info.Params {
			fmt.Fprintf(&b, "      %-18s %s\n", ":"+p.Name+"="+p.Default, p.About)
		}
	}
	return b.String()
}

// check tells what cannot work before the job set is read.
func (o *simulateOptions) check() error {
	if len(o.policies) == 0 {
		return usagef("--policy is missing; write all, or some of %s", strings.Join(policies.Names(), ", "))
	}
	specs, err := parsePolicies(o.policies)
	if err != nil {
		return err
	}
	o.policies = specs
	if len(specs) > 1 {
		for _, flag := range []struct {
			name  string
			given bool
		}{{"-o", o.output != ""}, {"--gantt", len(o.gantts) > 0}, {"--trace", o.trace && o.format.value != "json"}} {
			if flag.given {
				return usagef("%s shows a single run, but there are %d policies", flag.name, len(specs))
			}
		}
	}
	if _, err := online.ParseDurations(o.durations); err != nil {
		return usagef("--durations: %v", err)
	}
	if (o.mtbf == "") != (o.mttr == "") {
		return usagef("--mtbf and --mttr go together: how long until a slave fails, and until it is back")
	}
	targets := planOptions{solveOptions: solveOptions{viewOptions: o.viewOptions, file: o.file}, output: o.output, gantts: o.gantts}
	return targets.check()
}

// parseFaults reads --mtbf and --mttr, nil if they are not given. Durations
// need the length of a tick, 0 if there is none.
func parseFaults(mtbf, mttr string, unit time.Duration) (*online.Faults, error) {
	if mtbf == "" && mttr == "" {
		return nil, nil
	}
	if mtbf == "" || mttr == "" {
		return nil, usagef("--mtbf and --mttr go together: how long until a slave fails, and until it is back")
	}
	up, err := meanTicks("--mtbf", mtbf, unit)
	if err != nil {
		return nil, err
	}
	away, err := meanTicks("--mttr", mttr, unit)
	if err != nil {
		return nil, err
	}
	return &online.Faults{MTBF: up, MTTR: away}, nil
}

// meanTicks reads a positive number of ticks, or a duration where the job set
// has a time unit.
func meanTicks(flag, text string, unit time.Duration) (float64, error) {
	ticks, err := strconv.ParseFloat(text, 64)
	if d, bad := time.ParseDuration(text); err != nil && bad == nil && unit > 0 {
		ticks, err = float64(d)/float64(unit), nil
	}
	if err == nil && ticks > 0 && ticks <= float64(model.MaxTime) {
		return ticks, nil
	}
	if unit == 0 {
		return 0, usagef("%s %s: write a positive number of ticks, %d at most (durations need a job set with time_unit)", flag, text, model.MaxTime)
	}
	return 0, usagef("%s %s: write a positive number of ticks, %d at most, or a duration such as 90m", flag, text, model.MaxTime)
}

func runSimulate(ctx context.Context, o *simulateOptions) error {
	js, err := o.io.loadJobSet(o.file)
	if err != nil {
		return err
	}
	sim := &report.Simulation{JS: js, Options: online.Options{Seed: o.seed, Trace: o.trace}}
	if sim.Options.Durations, err = online.ParseDurations(o.durations); err != nil {
		return usagef("--durations: %v", err)
	}
	if sim.Options.Faults, err = parseFaults(o.mtbf, o.mttr, js.TimeUnit); err != nil {
		return err
	}
	for _, spec := range o.policies {
		out, err := o.play(ctx, sim, spec)
		switch {
		case ctx.Err() != nil:
			fmt.Fprintf(o.io.err, "interrupted: %s was not played to its end\n", spec)
			return exitCode(ExitUnknown)
		case errors.Is(err, online.ErrHopeless):
			return usagef("--mtbf %s: under %s %v", o.mtbf, spec, err)
		case err != nil:
			return fmt.Errorf("simulating %s: %w", spec, err)
		}
		sim.Runs = append(sim.Runs, report.Run{Policy: spec, Outcome: out})
	}
	// What came of the run is printed even where a file cannot be written.
	unwritten := o.writeFiles(sim)
	if err := outputError(o.view().Simulate(sim)); err != nil {
		return err
	}
	return unwritten
}

// play runs one policy. A run whose plan the validator refuses is an internal
// error.
func (o *simulateOptions) play(ctx context.Context, sim *report.Simulation, spec string) (*online.Outcome, error) {
	policy, err := o.newPolicy(spec, o.seed)
	if err != nil {
		return nil, err
	}
	out, err := online.Run(ctx, sim.JS, policy, sim.Options)
	if err != nil {
		return nil, err
	}
	if err := verify.Plan(sim.JS, out.Plan()).Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// writeFiles writes the plan and the pictures of a single run and answers with
// the first error.
func (o *simulateOptions) writeFiles(sim *report.Simulation) error {
	run := &sim.Runs[0]
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	if o.output != "" {
		format, err := model.PlanFormatOf(o.output)
		if err != nil {
			return err
		}
		plan := run.Outcome.Plan()
		keep(writeAtomically(o.output, func(w io.Writer) error { return plan.Write(w, format) }))
	}
	nothing := len(run.Outcome.Rejected) == len(sim.JS.Jobs)
	for _, path := range o.gantts {
		if nothing {
			if !o.quiet {
				fmt.Fprintf(o.io.err, "note: %s was not written: every job was rejected\n", path)
			}
			continue
		}
		keep(writeAtomically(path, func(w io.Writer) error { return report.DrawRun(w, pictureFormat(path), sim, run) }))
	}
	return first
}
