package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

// checkOptions are the flags and arguments of downbeat check.
type checkOptions struct {
	options.Solver
	// lost is from when on each slave in turn is to be absent, as it was written; empty
	// if that is not asked.
	lost  string
	files options.PlanFiles
	proof options.Proof
	parts options.Parts
	// solve is solve.Check but for tests.
	solve func(context.Context, *model.JobSet, solve.Options) (*solve.Verdict, error)
}

func newCheckCmd(io *terminal.Streams, run func(context.Context, *checkOptions) error) *cobra.Command {
	o := &checkOptions{solve: solve.Check}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Tell whether the hard jobs can meet their deadlines, and if not, why",
		Long: `Tell whether every hard job of the job set in FILE (YAML or JSON; - for standard
input) can meet its deadline. If not, say which jobs clash, which machines,
resource and interval are short, and what would help.

Where no job is hard there is nothing that must not be missed: then it says how many
soft deadlines the best plan found within some seconds misses, and which.

With --each-slave-lost the question is put once for each machine, which is then absent
throughout, or from a time on: which single loss breaks which job.
` + options.PartsAbout("with --each-slave-lost one for each machine") + `
Exit code 0: yes, or no job is hard. 1: proved no. 2: bad usage or input. 3: not settled within
the limit.`,
		Example: `  downbeat check nightly.yaml
  downbeat check nightly.yaml --format json --time-limit 5s
  downbeat check nightly.yaml --without fast-2@23:30
  downbeat check nightly.yaml --each-slave-lost
  downbeat check nightly.yaml --each-slave-lost --budget 3000 --shard 1/3 --resume shard-1.jsonl`,
		Args: usage.ExactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = args[0]
			if err := o.check(cmd); err != nil {
				return err
			}
			annotated := o.About(o.File, "")
			return annotated(run(cmd.Context(), o))
		},
	}
	o.AddFlags(cmd)
	o.AllowGithub(cmd)
	o.AddObjective(cmd)
	o.AddStats(cmd)
	f := cmd.Flags()
	f.StringVar(&o.lost, "each-slave-lost", "", "tell of each machine what its loss breaks, from the start on or with =TIME from then on")
	f.Lookup("each-slave-lost").NoOptDefVal = "0"
	o.files.AddFlags(cmd, "write the plan that shows it", "draw the plan that shows it")
	o.proof.AddFlags(cmd)
	o.parts.AddFlags(cmd)
	return cmd
}

// check tells what cannot work before anything is read.
func (o *checkOptions) check(cmd *cobra.Command) error {
	if err := cmp.Or(o.Check(), o.parts.Check(cmd)); err != nil {
		return err
	}
	if o.lost == "" && o.parts.Wanted() {
		return usage.Errorf("--resume, --shard and --join go with --each-slave-lost, which has pieces")
	}
	if o.lost != "" && len(o.files.Outputs)+len(o.files.Gantts) > 0 {
		return usage.Errorf("--each-slave-lost asks about many plans, of which none is written")
	}
	if o.lost != "" && o.Annotates() {
		return usage.Errorf("--each-slave-lost is a table, which has no annotations; write --format text or json")
	}
	if o.lost != "" && (o.proof.Path != "" || o.proof.Why) {
		return usage.Errorf("--each-slave-lost asks about many job sets, and --proof and --why are about one; check with --without SLAVE --proof")
	}
	if err := o.proof.Check(cmd, &o.Solver); err != nil {
		return err
	}
	return o.files.Check(cmd, o.IO, o.File)
}

func runCheck(ctx context.Context, o *checkOptions) error {
	loading, stop := o.Limit(ctx)
	defer stop()
	js, err := o.Changes.JobSet(loading, o.IO, o.File, o.Note)
	if err != nil {
		return err
	}
	if o.lost != "" {
		return o.singleFailures(ctx, js)
	}
	var verdict *solve.Verdict
	var tight *capacity.SlackAnswer
	err = o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		opt.Proof, opt.Writing, opt.Painting = o.proof.Wanted(), o.files.Writing(), o.files.Painting(js)
		if verdict, err = o.solve(ctx, js, opt); err != nil {
			return nil, err
		}
		if err = o.soft(ctx, js, verdict, opt); err != nil {
			return nil, err
		}
		tight, err = o.tightest(ctx, js, verdict.Schedule, opt)
		return verdict.Notes, err
	})
	if err != nil {
		return err
	}
	// The answer is printed even where a file cannot be written.
	unwritten, refused := o.proof.Deliver(ctx, verdict.Certificate, o.Note)
	res := &solve.Result{
		Status: verdict.Status, Proof: verdict.Proof, Schedule: verdict.Schedule, Certificate: verdict.Certificate, Elapsed: verdict.Elapsed, Seed: o.Seed,
	}
	unwritten = cmp.Or(unwritten, writePlan(&o.files, js, res, o.Note))
	if err := usage.Output(o.View().Check(js, verdict, tight, o.proof.Why)); err != nil {
		return err
	}
	if err := cmp.Or(refused, unwritten); err != nil {
		return err
	}
	switch verdict.Status {
	case model.Infeasible:
		return exit.No
	case model.Unknown:
		return exit.Unknown
	}
	return nil
}

// The slack of jobs is looked at with what takes about half a second, of sets of
// up to so many tasks.
const (
	slackWork, mostSlackTasks = 400_000, 1500
	mostSlackTime             = 5 * time.Second
)

// tightest is the slack of jobs that a plan meets the deadlines of; nil where it would take
// long.
func (o *checkOptions) tightest(ctx context.Context, js *model.JobSet, plan model.Schedule, opt solve.Options) (*capacity.SlackAnswer, error) {
	if plan == nil || len(js.Tasks) > mostSlackTasks || ctx.Err() != nil {
		return nil, nil
	}
	ctx, stop := o.aside(ctx, js, &opt, slackWork)
	defer stop()
	opt.Proof = o.proof.Certify
	return capacity.Slack(ctx, js, plan, nil, opt)
}

// aside limits what is looked at beside the answer to so much work, over the number of tasks, so
// that it is the same from run to run, but to no more than a budget that there is, and to some seconds where there is none.
func (o *checkOptions) aside(ctx context.Context, js *model.JobSet, opt *solve.Options, work int) (context.Context, context.CancelFunc) {
	stop, budget := func() {}, int64(max(1, work/(1+len(js.Tasks))))
	if opt.Budget > 0 {
		budget = min(budget, opt.Budget)
	} else {
		left := mostSlackTime
		if limit := o.Left(); limit > 0 {
			left = min(left, limit)
		}
		ctx, stop = context.WithTimeout(ctx, left)
	}
	opt.Workers, opt.TimeLimit, opt.Budget = 1, 0, budget
	return ctx, stop
}

// softWork is how much goes into the plan for soft deadlines, where there are no hard ones.
const softWork = 5 * slackWork

// soft looks at what soft deadlines come to in a set without hard ones, of which there is
// nothing else to check.
func (o *checkOptions) soft(ctx context.Context, js *model.JobSet, v *solve.Verdict, opt solve.Options) error {
	ctx, stop := o.aside(ctx, js, &opt, softWork)
	defer stop()
	return solve.Soft(ctx, js, v, opt)
}

// singleFailures puts the question once for each slave.
func (o *checkOptions) singleFailures(ctx context.Context, js *model.JobSet) (err error) {
	at, err := change.Point(js, o.lost)
	if err != nil {
		return usage.Errorf("--each-slave-lost: %v", err)
	}
	flags := append(append(o.Flags(), journal.Flag{Name: "each-slave-lost", Value: fmt.Sprint(at)}), o.proof.Flags()...)
	if err := o.parts.Open("downbeat check", js.Digest(), flags, o.Note); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.parts.Close()) }()
	var all []capacity.SingleFailure
	err = o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		opt.Proof = o.proof.Certify
		all, err = capacity.SingleFailures(ctx, js, at, o.parts.Keep(), opt)
		return nil, err
	})
	if err != nil {
		return err
	}
	if over, err := o.parts.Finish(&o.Answer); over {
		return err
	}
	if err := usage.Output(o.View().SingleFailures(js, at, all, o.proof.Certify)); err != nil {
		return err
	}
	code := error(nil)
	for i := range all {
		switch all[i].Status {
		case model.Infeasible:
			return exit.No
		case model.Unknown:
			code = exit.Unknown
		}
	}
	return code
}
