// Package underway plans what is under way: after a plan as far as it was handed out, and
// after a run as far as it was executed.
package underway

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/files/planfile"
	"downbeat/model/near"
	"downbeat/solve"
	"downbeat/solve/night"
)

// Options say what has been planned before, and what has happened.
type Options struct{ from, now, executed string }

// AddFlags registers the flags.
func (o *Options) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "start from the plan in this file, repaired as need be")
	f.StringVar(&o.now, "now", "", "plan from this time on: what was handed out before keeps its place; ticks, a duration or a clock time")
	f.StringVar(&o.executed, "executed", "", "take what has happened from the run in this file, or from its table of tasks; without --now, up to its end")
}

// Underway reports whether the plan is to go on from what has happened.
func (o *Options) Underway() bool { return o.now != "" || o.executed != "" }

// Check tells of flags that lack others, and of files that cannot be read together; input
// is that of the job set.
func (o *Options) Check(cmd *cobra.Command, input string) error {
	for _, flag := range []string{"from", "executed"} {
		if err := options.NotEmpty(cmd, "--"+flag, flag); err != nil {
			return err
		}
	}
	if err := options.NotEmpty(cmd, "--now", "now"); err != nil {
		return usage.Errorf("--now needs a time, got an empty one")
	}
	if o.now != "" && o.from == "" && o.executed == "" {
		return usage.Errorf("--now is for what is under way; name the plan with --from, or what was executed with --executed")
	}
	read := []string{}
	for _, at := range [][2]string{{"FILE", input}, {"the plan of --from", o.from}, {"the run of --executed", o.executed}} {
		if at[1] == "-" {
			read = append(read, at[0])
		}
	}
	if len(read) > 1 {
		return usage.Errorf("%s cannot both be standard input", strings.Join(read[:2], " and "))
	}
	return nil
}

// Solver answers planning questions.
type Solver func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error)

// Work is what is to be planned.
type Work struct {
	// JS is the job set as it is to be planned, and as the answer speaks of it.
	JS *model.JobSet
	// From is the plan to start from, nil for none.
	From model.Schedule
	// Solve plans JS.
	Solve Solver
}

// Begin reads what there is of plan and run, for the job set js, which is that of file with
// changes. solver plans where nothing is under way; note takes what people should know.
func (o *Options) Begin(ctx context.Context, io *terminal.Streams, file, js *model.JobSet, solver Solver, note func(string, ...any)) (*Work, error) {
	w := &beginning{Options: o, io: io, file: file, note: note, Work: Work{JS: js, Solve: solver}}
	if o.executed != "" {
		if err := w.afterRun(ctx); err != nil {
			return nil, err
		}
		return &w.Work, nil
	}
	plan, err := w.readFrom(ctx)
	if err == nil && o.now != "" {
		err = w.afterPlan(plan)
	}
	return &w.Work, err
}

// beginning is how it comes about.
type beginning struct {
	Work
	*Options
	io   *terminal.Streams
	file *model.JobSet
	note func(string, ...any)
}

// readFrom reads the plan to start from, if there is one, and says what of it the job set
// does not know.
func (w *beginning) readFrom(ctx context.Context) (*model.Plan, error) {
	if w.from == "" {
		return nil, nil
	}
	plan, err := files.Plan(ctx, w.io, w.from)
	if err != nil {
		return nil, err
	}
	same, err := options.MadeFor(ctx, w.file, plan)
	if err != nil {
		return nil, err
	}
	if !same {
		w.note("the plan was made for another job set, or for an earlier form of this one")
	}
	plan.Digest = "" // it is told
	from, notes := planfile.Schedule(plan, w.JS)
	for _, n := range notes {
		w.note("%s", n)
	}
	w.From = from
	return plan, nil
}

// time is that of --now.
func (w *beginning) time() (model.Time, error) {
	now, err := change.Point(w.JS, w.now)
	if err != nil {
		return 0, usage.Errorf("--now: %v", err)
	}
	return now, nil
}

// afterPlan plans on after what a plan hands out before now.
func (w *beginning) afterPlan(plan *model.Plan) error {
	now, err := w.time()
	if err != nil {
		return err
	}
	if plan.Kind == model.KindExecuted {
		return usage.Errorf("--from %s: this is a run; write --executed %s for what it did", w.from, w.from)
	}
	past, err := night.After(w.JS, plan, w.From, now)
	if err != nil {
		return usage.Errorf("--now %s: %v", w.now, err)
	}
	w.goOn(past)
	return nil
}

// afterRun plans on after what a run did.
func (w *beginning) afterRun(ctx context.Context) error {
	run, err := files.Run(ctx, w.io, w.executed, w.JS)
	if err != nil {
		return err
	}
	now, err := w.timeOf(run.Plan)
	if err != nil {
		return err
	}
	w.compare(run.Plan)
	if err := w.dropRejected(run.Plan, now); err != nil {
		return err
	}
	if _, err := w.readFrom(ctx); err != nil {
		return err
	}
	past, err := w.pastOf(run.Plan, now)
	if fault := (*night.LineError)(nil); errors.As(err, &fault) {
		return files.Located(run.Fault(fault.Index, fault.Lost, fault.Message, fault.Advice))
	}
	if err != nil {
		return err
	}
	w.goOn(past)
	return nil
}

// timeOf is the time of --now, or else that of the run.
func (w *beginning) timeOf(run *model.Plan) (model.Time, error) {
	if w.now != "" {
		return w.time()
	}
	now := night.TimeOf(run)
	if now > model.MaxTime {
		return 0, usage.Errorf("%s: the run has times beyond %d; say with --now what time it is", w.executed, model.MaxTime)
	}
	if run.Now == 0 {
		w.note("it is taken to be %s, when all has happened that %s tells of; --now says otherwise", w.clock().Point(now), w.executed)
	}
	return now, nil
}

func (w *beginning) clock() wording.Clock { return wording.ClockOf(w.JS) }

// compare says where the run was one of another job set.
func (w *beginning) compare(run *model.Plan) {
	if slices.Equal(run.Changes, w.JS.Changes) {
		if run.Digest != "" && run.Digest != w.JS.Digest() {
			w.note("%s is a run of another job set, or of an earlier form of this one", w.executed)
		}
		return
	}
	for _, c := range run.Changes {
		if !slices.Contains(w.JS.Changes, c) {
			w.note("%s is a run %s; say --%s %s if that holds", w.executed, change.Sentence(w.JS, c), c.Kind, change.Flag(c))
		}
	}
}

// dropRejected leaves out the jobs that the run has rejected.
func (w *beginning) dropRejected(run *model.Plan, now model.Time) error {
	drops := night.Rejected(w.JS, run, now)
	if len(drops) == 0 {
		return nil
	}
	js, err := change.Apply(w.JS, drops)
	if err != nil {
		return usage.Errorf("%s: the run rejects every job: %v", w.executed, err)
	}
	w.note("jobs that the run has rejected, and that are left out: %d, %s among them", len(drops), drops[0].Name)
	w.JS = js
	return nil
}

// mostUnknown is how many jobs that are not in the set are named.
const mostUnknown = 6

// pastOf is the past of a run, with what there is to say of it. As far as it goes like the plan
// to start from it is taken to be that, if it can be.
func (w *beginning) pastOf(run *model.Plan, now model.Time) (*night.Past, error) {
	record, err := night.ReadAfter(w.JS, run, now, w.From)
	if err != nil {
		return nil, err
	}
	past, err := record.Past()
	for k, job := range record.Unknown {
		if k == mostUnknown {
			w.note("nor are there %d more jobs of it", len(record.Unknown)-k)
			break
		}
		meant := ""
		if m := near.Word(job, wording.NamesOfJobs(w.JS, w.JS.JobOrder())); m != "" {
			meant = "; did you mean " + m + "?"
		}
		w.note("there is no job %s: what %s says of it is left out%s", job, w.executed, meant)
	}
	if record.Lost > 0 {
		w.note("attempts that %s has lost: %d", w.executed, record.Lost)
	}
	if record.Later > 0 {
		w.note("what %s says of %s or later is passed over: %s, the first of %s", w.executed, w.clock().Point(now), wording.Count(record.Later, "line"), record.FirstLater)
	}
	if n := len(record.Moved); n > 0 && err == nil {
		w.note("begun between two heartbeats when what they waited for had ended, and taken to have begun at the second: %d, %s among them", n, w.JS.TaskName(record.Moved[0]))
	}
	if n := len(record.Fresh); n > 0 && err == nil {
		w.note("begun since the last heartbeat, when what they waited for had ended, and planned as if they had not: %d, %s among them", n, w.JS.TaskName(record.Fresh[0]))
	}
	return past, err
}

// goOn plans on after a past.
func (w *beginning) goOn(past *night.Past) {
	js, now := past.Declared, w.clock().Point(past.Now)
	keep := "were handed out before %s and keep their places"
	if past.Tasks() == 1 {
		keep = "was handed out before %s and keeps its place"
	}
	w.note("%d of %d tasks "+keep, past.Tasks(), len(js.Tasks), now)
	if meant := w.clock().Colonless(w.now, past.Tasks() < len(js.Tasks)); meant != "" {
		w.note("--now %s counts ticks; a clock time is written %s", w.now, meant)
	}
	for _, of := range []struct {
		tasks     []model.TaskID
		one, many string
	}{
		{past.Lost, "was lost with its machine and is to be handed out anew", "were lost with their machines and are to be handed out anew"},
		{past.Parted, "is to be handed out anew with its gang", "are to be handed out anew with their gangs"},
		{past.Doomed, "will not end before its machine goes away and is to be handed out anew", "will not end before their machines go away and are to be handed out anew"},
		{past.Overdue, "runs for longer than declared and is taken to end a tick after " + now, "run for longer than declared and are taken to end a tick after " + now},
	} {
		switch n := len(of.tasks); {
		case n == 1:
			w.note("1 task %s: %s", of.one, js.TaskName(of.tasks[0]))
		case n > 1:
			w.note("%d tasks %s, %s among them", n, of.many, js.TaskName(of.tasks[0]))
		}
	}
	w.JS = past.Set
	w.Solve = func(ctx context.Context, _ *model.JobSet, opt solve.Options) (*solve.Result, error) {
		return night.Plan(ctx, past, opt)
	}
}
