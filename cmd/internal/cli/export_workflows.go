package cli

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"downbeat/cmd/internal/export"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/near"
)

// airflowForm is the form of what Airflow can be told.
type airflowForm struct{ part options.OneOf }

const airflowLong = `Write the order of the plan in PLAN for Airflow: priority weights (weight_rule absolute)
by DAG and task, the larger the earlier the plan begins it, with the pools and slots of
the job set. By default it is a cluster policy in Python, airflow_local_settings.py;
--write weights gives the same as JSON, --write pools what airflow pools import takes.
Jobs are named by their DAG, as import airflow does. What Airflow cannot be told stands
at the head: it begins what is ready as soon as there is room, on any worker.`

func (o *airflowForm) addFlags(f *pflag.FlagSet) {
	o.part = options.OneOf{Value: "policy", Known: []string{"policy", "weights", "pools"}}
	f.Var(&o.part, "write", "a cluster policy in Python, the weights as JSON, or the pools for airflow pools import")
}

func (o *airflowForm) check() error { return nil }

func (o *airflowForm) write(w io.Writer, p *exportedPlan) error {
	a := export.AirflowOf(p.summary())
	for _, text := range a.Untold {
		p.note("%s", strings.TrimSuffix(text, "."))
	}
	switch o.part.Value {
	case "weights":
		return a.Weights(w)
	case "pools":
		return a.PoolsFile(w)
	}
	return a.Policy(w)
}

// dbtForm is the form of calls of dbt.
type dbtForm struct {
	job      string
	overhead time.Duration
}

const dbtLong = `Write the order of the plan in PLAN for dbt: a script of calls of dbt build. Within a call
dbt goes by an order of its own, least depth first and then by name, so that the nodes of
the plan, in its order, are split into calls that are done soonest; each call costs what
--overhead says. Where one call does as well there is one. The job is that of the project,
as import dbt makes it.`

func (o *dbtForm) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.job, "job", "", "the job of the project, where the set has several")
	f.DurationVar(&o.overhead, "overhead", 5*time.Second, "what a call of dbt takes before its first node begins")
}

func (o *dbtForm) check() error {
	if o.overhead < 0 {
		return usage.Errorf("--overhead %v is negative", o.overhead)
	}
	return nil
}

func (o *dbtForm) write(w io.Writer, p *exportedPlan) error {
	var names []string
	for i := range p.js.Jobs {
		names = append(names, p.js.Jobs[i].Name)
	}
	at := slices.Index(names, o.job)
	switch {
	case o.job == "" && len(names) == 1:
		at = 0
	case o.job == "":
		return usage.Errorf("the job set has %d jobs: say with --job which is that of the project", len(names))
	case at < 0:
		return usage.Errorf("--job: there is no job %q%s", o.job, usage.Hint(near.Word(o.job, names), "downbeat show lists the jobs"))
	}
	overhead := model.Time(0)
	if unit := p.js.TimeUnit; unit > 0 {
		overhead = model.Time(min((o.overhead+unit-1)/unit, time.Duration(model.MaxTime)))
	}
	calls := export.DbtOf(p.summary(), model.JobID(at), overhead, p.plan.Now)
	switch {
	case len(calls.Calls) > 0:
	case calls.Begun > 0:
		return usage.Errorf("all nodes of %s that the plan runs had begun when it was made", names[at])
	default:
		return usage.Errorf("the plan runs no node of %s", names[at])
	}
	return calls.Script(w)
}

// icsForm is the form of calendars.
type icsForm struct {
	export.Calendar
	origin originFlag
}

const icsLong = `Write the plan in PLAN as a calendar (iCalendar, RFC 5545), which calendars of people and
of phones take: an event for each job and one at its deadline, or with --tasks one for
each task, with --slave those of one machine. Events of another plan for the same job set
take the place of these.`

func (o *icsForm) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.Tasks, "tasks", false, "an event for each task in place of each job")
	f.StringVar(&o.Slave, "slave", "", "the tasks of this machine only")
	o.origin.addFlags(f)
}

func (o *icsForm) check() error { return o.origin.check() }

func (o *icsForm) write(w io.Writer, p *exportedPlan) error {
	var names []string
	for i := range p.js.Slaves {
		names = append(names, p.js.Slaves[i].Name)
	}
	if o.Slave != "" && !slices.Contains(names, o.Slave) {
		return usage.Errorf("--slave: there is no machine %q%s", o.Slave, usage.Hint(near.Word(o.Slave, names), "downbeat show lists the machines"))
	}
	when, err := export.ClockOf(p.summary(), o.origin.at)
	if err != nil {
		return err
	}
	return o.ICS(w, when)
}
