package wording

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/conflict"
)

// ended is a set of jobs, each of a task on a machine of its own, and a plan in which they end
// when it is said: "etl hard 60 90" is due at 60 and ends at 90, "etl hard 60" is left out, as its
// machine is never there. Soft jobs weigh 1, or what stands behind ×; free ones have no deadline.
func ended(t *testing.T, jobs string) (*model.JobSet, model.Schedule) {
	t.Helper()
	kinds := map[string]model.JobKind{"hard": model.Hard, "soft": model.Soft, "free": model.BestEffort}
	js := &model.JobSet{Heartbeat: 1, TimeUnit: time.Minute, Origin: time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)}
	var plan model.Schedule
	texts := strings.Split(jobs, ", ")
	nowhere := model.ConstRow(len(texts), 0)
	for i, text := range texts {
		var name, kind string
		var due, end model.Time
		n, _ := fmt.Sscan(text, &name, &kind, &due, &end)
		kind, weight, _ := strings.Cut(kind, "×")
		job := model.Job{Name: name, Kind: kinds[kind], Deadline: due}
		fmt.Sscan(weight, &job.Weight)
		slave, placed := model.Slave{Name: "m-" + name, Class: "m-" + name, Cores: 1, Slots: 1}, model.Placement{Slave: model.SlaveID(i)}
		if n < 4 {
			placed.Slave, slave.Down, end = model.NoSlave, []model.Interval{{Start: 0, End: model.Never}}, 1
		}
		row := nowhere.With([]model.SlaveID{model.SlaveID(i)}, end)
		job.Stages = []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(row, nowhere)}}}}
		js.Slaves, js.Jobs, plan = append(js.Slaves, slave), append(js.Jobs, job), append(plan, placed)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js, plan
}

// valued are objectives: "misses 1 1, tardiness 30" has a value of 1 with a bound of 1, and one of
// 30 without a bound.
func valued(text string) []model.ObjectiveValue {
	var out []model.ObjectiveValue
	for _, one := range strings.Split(text, ", ") {
		v, bound := model.ObjectiveValue{}, int64(0)
		if n, _ := fmt.Sscan(one, &v.Name, &v.Value, &bound); n == 3 {
			v.Bound = &bound
		}
		if v.Name != "" {
			out = append(out, v)
		}
	}
	return out
}

// The first line says no more than what is proved.
func TestAnswer(t *testing.T) {
	const opt, some, not, unknown = model.Optimal, model.Feasible, model.Infeasible, model.Unknown
	for _, c := range []struct {
		jobs, values string
		status       model.Status
		want         string
	}{
		// Nothing is late.
		{"a hard 60 60, b hard 60 9, c hard 9 9", "", some, "all 3 jobs are in time"},
		{"a hard 60 60, b soft 60 9, c hard 9 9", "misses 0 0", opt, "all 3 jobs are in time"},
		{"a hard 60 60, b soft 60 9, c free 0 9, d hard 9 9", "misses 0 0", opt, "all 3 jobs with deadlines are in time"},
		{"a hard 60 60, b free 0 9", "", some, "the only job with a deadline is in time"},
		{"a soft 60 60", "misses 0 0", opt, "a is in time"},
		{"a soft 60 60, b soft 9 9", "misses 0", some, "both jobs are in time"},
		{"a hard 60 60, b soft 60 9", "misses 0 0, moves 3 1", some, "both jobs are in time"},
		// One is late.
		{"a hard 60 60, b hard 60 9, s soft 9 39", "misses 1 1, tardiness 30 30", opt, "all hard deadlines are met; s is 30m late, and no plan does better"},
		{"a hard 60 60, s soft 9 39", "misses 1 1, tardiness 30 30", opt, "the hard deadline is met; s is 30m late, and no plan does better"},
		{"a soft 60 60, b soft 60 9, s soft 9 39", "tardiness 30 30", opt, "s is 30m late, the others are in time, and no plan does better"},
		{"a soft 60 60, s soft 9 39", "misses 1 1", opt, "s is 30m late, the other is in time, and no plan has fewer late jobs"},
		{"a soft×3 60 60, s soft 9 39", "misses 1 1", opt, "s is 30m late, the other is in time, and no plan does better by weight of late jobs"},
		{"s soft 9 39", "misses 1 1, tardiness 30 20", some, "s is 30m late, and no plan has fewer late jobs; by largest delay one may be better"},
		{"s soft 9 39", "misses 1 1, tardiness 30 30, moves 9 2", some, "s is 30m late, and no plan does better by number of late jobs, then largest delay; 9 tasks move, at least 2 must for that"},
		{"s soft 9 39", "misses 1 1, tardiness 30 30, moves 1", some, "s is 30m late, and no plan does better by number of late jobs, then largest delay; 1 task moves, fewer may do"},
		{"s soft 9 39", "misses 1 1, tardiness 30 30, moves 2 2", some, "s is 30m late, and no plan does better"},
		{"s soft 9 39", "misses 1 0", some, "s is 30m late; there may be a better plan"},
		{"s soft 9 39", "misses 1", some, "s is 30m late; there may be a better plan"},
		{"s soft 9 39", "", some, "s is 30m late"},
		{"s soft 9 39", "tardiness 30 10", some, "s is 30m late; at least 1 job must be late, by 10m or more"},
		{"s soft 9 39", "weighted-tardiness 30 10", some, "s is 30m late; at least 1 job must be late"},
		// More are late.
		{"a soft 60 60, s soft 9 39, r soft 9 19, q soft 9 99", "misses 3 3, tardiness 90 90", opt,
			"q is 1h30m late, s 30m and r 10m, the other is in time, and no plan does better by number of late jobs, then largest delay"},
		{"s soft 9 39, r soft 9 19", "tardiness 30 30", opt, "s is 30m late and r 10m, and no plan has a smaller largest delay"},
		{"s soft 9 39, r soft 9 19", "misses 2 2, weighted-tardiness 40 40", opt, "s is 30m late and r 10m, and no plan does better"},
		{"h hard 9 9, i hard 9 9, s soft 9 39, r soft 9 19, q soft 9 99, p soft 9 10", "misses 4 2", some,
			"all hard deadlines are met; 4 jobs are late, by up to 1h30m (q); at least 2 jobs must be late"},
		{"s soft×5 9 39, r soft×3 9 19, q soft 9 99, p soft 9 10", "misses 10 6", some, "4 jobs are late, by up to 1h30m (q); at least 2 jobs must be late"},
		// The end counts.
		{"a free 0 50, b free 0 60, c free 0 1", "makespan 60 60", opt, "all 3 jobs are done by 23:00, and no plan is done sooner"},
		{"a free 0 50, b free 0 60", "makespan 60 50", some, "both jobs are done by 23:00; no plan is done before 22:50"},
		{"a free 0 50", "makespan 50", some, "the job is done by 22:50"},
		{"a hard 60 60, b free 0 80", "makespan 80 80", opt, "the only job with a deadline is in time (all is done by 23:20), and no plan is done sooner"},
		{"a soft 60 60, b free 0 80", "misses 0 0, makespan 80 80", opt, "the only job with a deadline is in time (all is done by 23:20), and no plan in time is done sooner"},
		{"a soft 60 60, b free 0 80", "misses 0 0, makespan 80 70", some, "the only job with a deadline is in time (all is done by 23:20); no plan in time is done before 23:10"},
		{"a soft 60 70", "makespan 70 70", opt, "a is 10m late (all is done by 23:10), and no plan is done sooner"},
		{"a soft 60 70", "makespan 70 60", some, "a is 10m late (all is done by 23:10); no plan is done before 23:00"},
		{"a soft 60 70", "misses 1 1, makespan 70 70", opt, "a is 10m late (all is done by 23:10), and no plan does better by number of late jobs, then last finish"},
		{"a soft 60 70", "makespan 70 70, tardiness 10 10", opt, "a is 10m late (all is done by 23:10), and no plan does better"},
		// Jobs are left out.
		{"a soft 60 60, b soft 60 60, g soft 60", "left-out-weight 1 1, left-out 1 1, misses 1 1", opt, "2 jobs are in time; g is left out, and no plan does better"},
		{"a soft 60 70, g soft 60, h free 0", "left-out-weight 1 1, left-out 2 2, misses 2 2", opt,
			"a is 10m late; g and h are left out, and no plan does better by weight left out, then jobs left out, then number of late jobs"},
		{"a soft 60 70, g soft 60", "left-out-weight 1 0, left-out 1, misses 2", some, "a is 10m late; g is left out; there may be a better plan"},
		{"a hard 60 60, g soft 60, h free 0, i free 0, j free 0", "", some, "1 job is in time; 4 jobs are left out"},
		{"g free 0", "left-out-weight 0 0, left-out 1 1, makespan 0 0", opt, "no job runs; g is left out, and no plan does better"},
	} {
		js, plan := ended(t, c.jobs)
		if got := Answer(js, &solve.Result{Status: c.status, Schedule: plan, Objectives: valued(c.values)}); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.jobs, c.values, got, c.want)
		}
	}
	// Hard deadlines are missed.
	for _, c := range []struct {
		jobs, values string
		status       model.Status
		want         string
	}{
		{"a hard 60 75, b hard 9 9", "hard-misses 1 1, hard-tardiness 15 15, hard-total-tardiness 15 15", not,
			"hard deadlines cannot all be met: 1 of 2 is missed, a by 15m, and no plan misses fewer or by less"},
		{"a hard 60 75, b hard 9 9, s soft 9 39", "hard-misses 1 1, hard-tardiness 15 9, misses 1", not,
			"hard deadlines cannot all be met: 1 of 2 is missed, a by 15m, and no plan misses fewer; s is 30m late"},
		{"a hard 60 75, b hard 9 19", "hard-misses 2 2, hard-tardiness 15 15, hard-total-tardiness 25", not,
			"hard deadlines cannot all be met: 2 of 2 are missed, a by 15m and b by 10m, and no plan misses fewer, or as few with a smaller largest delay"},
		{"a hard 60 75, b hard 9 19", "hard-misses 2 1", not, "hard deadlines cannot all be met: 2 of 2 are missed, a by 15m and b by 10m, and at least 1 must be"},
		{"a hard 60 75, b hard 9 19", "hard-misses 2", not, "hard deadlines cannot all be met: 2 of 2 are missed, a by 15m and b by 10m"},
		{"a hard 60 75, b hard 9 19", "hard-misses 2 0", unknown, "no plan that meets all hard deadlines is known: in this one 2 of 2 are missed, a by 15m and b by 10m"},
		{"a hard 9 75, b hard 9 19, c hard 9 19, d hard 9 99, e hard 9 9", "hard-misses 4 4", not,
			"hard deadlines cannot all be met: 4 of 5 are missed, by up to 1h30m (d), and no plan misses fewer"},
		{"a hard 60, b hard 9 9", "hard-misses 1 1, left-out-weight 0 0, left-out 1 1", not,
			"hard deadlines cannot all be met: 1 of 2 is missed, and no plan misses fewer; a is left out"},
	} {
		js, plan := ended(t, c.jobs)
		if got := Answer(js, &solve.Result{Status: c.status, Relaxed: true, Schedule: plan, Objectives: valued(c.values)}); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.jobs, c.values, got, c.want)
		}
	}
}

// Where the length of a tick is not known, delays are numbers of ticks.
func TestAnswerInTicks(t *testing.T) {
	js, plan := ended(t, "a soft 9 10, b soft 9 12, c free 0 20")
	js.TimeUnit = 0
	got := Answer(js, &solve.Result{Status: model.Feasible, Schedule: plan, Objectives: valued("tardiness 3 2, makespan 20")})
	if want := "b is 3 ticks late and a 1 tick (all is done by 20); at least 1 job must be late, by 2 ticks or more"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Without a plan the first line says which jobs cannot be in time.
func TestAnswerWithoutAPlan(t *testing.T) {
	js, _ := ended(t, "a hard 9 9, b hard 9 9, c hard 9 9, d hard 9 9, e hard 9 9, s soft 9 9")
	const all = ": hard deadlines cannot all be met"
	for want, res := range map[string]*solve.Result{
		"no answer within the limit: neither a plan that meets all hard deadlines nor a proof that there is none": {},
		"hard deadlines cannot all be met":                 {Status: model.Infeasible},
		"a cannot be in time, even alone" + all:            {Status: model.Infeasible, Conflict: &solve.Conflict{Jobs: []model.JobID{0}}},
		"a cannot be in time" + all:                        {Status: model.Infeasible, Conflict: &solve.Conflict{Jobs: []model.JobID{0, 5}}},
		"a and b cannot both be in time" + all:             {Status: model.Infeasible, Conflict: &solve.Conflict{Jobs: []model.JobID{0, 1, 5}}},
		"a, b and d cannot all be in time" + all:           {Status: model.Infeasible, Conflict: &solve.Conflict{Jobs: []model.JobID{0, 1, 3}}},
		"a, b, c and 2 more cannot all be in time" + all:   {Status: model.Infeasible, Conflict: &solve.Conflict{Jobs: []model.JobID{0, 1, 2, 3, 4}}},
		"b and c cannot be in time, even each alone" + all: {Status: model.Infeasible, Conflict: &solve.Conflict{Jobs: []model.JobID{2}}, Analysis: &solve.Analysis{Alone: []conflict.Alone{{Job: 1}, {Job: 2}}}},
	} {
		if got := Answer(js, res); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		verdict := &solve.Verdict{Status: res.Status, Conflict: res.Conflict, Analysis: res.Analysis}
		if got := VerdictAnswer(js, verdict); got != want {
			t.Errorf("check: got  %s\nwant %s", got, want)
		}
	}
}

// The answer to a question about hard deadlines says where there are none.
func TestVerdictAnswer(t *testing.T) {
	for jobs, want := range map[string]string{
		"a hard 9 9, b hard 9 9, s soft 9 9": "both hard deadlines can be met",
		"a hard 9 9, s soft 9 9":             "the hard deadline of a can be met",
		"s soft 9 9, f free 0 9":             "there are no hard deadlines that could be missed",
	} {
		js, _ := ended(t, jobs)
		if got := VerdictAnswer(js, &solve.Verdict{Status: model.Feasible}); got != want {
			t.Errorf("%s: got %s, want %s", jobs, got, want)
		}
	}
	js, _ := ended(t, "a hard 9 9, b hard 9 9, g soft 9")
	if got, want := VerdictAnswer(js, &solve.Verdict{Status: model.Feasible, LeftOut: []model.JobID{2}}), "both hard deadlines can be met; g is left out"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Of a plan from anywhere nothing is claimed.
func TestTold(t *testing.T) {
	js, _ := ended(t, "a hard 9 9, b hard 9 19, s soft 9 9, f free 0 9")
	for _, c := range []struct {
		finishes []model.Time
		rejected []model.JobID
		want     string
	}{
		{[]model.Time{9, 9, 9, 9}, nil, "all 3 jobs with deadlines are in time"},
		{[]model.Time{9, 19, 12, 9}, nil, "1 of 2 hard deadlines is missed, b by 10m; s is 3m late"},
		{[]model.Time{9, 0, 12, 0}, []model.JobID{1, 3}, "1 of 2 hard deadlines is missed; s is 3m late; b and f are rejected"},
		{[]model.Time{9, 9, 12, 0}, []model.JobID{3}, "all hard deadlines are met; s is 3m late; f is rejected"},
		{[]model.Time{model.Never, 9, 12, 9}, nil, "1 of 2 hard deadlines is missed; s is 3m late; a is left out"},
		{[]model.Time{0, 0, 0, 0}, []model.JobID{0, 1, 2, 3}, "2 of 2 hard deadlines are missed; 4 jobs are rejected"},
	} {
		if got := OutcomeOf(js, c.finishes, c.rejected).Told(); got != c.want {
			t.Errorf("%v: got %s, want %s", c.finishes, got, c.want)
		}
	}
}
