package options

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/replan"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/files/planfile"
	"downbeat/online"
	"downbeat/online/follow"
	"downbeat/solve"
)

// FollowAbout tells of the policy that package policies does not have, as it needs a file.
const FollowAbout = `  follow:PLAN            as the plan in this file says: order and machine kept, as early as can be
      :slip=TICKS        how late a task may be until any slave may have it; never if left out
      :replan=TICKS      plan the rest anew so often, after what has happened, and follow that
      :margin=PERCENT    with replan: take times for so much longer; as seen so far if left out
`

// Following is what a policy follow:PLAN[,slip=TICKS][,replan=TICKS][,margin=PERCENT] asks for.
type Following struct {
	path   string
	spec   string
	replan replan.Options
}

// replanWork bounds the search for each plan of the rest, in solve.Options.Budget, so that
// runs repeat.
const replanWork = 20

// ParseFollow reads a policy; not ok if it is another one.
func ParseFollow(spec string) (f Following, ok bool, err error) {
	text, ok := strings.CutPrefix(spec, "follow:")
	if !ok {
		if spec == "follow" {
			return f, true, usage.Errorf("--policy follow needs the file of a plan: follow:plan.json")
		}
		return f, false, nil
	}
	f = Following{spec: spec, replan: replan.Options{Slip: follow.Patient, Margin: replan.Learn, Solve: solve.Options{Budget: replanWork}}}
	for {
		at := strings.LastIndexByte(text, ',')
		name, value, is := strings.Cut(text[at+1:], "=")
		if at < 0 || !is || !slices.Contains([]string{"slip", "replan", "margin"}, name) {
			break
		}
		if err := f.set(name, value); err != nil {
			return f, true, err
		}
		text = text[:at]
	}
	if f.path = text; text == "" {
		return f, true, usage.Errorf("--policy %s needs the file of a plan: follow:plan.json", spec)
	}
	if f.replan.Every == 0 && f.replan.Margin != replan.Learn {
		return f, true, usage.Errorf("--policy %s: margin goes with replan", spec)
	}
	return f, true, nil
}

// set sets a parameter.
func (f *Following) set(name, value string) error {
	least, most, unit := int64(0), int64(model.MaxTime), "ticks"
	switch name {
	case "replan":
		least = 1
	case "margin":
		most, unit = change.MaxMargin, "percent"
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < least || n > most {
		return usage.Errorf("--policy %s: %s is a number of %s from %d to %d", f.spec, name, unit, least, most)
	}
	switch name {
	case "slip":
		f.replan.Slip = model.Time(n)
	case "replan":
		f.replan.Every = model.Time(n)
	case "margin":
		f.replan.Margin = n
	}
	return nil
}

// Load reads the plan and makes policies that follow it. A plan that was made for the set
// with its own changes, a margin say, is one for the set.
func (f Following) Load(ctx context.Context, io *terminal.Streams, js *model.JobSet, note func(string, ...any)) (func() online.Policy, error) {
	plan, err := files.Plan(ctx, io, f.path)
	if err != nil {
		return nil, err
	}
	same, err := MadeFor(ctx, js, plan)
	if err != nil {
		return nil, err
	}
	if same {
		plan.Digest = ""
	}
	schedule, notes := planfile.Schedule(plan, js)
	for _, n := range notes {
		note("%s: %s", f.path, n)
	}
	if len(plan.Tasks) == 0 {
		return nil, usage.Errorf("%s has no tasks to follow", f.path)
	}
	if n := follow.Overtaking(js, schedule); n > 0 {
		note("%s: tasks that start before others that their machine gets earlier: %d; here machines start tasks in the order in which they get them, so some may be later than planned", f.path, n)
	}
	if n := follow.Staggered(js, schedule); n > 0 {
		note("%s: tasks that are handed out after others of their gang: %d; here a gang is handed out as a whole, so some may be later than planned", f.path, n)
	}
	made := model.Time(0)
	if plan.Kind != model.KindExecuted {
		made = plan.Now
	}
	return func() online.Policy {
		if f.replan.Every > 0 {
			p := replan.New(js, schedule, f.replan)
			p.Made(made)
			return p
		}
		p := follow.New(js, schedule, f.replan.Slip)
		p.Made(made)
		return p
	}, nil
}
