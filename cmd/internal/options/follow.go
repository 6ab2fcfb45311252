package options

import (
	"context"
	"strconv"
	"strings"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/planfile"
	"downbeat/online"
	"downbeat/online/follow"
)

// FollowAbout tells of the policy that package policies does not have, as it needs a file.
const FollowAbout = `  follow:PLAN            as the plan in this file says: order and slave kept, as early as can be
      :slip=TICKS        how late a task may be until any slave may have it; never if left out
`

// Following is what a policy follow:PLAN[,slip=TICKS] asks for.
type Following struct {
	path string
	slip model.Time
}

// ParseFollow reads a policy; not ok if it is another one.
func ParseFollow(spec string) (f Following, ok bool, err error) {
	text, ok := strings.CutPrefix(spec, "follow:")
	if !ok {
		if spec == "follow" {
			return f, true, usage.Errorf("--policy follow needs the file of a plan: follow:plan.json")
		}
		return f, false, nil
	}
	f.slip = follow.Patient
	if at := strings.LastIndex(text, ",slip="); at >= 0 {
		n, err := strconv.ParseInt(text[at+len(",slip="):], 10, 64)
		if err != nil || n < 0 || n > int64(model.MaxTime) {
			return f, true, usage.Errorf("--policy %s: slip is a number of ticks from 0 to %d", spec, model.MaxTime)
		}
		f.slip, text = model.Time(n), text[:at]
	}
	if f.path = text; text == "" {
		return f, true, usage.Errorf("--policy %s needs the file of a plan: follow:plan.json", spec)
	}
	return f, true, nil
}

// Load reads the plan and makes policies that follow it. A plan that was made for the set
// with its own changes, a margin say, is one for the set.
func (f Following) Load(ctx context.Context, io *terminal.Streams, js *model.JobSet, note func(string, ...any)) (func() online.Policy, error) {
	plan, err := files.Plan(ctx, io, f.path)
	if err != nil {
		return nil, err
	}
	if changed, err := change.Apply(js, plan.Changes); err == nil && changed.Digest() == plan.Digest {
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
		note("%s: tasks that start before others that their slave gets earlier: %d; here slaves start tasks in the order in which they get them, so some may be later than planned", f.path, n)
	}
	return func() online.Policy { return follow.New(js, schedule, f.slip) }, nil
}
