package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/export"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/clock"
	"downbeat/model/near"
)

// exportPlan are the flags and arguments of a command that exports plans.
type exportPlan struct {
	exported
	answer options.Answer // for notes
	plan   string
	form   planForm
}

// planForm is a format of plans, with the flags that it takes.
type planForm interface {
	addFlags(f *pflag.FlagSet)
	// check tells what cannot work before anything is read.
	check() error
	// write writes the plan, which has tasks, and notes what people should know.
	write(w io.Writer, p *exportedPlan) error
}

// exportedPlan is a plan as a form gets it.
type exportedPlan struct {
	ctx     context.Context // of the command, for forms that read files
	js      *model.JobSet
	plan    *model.Plan
	checked *check.Report
	// declared is the job set as its file has it, before the changes of the plan: labels have its
	// digest.
	declared *model.JobSet
	note     func(format string, args ...any)
}

// summary is what there is to say of the plan.
func (p *exportedPlan) summary() *summary.Summary { return summary.SummarizePlan(p.js, p.plan) }

// plain is a form without flags.
type plain func(w io.Writer, p *exportedPlan) error

func (plain) addFlags(*pflag.FlagSet)                    {}
func (plain) check() error                               { return nil }
func (f plain) write(w io.Writer, p *exportedPlan) error { return f(w, p) }

// planForms are the formats of plans.
func planForms() []struct {
	name, short, long string
	form              planForm
} {
	return []struct {
		name, short, long string
		form              planForm
	}{
		{"chrome", "A trace for Perfetto and other trace viewers", `Write the plan in PLAN as a trace in Chrome's Trace Event Format, which
https://ui.perfetto.dev opens: slaves as processes, slots as threads, tasks with
their fetch and run as slices, deadlines as instants in the threads of jobs, and
counters of cores, slots, named resources, pools and caps in use.`, summarized(export.Chrome)},
		{"csv", "A table of tasks for spreadsheets", `Write the tasks of the plan in PLAN as a table: where and when each runs, when its
job is released and due, what it comes after, and each point in time by the clock
as well where the job set has an origin. (plan -o plan.csv writes a plan that
validate reads back.)`, summarized(export.Table)},
		{"mermaid", "A Gantt chart in Mermaid's language, for wikis", `Write the plan in PLAN as a Gantt chart that wikis draw which know Mermaid: a
section for each job, with a bar for each task; of plans with more than 200 tasks for
each stage, or for each job.`, summarized(export.Mermaid)},
		{"markdown", "Tables of jobs and machines, for wikis", `Write the plan in PLAN as a section of a page in Markdown: what it is worth, and
tables of jobs and machines.`, plain(func(w io.Writer, p *exportedPlan) error { return report.Markdown(w, p.js, p.plan, p.checked) })},
		{"airflow", "The order of the plan for Airflow: priority weights and pools", airflowLong, &airflowForm{}},
		{"dbt", "The order of the plan for dbt: a script of calls", dbtLong, &dbtForm{}},
		{"ics", "A calendar of jobs and deadlines, or of tasks (iCalendar)", icsLong, &icsForm{}},
		{"yarn", "Requests to the reservation system of YARN", `Write the plan in PLAN as a list of submissions to YARN's ReservationSystem, one for
each job: containers stage by stage, from when the plan hands out the first task
until the deadline, or until the plan has it finished if that is later or there is no
deadline. A gang asks for all of its containers at once. YARN keeps capacity in a queue;
which machines it uses is not told, nor pools and caps.`, &yarnForm{Reservation: export.Reservation{Queue: "dedicated", Memory: 1024}}},
		{"slurm", "A script that submits the plan to Slurm", `Write the plan in PLAN as a script for bash that submits it to Slurm: a job for each
task, or an array of those that begin together on a node, told when it may begin, on
which node, what it holds, how long it may take, and the jobs before it; a gang is one
job on several nodes. What Slurm cannot be told stands at the head. Of a plan made by
plan --now only what is handed out from then on is submitted, after what waits of the
plan before is cancelled.`, &slurmForm{Slurm: export.Slurm{Memory: 1024, Grace: 5 * time.Minute, Deadlines: true}}},
		{"kubernetes", "Suspended Jobs of Kubernetes, on the nodes and for the times of the plan", `Write the plan in PLAN as manifests of Jobs for kubectl apply: each suspended, on its
node, with what its tasks need. --start-script writes the shell script that un-suspends
them at their times, after those that they come after. Names of slaves are those of
nodes (the label kubernetes.io/hostname).`, &kubernetesForm{}},
		{"kueue", "Suspended Jobs for a queue of Kueue, with priorities in the order of the plan", `Write the plan in PLAN as manifests of Jobs and classes of priority for Kueue, which
admits them in the order of the plan as its quota allows and leaves nodes to the
scheduler. --start-script writes the shell script that gives their queue to Jobs that come
after others or are released later.`, &kubernetesForm{kueue: true}},
	}
}

func newExportPlanCmds(io *terminal.Streams, run func(context.Context, exporter) error) []*cobra.Command {
	var all []*cobra.Command
	for _, f := range planForms() {
		all = append(all, newExportPlanCmd(&exportPlan{form: f.form}, io, run, f.name, f.short, f.long))
	}
	return all
}

// summarized is a form made of the summary of a plan.
func summarized(write func(io.Writer, *summary.Summary) error) planForm {
	return plain(func(w io.Writer, p *exportedPlan) error { return write(w, p.summary()) })
}

func newExportPlanCmd(o *exportPlan, io *terminal.Streams, run func(context.Context, exporter) error, name, short, long string) *cobra.Command {
	o.io, o.answer.IO = io, io
	cmd := &cobra.Command{
		Use:   name + " FILE PLAN",
		Short: short,
		Long: long + `

PLAN (JSON, YAML or CSV) is for the job set in FILE; either may be - for standard
input. Where the plan names changes to the job set, they are made first. A plan that
breaks a rule is written all the same, with a note.`,
		Example: "  downbeat export " + name + " nightly.yaml plan.json",
		Args:    usage.ExactArgs("FILE", "PLAN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file, o.plan = args[0], args[1]
			return exportRun(cmd, o, run)
		},
	}
	o.addFlags(cmd)
	o.form.addFlags(cmd.Flags())
	options.QuietFlag(cmd, &o.answer.Quiet)
	return cmd
}

func (o *exportPlan) check(cmd *cobra.Command) error {
	if o.file == "-" && o.plan == "-" {
		return usage.Errorf("FILE and PLAN cannot both be standard input")
	}
	if err := o.form.check(); err != nil {
		return err
	}
	return o.checkTarget(cmd, "output", o.output, o.file, o.plan)
}

func (o *exportPlan) run(ctx context.Context) error {
	js, plans, err := o.answer.Plans(ctx, o.file, o.plan)
	if err != nil {
		return err
	}
	plan := plans[0]
	if len(plan.Tasks) == 0 {
		return usage.Errorf("%s: there is no task in this plan", o.plan)
	}
	checked := check.Plan(js, plan)
	if !checked.OK() {
		o.answer.Note("the plan is not valid; downbeat validate names what is wrong")
	}
	var text bytes.Buffer
	if err := o.form.write(&text, &exportedPlan{ctx: ctx, js: js, plan: plan, checked: checked, declared: o.answer.Declared, note: o.answer.Note}); err != nil {
		return o.fault(err)
	}
	return o.write(func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err })
}

// fault makes what a plan cannot be written for a fault of the call.
func (o *exportPlan) fault(err error) error {
	var bars *export.TooManyBars
	if errors.As(err, &bars) || errors.Is(err, export.ErrNoClock) {
		return usage.Errorf("%s: %v", o.file, err)
	}
	return err
}

// originFlag is tick 0 on the clock, for formats that tell the time by it.
type originFlag struct {
	text string
	at   time.Time // zero if not given
}

func (o *originFlag) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.text, "origin", "", "tick 0 where the job set has no origin, like 2026-11-21T22:00:00Z")
}

func (o *originFlag) check() error {
	if o.text == "" {
		return nil
	}
	at, ok := clock.ParseStamp(o.text)
	if !ok {
		return usage.Errorf("--origin: %q is no point in time; write it like 2026-11-21T22:00:00Z", o.text)
	}
	o.at = at
	return nil
}

// yarnForm is the form of YARN's reservations.
type yarnForm struct {
	export.Reservation
	origin originFlag
	job    string
	memory *pflag.Flag // --memory-mb
}

func (o *yarnForm) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Queue, "queue", o.Queue, "queue in which capacity is reserved")
	f.Int64Var(&o.Memory, "memory-mb", o.Memory, "MB that a unit of the resource memory stands for, and of a task that needs none of it")
	o.memory = f.Lookup("memory-mb")
	o.origin.addFlags(f)
	f.StringVar(&o.job, "job", "", "only the submission of this job")
}

func (o *yarnForm) check() error {
	if o.Memory < 0 {
		return usage.Errorf("--memory-mb %d is negative", o.Memory)
	}
	return o.origin.check()
}

func (o *yarnForm) write(w io.Writer, p *exportedPlan) error {
	var jobs []model.JobID
	var names []string
	for i := range p.js.Jobs {
		names = append(names, p.js.Jobs[i].Name)
		if o.job == "" || o.job == p.js.Jobs[i].Name {
			jobs = append(jobs, model.JobID(i))
		}
	}
	if !slices.Contains(names, o.job) && o.job != "" {
		return usage.Errorf("--job: there is no job %q%s", o.job, usage.Hint(near.Word(o.job, names), "downbeat show lists the jobs"))
	}
	apart := func(job model.Job) bool {
		return slices.ContainsFunc(job.Stages, func(st model.Stage) bool { return st.IsApart() })
	}
	if len(p.js.Shared()) > 0 || slices.ContainsFunc(p.js.Jobs, apart) {
		p.note("YARN's reservations say nothing of pools, caps and tasks that are apart; gangs are asked for at once")
	}
	when, err := export.ClockOf(p.summary(), o.origin.at)
	if err != nil {
		return err
	}
	noteMemory(p, o.memory)
	return o.Yarn(w, when, jobs)
}

// noteMemory tells what a unit of memory is taken for where --memory-mb does not say, since imports
// count in MB and sets written by hand in GB.
func noteMemory(p *exportedPlan, flag *pflag.Flag) {
	if !flag.Changed && export.HasMemory(p.js) {
		p.note("a unit of memory is taken for %s MB; --memory-mb says it, as --memory-mb 1 for a job set that import has made in MB", flag.DefValue)
	}
}

// slurmForm is the form of scripts for Slurm.
type slurmForm struct {
	export.Slurm
	origin originFlag
	memory *pflag.Flag // --memory-mb
}

func (o *slurmForm) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Command, "command", "", "what runs a task, in the shell's language: {job}, {stage} and {task} stand for its names and number, each a word; a sleep as long as planned if not given")
	f.Int64Var(&o.Memory, "memory-mb", o.Memory, "MB that a unit of the resource memory stands for, and of a task that needs none of it")
	o.memory = f.Lookup("memory-mb")
	f.DurationVar(&o.Grace, "grace", o.Grace, "how much longer than planned a task may run before Slurm ends it")
	f.StringArrayVar(&o.Options, "sbatch", nil, "option for every sbatch, such as -pnight; may be repeated")
	f.BoolVar(&o.Licences, "licenses", false, "pools are licences of Slurm, of the same names")
	f.BoolVar(&o.Deadlines, "deadlines", o.Deadlines, "tell Slurm of hard deadlines: it removes a task that cannot meet its own")
	f.BoolVar(&o.Queued, "queued", false, "the jobs wait in Slurm's queue already, under the names of the job set: tell them when and where, and submit none")
	f.BoolVar(&o.Reservations, "reservations", false, "reserve nodes, by scontrol, in place of submitting jobs")
	o.origin.addFlags(f)
}

func (o *slurmForm) check() error {
	if err := export.CheckCommand(o.Command); err != nil {
		return usage.Errorf("--command %q: %v", o.Command, err)
	}
	switch {
	case o.Memory < 1:
		return usage.Errorf("--memory-mb %d is less than 1", o.Memory)
	case o.Queued && o.Reservations:
		return usage.Errorf("--queued and --reservations are two things; give one of them")
	case o.Grace < 0:
		return usage.Errorf("--grace %v is negative", o.Grace)
	}
	for _, option := range o.Options {
		if !strings.HasPrefix(option, "-") {
			return usage.Errorf("--sbatch %q is no option; write --sbatch=--partition=night", option)
		}
	}
	return o.origin.check()
}

func (o *slurmForm) write(w io.Writer, p *exportedPlan) error {
	when, err := export.ClockOf(p.summary(), o.origin.at)
	if err != nil {
		return err
	}
	if !o.Queued && !o.Reservations {
		noteMemory(p, o.memory)
	}
	return o.Write(w, when, p.plan.Now, p.declared.Digest())
}
