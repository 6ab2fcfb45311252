package wording

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/model"
	"downbeat/solve"
)

// Answer says of a plan, or why there is none, what people ask first: is all in time, and if
// not, what is late, by how much, and does any plan do better? Each of its parts is proved, or
// seen in the plan. [Headline] is the same as the solver has it.
func Answer(js *model.JobSet, res *solve.Result) string {
	switch {
	case res.Schedule == nil && res.Status == model.Infeasible:
		return clashText(js, res.Conflict, res.Analysis)
	case res.Schedule == nil:
		return Unanswered
	}
	o := OutcomeOf(js, js.Finishes(res.Schedule), nil)
	switch {
	case !res.Relaxed:
		return o.inTime(res.Objectives)
	case res.Status == model.Infeasible:
		return "hard deadlines cannot all be met: " + o.relaxed(res.Objectives)
	}
	return "no plan that meets all hard deadlines is known: in this one " + o.relaxed(res.Objectives)
}

// LimitEnded says why more is not known, NoAnswer begins an answer where nothing is.
const (
	LimitEnded = "a limit ended the search"
	NoAnswer   = "no answer within the limit: "
)

// Unanswered is the answer where nothing was found out.
const Unanswered = NoAnswer + "neither a plan that meets all hard deadlines nor a proof that there is none"

// VerdictAnswer is Answer for the question whether hard deadlines can be met.
func VerdictAnswer(js *model.JobSet, v *solve.Verdict) string {
	switch v.Status {
	case model.Infeasible:
		return clashText(js, v.Conflict, v.Analysis)
	case model.Unknown:
		return Unanswered
	}
	hard := JobsOf(js, model.Hard)
	text := fmt.Sprintf("all %d hard deadlines can be met", len(hard))
	switch len(hard) {
	case 0:
		text = "there are no hard deadlines that could be missed"
	case 1:
		text = fmt.Sprintf("the hard deadline of %s can be met", table.Printable(js.Jobs[hard[0]].Name))
	case 2:
		text = "both hard deadlines can be met"
	}
	return text + leftOutText(js, v.LeftOut)
}

// mostNamed is how many jobs a first line names: of more it tells the number.
const mostNamed = 3

// clashText says which hard jobs cannot be in time even alone, else which cannot all be.
func clashText(js *model.JobSet, c *solve.Conflict, a *solve.Analysis) string {
	const all = "hard deadlines cannot all be met"
	var alone []model.JobID
	if a != nil {
		for i := range a.Alone {
			alone = append(alone, a.Alone[i].Job)
		}
	}
	switch {
	case len(alone) > 1:
		return someJobs(js, alone) + " cannot be in time, even each alone: " + all
	case len(alone) == 1:
		return someJobs(js, alone) + " cannot be in time, even alone: " + all
	case c == nil:
		return all
	}
	if clash := Clash(js, c.Jobs); clash != "" {
		return clash + ": " + all
	}
	return all
}

// Clash says that the hard ones of jobs which do not fit cannot be in time; empty where none is hard.
func Clash(js *model.JobSet, jobs []model.JobID) string {
	hard := slices.DeleteFunc(slices.Clone(jobs), func(i model.JobID) bool { return js.Jobs[i].Kind != model.Hard })
	switch {
	case len(hard) == 0:
		return ""
	case len(jobs) == 1:
		return someJobs(js, hard) + " cannot be in time, even alone"
	case len(hard) == 1:
		return someJobs(js, hard) + " cannot be in time"
	case len(hard) == 2:
		return someJobs(js, hard) + " cannot both be in time"
	}
	return someJobs(js, hard) + " cannot all be in time"
}

// someJobs names jobs, the first of them where they are many.
func someJobs(js *model.JobSet, jobs []model.JobID) string {
	return table.Printable(Listed(AtMost(NamesTogether(js, jobs), mostNamed), "and"))
}

// Outcome is what becomes of the jobs of a set in a plan or a run.
type Outcome struct {
	js       *model.JobSet
	finishes []model.Time
	// hard and soft are the late jobs of these kinds, the latest first.
	hard, soft []model.JobID
	// out are the jobs that are left out, rejected those that a run rejected; absent marks both.
	out, rejected []model.JobID
	absent        []bool
}

// OutcomeOf is the outcome of finishes (see [model.JobSet.Finishes]), in which jobs that were
// rejected mean nothing.
func OutcomeOf(js *model.JobSet, finishes []model.Time, rejected []model.JobID) *Outcome {
	o := &Outcome{js: js, finishes: finishes, rejected: rejected, absent: make([]bool, len(js.Jobs))}
	for _, id := range rejected {
		o.absent[id] = true
	}
	for i := range js.Jobs {
		id, job := model.JobID(i), &js.Jobs[i]
		switch {
		case o.absent[i]:
		case finishes[i] == model.Never:
			o.out, o.absent[i] = append(o.out, id), true
		case job.Late(finishes[i]) == 0:
		case job.Kind == model.Hard:
			o.hard = append(o.hard, id)
		default:
			o.soft = append(o.soft, id)
		}
	}
	for _, late := range [][]model.JobID{o.hard, o.soft} {
		slices.SortStableFunc(late, func(a, b model.JobID) int { return cmp.Compare(o.late(b), o.late(a)) })
	}
	return o
}

func (o *Outcome) late(id model.JobID) model.Time { return o.js.Jobs[id].Late(o.finishes[id]) }

// Told says what is so, and claims nothing of other plans.
func (o *Outcome) Told() string {
	text := o.metText()
	if o.missed() > 0 {
		text = o.hardText("hard deadline")
		if soft := o.softText(); soft != "" {
			text += "; " + soft
		}
	}
	return text + leftOutText(o.js, o.out) + aside(o.js, o.rejected, "rejected")
}

// inTime is the answer for a plan that meets all hard deadlines, with what is proved of it.
func (o *Outcome) inTime(values []model.ObjectiveValue) string {
	text := o.metText() + leftOutText(o.js, o.out)
	if done := valueOf(values, model.Makespan); done != nil && o.deadlines() > 0 {
		text += fmt.Sprintf(" (all is done by %s)", ClockOf(o.js).Point(model.Time(done.Value)))
	}
	return text + o.claim(values)
}

// relaxed is the answer for a plan that misses hard deadlines, with what is proved of it.
func (o *Outcome) relaxed(values []model.ObjectiveValue) string {
	text := o.hardText("")
	misses, largest := valueOf(values, model.HardMisses), valueOf(values, model.HardTardiness)
	switch {
	case misses == nil || misses.Bound == nil || *misses.Bound == 0:
	case *misses.Bound < misses.Value:
		text += fmt.Sprintf(", and at least %d must be", *misses.Bound)
	case largest == nil || !closed(*largest) || len(o.hard) == 0:
		text += ", and no plan misses fewer"
	case misses.Value == 1:
		text += ", and no plan misses fewer or by less"
	default:
		text += ", and no plan misses fewer, or as few with a smaller largest delay"
	}
	if soft := o.softText(); soft != "" {
		text += "; " + soft
	}
	return text + leftOutText(o.js, o.out)
}

// deadlines is the number of jobs that have one, and are not left out or rejected.
func (o *Outcome) deadlines() int {
	n := 0
	for i := range o.js.Jobs {
		if o.js.Jobs[i].Kind != model.BestEffort && !o.absent[i] {
			n++
		}
	}
	return n
}

// metText says what is in time and what is late where no hard deadline is missed.
func (o *Outcome) metText() string {
	n, hard := o.deadlines(), len(JobsOf(o.js, model.Hard))
	all := n == len(o.js.Jobs)
	switch {
	case n == 0 && len(o.out)+len(o.rejected) == len(o.js.Jobs):
		return "no job runs"
	case n == 0:
		return o.doneText()
	case len(o.soft) > 0 && hard == 1:
		return "the hard deadline is met; " + o.softText()
	case len(o.soft) > 0 && hard > 0:
		return "all hard deadlines are met; " + o.softText()
	case len(o.soft) == n:
		return o.softText()
	case len(o.soft) > 0 && len(o.soft) == n-1:
		return o.softText() + ", the other is in time"
	case len(o.soft) > 0:
		return o.softText() + ", the others are in time"
	case n == 1 && all:
		return table.Printable(o.js.Jobs[0].Name) + " is in time"
	case all && n == 2:
		return "both jobs are in time"
	case all:
		return fmt.Sprintf("all %d jobs are in time", n)
	case n == 1 && len(o.out)+len(o.rejected) == 0:
		return "the only job with a deadline is in time"
	case n == 1:
		return "1 job is in time"
	case len(o.out)+len(o.rejected) > 0:
		return fmt.Sprintf("%d jobs are in time", n)
	case n == 2:
		return "both jobs with deadlines are in time"
	default:
		return fmt.Sprintf("all %d jobs with deadlines are in time", n)
	}
}

// doneText says when the last job ends.
func (o *Outcome) doneText() string {
	end, runs := model.Time(0), 0
	for i, f := range o.finishes {
		if !o.absent[i] {
			end, runs = max(end, f), runs+1
		}
	}
	by := "by " + ClockOf(o.js).Point(end)
	switch runs {
	case 1:
		return "the job is done " + by
	case 2:
		return "both jobs are done " + by
	}
	return fmt.Sprintf("all %d jobs are done %s", runs, by)
}

// softText says which soft jobs are late, "" if none is.
func (o *Outcome) softText() string {
	switch n := len(o.soft); {
	case n == 0:
		return ""
	case n > mostNamed:
		return fmt.Sprintf("%d jobs are late, by up to %s (%s)", n, o.lateText(o.soft[0]), table.Printable(o.js.Jobs[o.soft[0]].Name))
	}
	var parts []string
	for k, id := range o.soft {
		is := ""
		if k == 0 {
			is = "is "
		}
		late := o.lateText(id)
		if k == 0 {
			late += " late"
		}
		parts = append(parts, table.Printable(o.js.Jobs[id].Name)+" "+is+late)
	}
	return Listed(parts, "and")
}

// missed is the number of hard jobs that are late, left out or rejected.
func (o *Outcome) missed() int {
	n := len(o.hard)
	for _, id := range slices.Concat(o.out, o.rejected) {
		if o.js.Jobs[id].Kind == model.Hard {
			n++
		}
	}
	return n
}

// hardText says how many hard deadlines are missed, and which: at least one is. noun, if it is
// not empty, says what is counted.
func (o *Outcome) hardText(noun string) string {
	n, of := o.missed(), len(JobsOf(o.js, model.Hard))
	if noun != "" {
		noun = " " + noun
		if of > 1 {
			noun += "s"
		}
	}
	are := "are"
	if n == 1 {
		are = "is"
	}
	text := fmt.Sprintf("%d of %d%s %s missed", n, of, noun, are)
	switch late := len(o.hard); {
	case late == 0:
		return text
	case late > mostNamed:
		return fmt.Sprintf("%s, by up to %s (%s)", text, o.lateText(o.hard[0]), table.Printable(o.js.Jobs[o.hard[0]].Name))
	}
	var parts []string
	for _, id := range o.hard {
		parts = append(parts, table.Printable(o.js.Jobs[id].Name)+" by "+o.lateText(id))
	}
	return text + ", " + Listed(parts, "and")
}

func (o *Outcome) lateText(id model.JobID) string { return ClockOf(o.js).Length(o.late(id)) }

// leftOutText says which jobs are left out.
func leftOutText(js *model.JobSet, out []model.JobID) string { return aside(js, out, "left out") }

// aside says of jobs what is done to them, "" of none.
func aside(js *model.JobSet, jobs []model.JobID, what string) string {
	switch n := len(jobs); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("; %s is %s", table.Printable(js.Jobs[jobs[0]].Name), what)
	case n <= mostNamed:
		return fmt.Sprintf("; %s are %s", table.Printable(Listed(NamesOfJobs(js, jobs), "and")), what)
	default:
		return fmt.Sprintf("; %d jobs are %s", n, what)
	}
}

// claim says what is proved of other plans, as far as it matters to what is told of this one:
// how many tasks move is not, unless fewer may do.
func (o *Outcome) claim(values []model.ObjectiveValue) string {
	moves := valueOf(values, model.Moves)
	values = slices.DeleteFunc(slices.Clone(values), func(v model.ObjectiveValue) bool { return v.Is(model.Moves) })
	done := valueOf(values, model.Makespan)
	open := slices.IndexFunc(values, func(v model.ObjectiveValue) bool { return !closed(v) })
	if len(o.soft) == 0 && len(o.out) == 0 { // then only the end can be better
		switch {
		case done == nil:
			return ""
		case o.js.Leavable() != nil: // plans that leave jobs out may well be done sooner
			return ""
		case closed(*done) && allClosedBefore(values, done) && values[0].Name == done.Name:
			return ", and no plan is done sooner"
		case closed(*done) && allClosedBefore(values, done):
			return ", and no plan in time is done sooner"
		}
		return o.endBound(values, done)
	}
	switch {
	case len(values) == 0:
		return ""
	case len(o.out) > 0 && !values[0].Is(model.LeftOutWeight):
		return ""
	case open < 0 && moves != nil && !closed(*moves):
		return ", and " + o.noBetter(values) + movesText(moves)
	case open < 0 && o.told(values):
		return ", and no plan does better"
	case open < 0:
		return ", and " + o.noBetter(values)
	case open > 0:
		return fmt.Sprintf(", and %s; by %s one may be better", o.noBetter(values[:open]), o.measure(values[open].Name))
	}
	return o.leastLate(&values[0])
}

// movesText says how many tasks move, and how many have to in a plan as good in all else.
func movesText(moves *model.ObjectiveValue) string {
	move := " tasks move"
	if moves.Value == 1 {
		move = " task moves"
	}
	if moves.Bound == nil || *moves.Bound <= 0 {
		return fmt.Sprintf("; %d%s, fewer may do", moves.Value, move)
	}
	return fmt.Sprintf("; %d%s, at least %d must for that", moves.Value, move, *moves.Bound)
}

// told reports whether a plan that is better in anything that is told of this one, and worse in
// nothing, would have better values: each delay counts in weighted tardiness, and that of the
// only late job is the tardiness. The end is told wherever it counts.
func (o *Outcome) told(values []model.ObjectiveValue) bool {
	return len(o.soft) == 0 || valueOf(values, model.WeightedTardiness) != nil ||
		len(o.soft) == 1 && valueOf(values, model.Tardiness) != nil
}

// leastLate says what the bound on the first objective tells of lateness in all plans.
func (o *Outcome) leastLate(first *model.ObjectiveValue) string {
	const perhaps = "; there may be a better plan"
	if first.Bound == nil || *first.Bound <= 0 || o.js.Leavable() != nil {
		return perhaps
	}
	switch of, _ := model.ParseReported(first.Name); of { // an unknown one is reported by no solve
	case model.Misses:
		n := o.fewest(*first.Bound)
		return fmt.Sprintf("; at least %s must be late", Count(n, "job"))
	case model.Tardiness:
		return fmt.Sprintf("; at least 1 job must be late, by %s or more", ClockOf(o.js).Length(model.Time(*first.Bound)))
	case model.WeightedTardiness:
		return "; at least 1 job must be late"
	case model.Makespan:
		return "; no plan is done before " + ClockOf(o.js).Point(model.Time(*first.Bound))
	}
	return perhaps
}

// fewest is how many soft jobs have that weight together, at least.
func (o *Outcome) fewest(weight int64) int {
	var weights []int64
	for _, i := range JobsOf(o.js, model.Soft) {
		weights = append(weights, o.js.Jobs[i].Weight)
	}
	slices.Sort(weights)
	n := 0
	for ; n < len(weights) && weight > 0; n++ {
		weight -= weights[len(weights)-1-n]
	}
	return n
}

// endBound says before when no plan ends, where that is proved and all before it in the order of
// objectives is.
func (o *Outcome) endBound(values []model.ObjectiveValue, done *model.ObjectiveValue) string {
	if done.Bound == nil || *done.Bound <= 0 || !allClosedBefore(values, done) {
		return ""
	}
	plan := "; no plan in time is done before "
	if values[0].Name == done.Name {
		plan = "; no plan is done before "
	}
	return plan + ClockOf(o.js).Point(model.Time(*done.Bound))
}

// closed reports whether no plan has a smaller value, as far as values before it are kept.
func closed(v model.ObjectiveValue) bool { return v.Bound != nil && *v.Bound == v.Value }

// valueOf finds the value of an objective, nil if it is none of them.
func valueOf(values []model.ObjectiveValue, of model.Objective) *model.ObjectiveValue {
	if k := slices.IndexFunc(values, func(v model.ObjectiveValue) bool { return v.Is(of) }); k >= 0 {
		return &values[k]
	}
	return nil
}

// allClosedBefore reports whether all objectives before one are closed.
func allClosedBefore(values []model.ObjectiveValue, of *model.ObjectiveValue) bool {
	for k := range values {
		if values[k].Name == of.Name {
			return true
		}
		if !closed(values[k]) {
			return false
		}
	}
	return true
}

// noBetter says that no plan has smaller values, in the order of objectives.
func (o *Outcome) noBetter(values []model.ObjectiveValue) string {
	if first := &values[0]; len(values) == 1 && o.js.Leavable() == nil {
		switch {
		case first.Is(model.Makespan):
			return "no plan is done sooner"
		case first.Is(model.Tardiness):
			return "no plan has a smaller largest delay"
		case first.Is(model.Misses) && o.alike():
			return "no plan has fewer late jobs"
		}
	}
	var names []string
	for _, v := range values {
		names = append(names, o.measure(v.Name))
	}
	return "no plan does better by " + strings.Join(names, ", then ")
}

// measure is an objective in a sentence, by its name.
func (o *Outcome) measure(name string) string {
	of, err := model.ParseReported(name)
	if err != nil {
		return name
	}
	switch of {
	case model.LeftOutWeight:
		return "weight left out"
	case model.LeftOut:
		return "jobs left out"
	case model.Misses:
		if o.alike() {
			return "number of late jobs"
		}
		return "weight of late jobs"
	case model.Tardiness:
		return "largest delay"
	case model.WeightedTardiness:
		return "weighted delay"
	case model.Makespan:
		return "last finish"
	}
	return name
}

// alike reports whether all soft jobs weigh the same.
func (o *Outcome) alike() bool {
	soft := JobsOf(o.js, model.Soft)
	return !slices.ContainsFunc(soft, func(i model.JobID) bool { return o.js.Jobs[i].Weight != o.js.Jobs[soft[0]].Weight })
}
