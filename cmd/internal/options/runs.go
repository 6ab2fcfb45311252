package options

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/schedulers"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/near"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/external"
	"downbeat/online/policies"
)

// Runs are what simulate and bench have in common: the policies, and what
// befalls their runs.
type Runs struct {
	Policies   []string
	Durations  string
	MTBF, MTTR string
	// Follows is set where policies may follow a plan.
	Follows bool
	// Exec makes the policies.
	Exec schedulers.Exec
	// record is the file that keeps what is said to programs.
	record string
}

// Recorded runs what runs these policies, and where it is asked for keeps in a file what is said between the
// runs and their programs, as it comes. The file must not be the input.
func (o *Runs) Recorded(io *terminal.Streams, policies []string, input string, run func() error) error {
	if o.record == "" {
		return run()
	}
	if !o.Exec.Programs(policies) {
		return usage.Errorf("--record keeps what is said to the program of exec:COMMAND, and none is among the policies")
	}
	if err := files.CheckTarget(io, o.record, input); err != nil {
		return err
	}
	f, err := os.Create(o.record)
	if err != nil {
		return files.Error(o.record, err)
	}
	o.Exec.Record = external.NewRecord(f)
	err = run()
	if unwritten := cmp.Or(o.Exec.Record.Err(), f.Close()); err == nil && unwritten != nil {
		return files.Error(o.record, unwritten)
	}
	return err
}

// DefaultAnswerLimit is how long a program that is a policy may take for an answer.
const DefaultAnswerLimit = 10 * time.Second

// ExecAbout tells of the policies that programs decide.
const ExecAbout = `  exec:COMMAND           as a program says, which speaks JSON lines (docs/exec-policies.md)
`

// AddFlags registers the flags; ticks says what times may be written in.
func (o *Runs) AddFlags(cmd *cobra.Command, policies []string, ticks string) {
	f := cmd.Flags()
	f.StringArrayVar(&o.Policies, "policy", policies, "policies, with commas between them, or all; LABEL=POLICY calls one LABEL in all that is said; may be repeated")
	f.DurationVar(&o.Exec.Limit, "answer-limit", DefaultAnswerLimit, "how long the program of exec:COMMAND may take for an answer, or a job set, 0 for ever")
	f.StringVar(&o.record, "record", "", "keep in this file what is said between runs and the programs of exec:COMMAND, a line of JSON to each line")
	f.StringVar(&o.Durations, "durations", "worst", "actual execution times: worst, history (as the job set tells, a draw for each group; history:task for each task), uniform:LO,HI, normal:MEAN,SD[,MOST], lognormal:MU,SIGMA[,MOST] or stragglers:SHARE,USUAL[,SLOW], as factors of the worst case; those above 1 let tasks overrun")
	f.StringVar(&o.MTBF, "mtbf", "", "mean time until a machine fails, in "+ticks+"; goes with --mttr")
	f.StringVar(&o.MTTR, "mttr", "", "mean time until a machine that failed is back, in "+ticks)
}

// whereListed tells where all policies stand, if one was named that is like none of them.
func whereListed(err error) string {
	var unknown *policies.UnknownError
	if errors.As(err, &unknown) && near.Word(unknown.Name, unknown.Known) == "" {
		return "; downbeat simulate --help tells of them"
	}
	return ""
}

// Specs are the policies by name, each once.
func (o *Runs) Specs() ([]string, error) {
	if o.Exec.Limit < 0 {
		return nil, usage.Errorf("--answer-limit %v is negative", o.Exec.Limit)
	}
	var specs []string
	for _, text := range o.Policies {
		for _, spec := range policies.Split(text) {
			if spec == "all" {
				specs = append(specs, schedulers.Names()...)
				continue
			}
			_, ok, err := ParseFollow(spec)
			if ok && o.Follows {
				if err != nil {
					return nil, err
				}
			} else if label, text := external.Label(spec); label != "" && strings.HasPrefix(text, "follow:") {
				return nil, usage.Errorf("--policy %s: a plan that is followed takes no label; write %s", spec, text)
			} else if spec, err = o.Exec.Named(spec); err != nil {
				return nil, usage.Errorf("--policy: %v", err)
			} else if _, err := o.Exec.New(spec, 0); err != nil {
				return nil, usage.Errorf("--policy: %v%s", err, whereListed(err))
			}
			specs = append(specs, spec)
		}
	}
	for i, s := range specs {
		if slices.Contains(specs[:i], s) {
			return nil, usage.Errorf("--policy names %s twice", s)
		}
	}
	return specs, nil
}

// Actual are the actual execution times, nil for the declared ones.
func (o *Runs) Actual() (online.Durations, error) {
	d, err := durations.Parse(o.Durations)
	if err != nil {
		return nil, usage.Errorf("--durations: %v", err)
	}
	return d, nil
}

// FaultsPaired tells of --mtbf without --mttr.
func (o *Runs) FaultsPaired() error {
	if (o.MTBF == "") != (o.MTTR == "") {
		return usage.Errorf("--mtbf and --mttr go together: how long until a machine fails, and until it is back")
	}
	return nil
}

// Faults are the failures of slaves, nil if none are asked for. Durations need
// the length of a tick, 0 if there is none.
func (o *Runs) Faults(unit time.Duration) (*online.Faults, error) {
	if err := o.FaultsPaired(); err != nil || o.MTBF == "" {
		return nil, err
	}
	up, err := meanTicks("--mtbf", o.MTBF, unit)
	if err != nil {
		return nil, err
	}
	away, err := meanTicks("--mttr", o.MTTR, unit)
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
		return 0, usage.Errorf("%s %s: write a positive number of ticks, %d at most (durations need a job set with time_unit)", flag, text, model.MaxTime)
	}
	return 0, usage.Errorf("%s %s: write a positive number of ticks, %d at most, or a duration such as 90m", flag, text, model.MaxTime)
}
