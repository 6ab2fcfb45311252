package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

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
	// form writes the plan, which has tasks.
	form func(w io.Writer, js *model.JobSet, p *model.Plan, checked *check.Report) error
	// Of yarn only.
	yarn        export.Reservation
	origin, job string
}

// planForms are the formats of plans that take no flags of their own.
var planForms = []struct {
	name, short, long string
	write             func(w io.Writer, s *summary.Summary) error
}{
	{"chrome", "A trace for Perfetto and other trace viewers", `Write the plan in PLAN as a trace in Chrome's Trace Event Format, which
https://ui.perfetto.dev opens: slaves as processes, slots as threads, tasks with
their fetch and run as slices, deadlines as instants in the threads of jobs, and
counters of cores, slots, named resources, pools and caps in use.`, export.Chrome},
	{"csv", "A table of tasks for spreadsheets", `Write the tasks of the plan in PLAN as a table: where and when each runs, when its
job is released and due, what it comes after, and each point in time by the clock
as well where the job set has an origin. (plan -o plan.csv writes a plan that
validate reads back.)`, export.Table},
	{"mermaid", "A Gantt chart in Mermaid's language, for wikis", `Write the plan in PLAN as a Gantt chart that wikis draw which know Mermaid: a
section for each job, with a bar for each task; of plans with more than 200 tasks for
each stage, or for each job.`, export.Mermaid},
}

func newExportPlanCmds(io *terminal.Streams, run func(context.Context, exporter) error) []*cobra.Command {
	var all []*cobra.Command
	for _, f := range planForms {
		write := f.write
		all = append(all, newExportPlanCmd(&exportPlan{form: summarized(write)}, io, run, f.name, f.short, f.long))
	}
	all = append(all, newExportPlanCmd(&exportPlan{form: report.Markdown}, io, run, "markdown", "Tables of jobs and machines, for wikis",
		`Write the plan in PLAN as a section of a page in Markdown: what it is worth, and
tables of jobs and machines.`))
	return append(all, newExportYarnCmd(io, run))
}

// summarized is a form made of the summary of a plan.
func summarized(write func(io.Writer, *summary.Summary) error) func(io.Writer, *model.JobSet, *model.Plan, *check.Report) error {
	return func(w io.Writer, js *model.JobSet, p *model.Plan, _ *check.Report) error {
		return write(w, summary.SummarizePlan(js, p))
	}
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
	options.QuietFlag(cmd, &o.answer.Quiet)
	return cmd
}

func newExportYarnCmd(io *terminal.Streams, run func(context.Context, exporter) error) *cobra.Command {
	o := &exportPlan{yarn: export.Reservation{Queue: "dedicated", Memory: 1024}}
	o.form = o.reservations
	cmd := newExportPlanCmd(o, io, run, "yarn", "Requests to the reservation system of YARN",
		`Write the plan in PLAN as a list of submissions to YARN's ReservationSystem, one for
each job: containers stage by stage, from when the plan hands out the first task
until the deadline, or until the plan has it finished if that is later or there is no
deadline. A gang asks for all of its containers at once. YARN keeps capacity in a queue;
which machines it uses is not told, nor pools and caps.`)
	f := cmd.Flags()
	f.StringVar(&o.yarn.Queue, "queue", o.yarn.Queue, "queue in which capacity is reserved")
	f.Int64Var(&o.yarn.Memory, "memory-mb", o.yarn.Memory, "MB that a unit of the resource memory stands for, and of a container that needs none of it")
	f.StringVar(&o.origin, "origin", "", "tick 0 where the job set has no origin, like 2026-11-21T22:00:00Z")
	f.StringVar(&o.job, "job", "", "only the submission of this job")
	return cmd
}

func (o *exportPlan) check(cmd *cobra.Command) error {
	if o.file == "-" && o.plan == "-" {
		return usage.Errorf("FILE and PLAN cannot both be standard input")
	}
	if o.origin != "" {
		at, ok := clock.ParseStamp(o.origin)
		if !ok {
			return usage.Errorf("--origin: %q is no point in time; write it like 2026-11-21T22:00:00Z", o.origin)
		}
		o.yarn.Origin = at
	}
	if o.yarn.Memory < 0 {
		return usage.Errorf("--memory-mb %d is negative", o.yarn.Memory)
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
	if err := o.form(&text, js, plan, checked); err != nil {
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

// reservations is the form of yarn.
func (o *exportPlan) reservations(w io.Writer, js *model.JobSet, p *model.Plan, _ *check.Report) error {
	var jobs []model.JobID
	var names []string
	for i := range js.Jobs {
		names = append(names, js.Jobs[i].Name)
		if o.job == "" || o.job == js.Jobs[i].Name {
			jobs = append(jobs, model.JobID(i))
		}
	}
	if !slices.Contains(names, o.job) && o.job != "" {
		return usage.Errorf("--job: there is no job %q%s", o.job, usage.Hint(near.Word(o.job, names), "downbeat show lists the jobs"))
	}
	apart := func(job model.Job) bool {
		return slices.ContainsFunc(job.Stages, func(st model.Stage) bool { return st.IsApart() })
	}
	if len(js.Shared()) > 0 || slices.ContainsFunc(js.Jobs, apart) {
		o.answer.Note("YARN's reservations say nothing of pools, caps and tasks that are apart; gangs are asked for at once")
	}
	return o.yarn.Yarn(w, summary.SummarizePlan(js, p), jobs)
}
