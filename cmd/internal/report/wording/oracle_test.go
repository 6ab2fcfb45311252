package wording

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
)

// judge holds a first line against the plan and against exhaustive search.
type judge struct {
	t        *testing.T
	seed     uint64
	js       *model.JobSet
	res      *solve.Result
	finishes []model.Time
	text     string
	// left is the part of the text that is not judged yet.
	left string
}

// take cuts a pattern off the front of what is left, and answers with its groups; nil if it is
// not there.
func (j *judge) take(pattern string) []string {
	m := regexp.MustCompile(`^(?:` + pattern + `)`).FindStringSubmatch(j.left)
	if m != nil {
		j.left = j.left[len(m[0]):]
	}
	return m
}

func (j *judge) must(holds bool, what string) {
	j.t.Helper()
	if !holds {
		j.t.Errorf("seed %d: %q: %s", j.seed, j.text, what)
	}
}

func (j *judge) number(text string) model.Time {
	j.t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	j.must(err == nil, text+" is no number")
	return model.Time(n)
}

// late counts the late jobs of a kind.
func (j *judge) late(kind model.JobKind) (n int, most model.Time) {
	for i := range j.js.Jobs {
		if late := j.js.Jobs[i].Late(j.finishes[i]); late > 0 && j.js.Jobs[i].Kind == kind {
			n, most = n+1, max(most, late)
		}
	}
	return n, most
}

func (j *judge) job(name string) int {
	return slices.IndexFunc(j.js.Jobs, func(x model.Job) bool { return x.Name == name })
}

// lateIs judges that a job is so late.
func (j *judge) lateIs(name, ticks string) {
	j.t.Helper()
	i := j.job(name)
	j.must(i >= 0 && j.js.Jobs[i].Late(j.finishes[i]) == j.number(ticks), name+" is not "+ticks+" late")
}

// edited is the set with jobs that are not what they were.
func (j *judge) edited(edit func(i int, job *model.Job)) *model.JobSet {
	js := *j.js
	js.Jobs = slices.Clone(js.Jobs)
	for i := range js.Jobs {
		edit(i, &js.Jobs[i])
	}
	js.SetHorizon()
	return &js
}

// least is the least value of objectives among the plans that meet all hard deadlines of a set;
// nil if there are none.
func (j *judge) least(js *model.JobSet, goal ...model.Objective) []int64 {
	j.t.Helper()
	answer, err := oracle.SolveFor(js, goal, false)
	if err != nil {
		j.t.Fatalf("seed %d: %v", j.seed, err)
	}
	if answer.Status != model.Infeasible && answer.Values == nil {
		return []int64{}
	}
	return answer.Values
}

// within is the set whose jobs must end no later than in the plan where they are late, else in
// time; and all of them by end, if it is not 0.
func (j *judge) within(end model.Time, but int) *model.JobSet {
	return j.edited(func(i int, job *model.Job) {
		due := model.Time(1000)
		if job.Kind != model.BestEffort {
			due = max(job.Due(), j.finishes[i])
		}
		if i == but {
			due = j.finishes[i] - 1
		}
		if end > 0 {
			due = min(due, end)
		}
		job.Kind, job.Deadline = model.Hard, due-job.Release
	})
}

// lead judges what is said of the plan itself, of soft jobs.
func (j *judge) lead() {
	soft, most := j.late(model.Soft)
	hard, _ := j.late(model.Hard)
	j.must(hard == 0, "hard jobs are late")
	timed := 0
	for i := range j.js.Jobs {
		if j.js.Jobs[i].Kind != model.BestEffort {
			timed++
		}
	}
	switch {
	case j.take(`all hard deadlines are met; |the hard deadline is met; `) != nil:
		j.softLate(soft, most)
	case j.take(`both jobs are in time|both jobs with deadlines are in time`) != nil:
		j.must(soft == 0 && timed == 2, "there are other jobs")
	case j.take(`the only job with a deadline is in time|j\d+ is in time`) != nil:
		j.must(soft == 0 && timed == 1, "there are other jobs")
	case j.take(`the job is done by (\d+)|both jobs are done by (\d+)|all \d+ jobs are done by (\d+)`) != nil:
		j.must(timed == 0, "there are deadlines")
	default:
		if m := j.take(`all (\d+) jobs (?:with deadlines )?are in time`); m != nil {
			j.must(soft == 0 && model.Time(timed) == j.number(m[1]), "another number is in time")
			return
		}
		j.softLate(soft, most)
		switch {
		case j.take(`, the others are in time`) != nil:
			j.must(timed-soft > 1, "there are no others")
		case j.take(`, the other is in time`) != nil:
			j.must(timed-soft == 1, "there is not one other")
		}
	}
}

// softLate judges which soft jobs are late.
func (j *judge) softLate(n int, most model.Time) {
	if m := j.take(`(\d+) jobs are late, by up to (\d+) ticks? \((\w+)\)`); m != nil {
		j.must(j.number(m[1]) == model.Time(n) && j.number(m[2]) == most, "another number is late")
		j.lateIs(m[3], m[2])
		return
	}
	m := j.take(`(\w+) is (\d+) ticks? late`)
	if m == nil {
		j.must(false, "nothing is said of late jobs")
		return
	}
	told := 1
	for ; m != nil; m = j.take(`(?:, | and )(j\d+) (\d+) ticks?`) {
		j.lateIs(m[1], m[2])
		told++
	}
	j.must(told == n+1, "not all late jobs are named")
}

// claims judges what is said of other plans.
func (j *judge) claims() (kind string) {
	js, end := j.js, model.Time(0)
	if m := j.take(` \(all is done by (\d+)\)`); m != nil {
		end = j.number(m[1])
		j.must(slices.Max(j.finishes) == end, "it is done at another time")
	}
	inTime := j.edited(func(_ int, job *model.Job) {
		if job.Kind == model.Soft {
			job.Kind = model.Hard
		}
	})
	alike := j.edited(func(_ int, job *model.Job) { job.Weight = min(job.Weight, 1) })
	soft, most := j.late(model.Soft)
	rest := j.left
	switch {
	case j.left == "":
		return "none"
	case j.take(`, and no plan does better$`) != nil:
		for i := range js.Jobs {
			if js.Jobs[i].Late(j.finishes[i]) > 0 {
				j.must(j.least(j.within(end, i)) == nil, js.Jobs[i].Name+" can be less late")
			}
		}
		if end > 0 {
			j.must(j.least(j.within(end-1, -1)) == nil, "all can be done sooner")
		}
	case j.take(`, and no plan is done sooner$`) != nil:
		j.must(j.least(js, model.Makespan)[0] == int64(slices.Max(j.finishes)), "a plan is done sooner")
	case j.take(`, and no plan in time is done sooner$`) != nil:
		j.must(j.least(inTime, model.Makespan)[0] == int64(slices.Max(j.finishes)), "a plan is done sooner")
	case j.take(`; there may be a better plan$`) != nil:
	default:
		if m := j.take(`; no plan (in time )?is done before (\d+)$`); m != nil {
			of := js
			if m[1] != "" {
				of = inTime
			}
			j.must(j.least(of, model.Makespan)[0] >= int64(j.number(m[2])), "a plan is done before")
			break
		}
		if m := j.take(`; at least (\d+) jobs? must be late(?:, by (\d+) ticks? or more)?$`); m != nil {
			j.must(j.least(alike, model.Misses)[0] >= int64(j.number(m[1])), "fewer can be late")
			if m[2] != "" {
				j.must(j.least(js, model.Tardiness)[0] >= int64(j.number(m[2])), "they can be less late")
			}
			break
		}
		j.noBetter(alike, soft, most)
	}
	j.must(j.left == "", "not judged: "+j.left)
	return regexp.MustCompile(`\d+( tick)?s?`).ReplaceAllString(rest, "N$1")
}

// noBetter judges that no plan has smaller values.
func (j *judge) noBetter(alike *model.JobSet, soft int, most model.Time) {
	switch {
	case j.take(`, and no plan has fewer late jobs`) != nil:
		j.must(j.least(alike, model.Misses)[0] == int64(soft), "a plan has fewer")
	case j.take(`, and no plan has a smaller largest delay`) != nil:
		j.must(j.least(j.js, model.Tardiness)[0] == int64(most), "a plan has a smaller one")
	case j.take(`, and no plan is done sooner`) != nil:
		j.must(j.least(j.js, model.Makespan)[0] == int64(slices.Max(j.finishes)), "a plan is done sooner")
	default:
		m := j.take(`, and no plan does better by ([a-z ]+(?:, then [a-z ]+)*)`)
		if m == nil {
			return
		}
		of := map[string]model.Objective{
			"number of late jobs": model.Misses, "weight of late jobs": model.Misses, "largest delay": model.Tardiness,
			"weighted delay": model.WeightedTardiness, "last finish": model.Makespan,
		}
		var goal []model.Objective
		var values []int64
		for _, name := range strings.Split(m[1], ", then ") {
			o, known := of[name]
			j.must(known, "no measure: "+name)
			goal, values = append(goal, o), append(values, j.js.Value(o, j.finishes))
		}
		j.must(slices.Equal(j.least(j.js, goal...), values), "a plan does better")
	}
	j.take(`; by [a-z ]+ one may be better$`)
}

// relaxed judges what is said of hard deadlines that are missed.
func (j *judge) relaxed() {
	best, err := oracle.LeastBad(j.js, nil, nil, 0)
	if err != nil {
		j.t.Fatal(err)
	}
	switch {
	case j.take(`hard deadlines cannot all be met: `) != nil:
		j.must(best.Values[0] > 0, "they can be met")
	default:
		j.must(j.take(`no plan that meets all hard deadlines is known: in this one `) != nil, "no answer")
	}
	n, most := j.late(model.Hard)
	m := j.take(`(\d+) of (\d+) (?:is|are) missed`)
	j.must(m != nil && j.number(m[1]) == model.Time(n) && int(j.number(m[2])) == len(JobsOf(j.js, model.Hard)), "another number is missed")
	if m := j.take(`, by up to (\d+) ticks? \((\w+)\)`); m != nil {
		j.must(j.number(m[1]) == most, "more late")
		j.lateIs(m[2], m[1])
	}
	for m := j.take(`, (j\d+) by (\d+) ticks?`); m != nil; m = j.take(`(?:, | and )(j\d+) by (\d+) ticks?`) {
		j.lateIs(m[1], m[2])
	}
	switch {
	case j.take(`, and no plan misses fewer or by less`) != nil, j.take(`, and no plan misses fewer, or as few with a smaller largest delay`) != nil:
		j.must(best.Values[0] == int64(n) && best.Values[1] == int64(most), "a plan is less bad")
	case j.take(`, and no plan misses fewer`) != nil:
		j.must(best.Values[0] == int64(n), "a plan misses fewer")
	default:
		if m := j.take(`, and at least (\d+) must be`); m != nil {
			j.must(best.Values[0] >= int64(j.number(m[1])), "a plan misses fewer")
		}
	}
	if soft, late := j.late(model.Soft); soft > 0 {
		j.must(j.take(`; `) != nil, "nothing of soft jobs")
		j.softLate(soft, late)
	}
	j.must(j.left == "", "not judged: "+j.left)
}

// clash judges which jobs cannot be in time.
func (j *judge) clash() {
	names, said := "", false
	if m := j.take(`([\w, ]+) cannot (?:both |all )?be in time(, even (?:each )?alone)?: `); m != nil {
		names, said = m[1], m[2] == ""
	}
	j.must(j.take(`hard deadlines cannot all be met$`) != nil, "no answer")
	j.must(j.least(j.js) == nil, "hard deadlines can be met")
	if names == "" || strings.Contains(names, " more") {
		return
	}
	of := strings.Split(strings.ReplaceAll(names, " and ", ", "), ", ")
	if said {
		of = []string{names}
	}
	for _, group := range of { // each alone, or all together with the others not in a hurry
		jobs := strings.Split(strings.ReplaceAll(group, " and ", ", "), ", ")
		only := j.edited(func(_ int, job *model.Job) {
			if !slices.Contains(jobs, job.Name) && job.Kind == model.Hard {
				job.Kind = model.Soft
			}
		})
		j.must(j.least(only) == nil, group+" can be in time")
	}
}

// choices are all sets of soft and free jobs that a plan may leave out.
func choices(js *model.JobSet, yield func(out []bool)) {
	confined := js.Confined()
	for set := range 1 << len(js.Jobs) {
		out, fine := make([]bool, len(js.Jobs)), true
		for i := range out {
			out[i] = set>>i&1 == 1
		}
		for i, left := range out {
			behind := slices.ContainsFunc(js.Jobs[i].After, func(k model.JobID) bool { return out[k] })
			fine = fine && (!behind || left) && (!left || behind || confined != nil && confined[i]) && (!left || js.Jobs[i].Kind != model.Hard)
		}
		if fine {
			yield(out)
		}
	}
}

// leaving judges what is said of other plans where jobs may be left out.
func (j *judge) leaving() {
	res, leaves := j.res, make([]bool, len(j.js.Jobs))
	for _, i := range res.LeftOut {
		leaves[i] = true
	}
	plain := strings.HasSuffix(j.text, ", and no plan does better")
	m := regexp.MustCompile(`, and no plan does better by ([a-z ]+(?:, then [a-z ]+)*)`).FindStringSubmatch(j.text)
	if !plain && m == nil {
		j.must(!strings.Contains(j.text, "no plan") && !strings.Contains(j.text, "must be"), "something is claimed")
		return
	}
	named := 0
	if m != nil {
		named = len(strings.Split(m[1], ", then "))
	}
	var goal []model.Objective
	var values []int64
	for _, v := range res.Objectives {
		if o, err := model.ParseObjective(v.Name); err == nil {
			goal = append(goal, o)
		}
		values = append(values, v.Value)
	}
	if len(res.LeftOut) == 0 {
		values = append([]int64{0, 0}, values...)
		if named > 0 {
			named += 2
		}
	}
	choices(j.js, func(out []bool) {
		var in []model.JobID
		weight, count, more, fewer := int64(0), int64(0), false, false
		for i, left := range out {
			if more, fewer = more || left && !leaves[i], fewer || !left && leaves[i]; !left {
				in = append(in, model.JobID(i))
				continue
			}
			if count++; j.js.Jobs[i].Kind == model.Soft {
				weight += j.js.Jobs[i].Weight
			}
		}
		if len(in) == 0 {
			return
		}
		if named > 0 {
			sub := j.js.Subset(in)
			answer := j.least(sub, goal...)
			if answer == nil {
				return
			}
			lost := slices.Clone(answer)
			for k, o := range goal {
				if o == model.Misses {
					lost[k] += weight
				}
			}
			best := append([]int64{weight, count}, lost...)
			j.must(slices.Compare(best[:named], values[:named]) >= 0, "a plan does better")
			return
		}
		if more {
			return
		}
		end := model.Time(0)
		if v := valueOf(res.Objectives, model.Makespan); v != nil && !fewer {
			end = model.Time(v.Value)
		}
		capped := j.within(end, -1)
		feasible := func(edit int, by model.Time) bool {
			js := *capped
			js.Jobs = slices.Clone(capped.Jobs)
			for i := range js.Jobs {
				if leaves[i] {
					js.Jobs[i].Kind, js.Jobs[i].Deadline = model.BestEffort, 0
				}
			}
			if edit >= 0 {
				js.Jobs[edit].Deadline -= by
			}
			return j.least(js.Subset(in)) != nil
		}
		if fewer {
			j.must(!feasible(-1, 0), "a plan leaves less out")
			return
		}
		for _, i := range in {
			if j.js.Jobs[i].Late(j.finishes[i]) > 0 {
				j.must(!feasible(int(i), 1), j.js.Jobs[i].Name+" can be less late")
			}
		}
	})
}

// Where jobs are left out the first line is true of all plans, whatever these leave out.
func TestAnswersThatLeaveOutAgreeWithExhaustiveSearch(t *testing.T) {
	testkit.OneGoroutine(t)
	left, plain, by := 0, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 800, 4000)) {
		js := gen.GoneTiny(seed)
		if js.Leavable() == nil {
			continue
		}
		opt := solve.Options{Seed: seed, Workers: 1, NoConflict: true}
		if seed%4 == 0 {
			opt.Budget = int64(1 + seed%97)
		}
		js.TimeUnit = 0
		res, err := solve.Plan(context.Background(), js, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if res.Schedule == nil {
			continue
		}
		j := &judge{t: t, seed: seed, js: js, res: res, finishes: js.Finishes(res.Schedule), text: Answer(js, res)}
		j.leaving()
		if len(res.LeftOut) > 0 {
			left++
			j.must(strings.Contains(j.text, "left out") || strings.HasPrefix(j.text, "no job runs"), "nothing is left out")
		}
		if strings.HasSuffix(j.text, "no plan does better") {
			plain++
		} else if strings.Contains(j.text, "does better by") {
			by++
		}
	}
	if t.Logf("%d plans leave jobs out; %d are best in all, %d by measures", left, plain, by); left < 50 || plain < 50 || by < 3 {
		t.Error("too few to tell")
	}
}

// Whatever the limit, the first line is true: of the plan, and of all others by exhaustive search.
func TestAnswersAgreeWithExhaustiveSearch(t *testing.T) {
	testkit.OneGoroutine(t)
	kinds := map[string]int{}
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 800, 8000)) {
		js := gen.Tiny(seed / 2)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed / 2)
		}
		js.TimeUnit = 0
		opt := solve.Options{Seed: seed, Workers: 1, Relax: seed%3 == 0}
		if seed%4 != 0 {
			opt.Budget = int64(1 + seed%4*(seed%29))
		}
		res, err := solve.Plan(context.Background(), js, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		j := &judge{t: t, seed: seed, js: js, res: res, text: Answer(js, res)}
		j.left = j.text
		if res.Schedule != nil {
			j.finishes = js.Finishes(res.Schedule)
		}
		switch {
		case res.Schedule == nil && res.Status == model.Infeasible:
			j.clash()
			kinds["clash"]++
		case res.Schedule == nil:
			j.must(res.Status == model.Unknown && strings.HasPrefix(j.text, "no answer within the limit"), "an answer")
			kinds["no answer"]++
		case res.Relaxed:
			j.relaxed()
			kinds["relaxed"]++
		default:
			j.lead()
			kinds[j.claims()]++
		}
	}
	for _, want := range []string{"clash", "relaxed", "none", ", and no plan does better", ", and no plan has fewer late jobs",
		", and no plan is done sooner", ", and no plan in time is done sooner", "; at least N job must be late", "; at least N job must be late, by N tick or more"} {
		if kinds[want] < 3 {
			t.Errorf("%q was said %d times only", want, kinds[want])
		}
	}
	t.Log(kinds)
}
