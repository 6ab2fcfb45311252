package options

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/clock"
)

// Changes are the changes to the job set that a call asks for, in its order.
type Changes struct {
	wanted []wantedChange
	// clock is that of the job set that was read last.
	clock clock.Clock
	file  *model.JobSet
}

// File is the job set as the file has it, once it was loaded.
func (o *Changes) File() *model.JobSet { return o.file }

// wantedChange is one as it was written.
type wantedChange struct {
	kind change.Kind
	text string
}

// changeFlag is a flag that adds a change each time it is given.
type changeFlag struct {
	kind change.Kind
	form string
	to   *Changes
}

// String implements pflag.Value.
func (f *changeFlag) String() string { return "" }

// Set implements pflag.Value.
func (f *changeFlag) Set(text string) error {
	f.to.wanted = append(f.to.wanted, wantedChange{f.kind, text})
	return nil
}

// Type implements pflag.Value.
func (f *changeFlag) Type() string { return f.form }

// AddFlags registers a flag for each kind of change.
func (o *Changes) AddFlags(cmd *cobra.Command) {
	for _, f := range []struct {
		kind         change.Kind
		form, effect string
	}{
		{change.Without, "SLAVE[@TIME]", "what if this machine or class were absent, from then on"},
		{change.Count, "CLASS=N", "what if the class had N machines: the highest numbers go, or new ones come"},
		{change.Pool, "NAME=N", "what if there were N of the pool, at all times"},
		{change.Deadline, "JOB=TIME", "what if the job had this deadline, after its release or by the clock"},
		{change.Drop, "JOB", "what if this job were left out"},
		{change.Soften, "JOB", "what if the deadline of this job were soft"},
		{change.Margin, "[JOB=]PERCENT", "what if the tasks of the job, or all tasks, took so much longer, to fetch and to run"},
	} {
		cmd.Flags().Var(&changeFlag{f.kind, f.form, o}, string(f.kind), f.effect+"; may be repeated")
	}
}

// Words are the flags again.
func (o *Changes) Words() []string { return wordsOf(o.wanted) }

func wordsOf(wanted []wantedChange) (words []string) {
	for _, w := range wanted {
		words = append(words, "--"+string(w.kind)+"="+w.text)
	}
	return words
}

// JobSet loads the job set in a file and changes it.
func (o *Changes) JobSet(ctx context.Context, io *terminal.Streams, file string, note func(string, ...any)) (*model.JobSet, error) {
	js, _, err := o.JobSets(ctx, io, file, note)
	return js, err
}

// JobSets is JobSet, and the job set as online policies know it: without the absences that
// begin during the night.
func (o *Changes) JobSets(ctx context.Context, io *terminal.Streams, file string, note func(string, ...any)) (js, known *model.JobSet, err error) {
	if js, err = files.JobSet(ctx, io, file, note); err != nil {
		return nil, nil, err
	}
	known, o.file, o.clock = js, js, clock.Of(js)
	// Counts come first, of classes as the file declares them: so the order of flags means nothing.
	wanted := slices.Clone(o.wanted)
	rank := func(w wantedChange) int {
		if w.kind == change.Count {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(wanted, func(a, b wantedChange) int { return rank(a) - rank(b) })
	for len(wanted) > 0 {
		together := max(1, slices.IndexFunc(append(wanted, wantedChange{}), func(w wantedChange) bool { return w.kind != change.Count }))
		var changes []change.Change
		for _, w := range wanted[:together] {
			c, err := change.Parse(w.kind, w.text, js)
			if err != nil {
				return nil, nil, usage.Of(err)
			}
			changes = append(changes, c)
			_, ticks, _ := strings.Cut(w.text, "@")
			if meant := o.clock.Colonless(ticks, !afterAll(js, c.At)); meant != "" && c.Kind == change.Without && c.At > 0 {
				note("--%s %s counts ticks; a clock time is written %s@%s", w.kind, w.text, c.Name, meant)
			}
		}
		if js, err = change.Apply(js, changes); err != nil {
			return nil, nil, usage.Of(fmt.Errorf("%s: %w", strings.Join(wordsOf(wanted[:together]), " "), err))
		}
		wanted = wanted[together:]
		if c := changes[0]; c.Kind == change.Without && c.At > 0 {
			continue
		}
		if known, err = change.Apply(known, changes); err != nil {
			return nil, nil, usage.Of(err)
		}
	}
	if len(known.Changes) == len(js.Changes) {
		known = js
	}
	return js, known, o.stranded(js)
}

// afterAll reports whether all jobs are released and due before a time.
func afterAll(js *model.JobSet, t model.Time) bool {
	return !slices.ContainsFunc(js.Jobs, func(job model.Job) bool { return job.Release+job.Deadline >= t })
}

// stranded is the fault of machines that are taken away from the beginning where a task can then
// run on none: no plan could ever have had it.
func (o *Changes) stranded(js *model.JobSet) error {
	var without []string
	for _, w := range o.wanted {
		if w.kind == change.Without {
			without = append(without, "--without "+w.text)
		}
	}
	if without == nil {
		return nil
	}
	if tasks := js.Nowhere(); tasks != nil {
		id := js.Tasks[tasks[0]].Job
		job := js.Jobs[id].Name
		if m := js.Misfit(id); m != nil {
			return usage.Of(fmt.Errorf("%s: then stage %s of %s %s; --drop %s leaves its job out", strings.Join(without, " "), js.Jobs[id].Stages[m.Stage].Name, job, m.Problem, job))
		}
		return usage.Of(fmt.Errorf("%s: then task %s can run on no machine; --drop %s leaves its job out", strings.Join(without, " "), js.TaskName(tasks[0]), job))
	}
	return nil
}
