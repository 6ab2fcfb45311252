package summary

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// SharedLine is what a plan takes of a limit that tasks on all slaves have in common (C11): a pool,
// or a cap on a stage or job.
type SharedLine struct {
	ID model.SharedID
	// Name is that of the limit; of two plans in one summary with which of them it is.
	Name string
	// Plan is 1 or 2 of two plans, 0 of one.
	Plan int
	// Levels say how much there is over time, as the job set declares it.
	Levels []model.Level
	// Steps say how much is held over time: ascending, neighbours different, none before the first.
	Steps []model.Level
	// Held and There are sums over time until the plan ends, in ticks of units.
	Held, There int64
	// Peak is what is held at most at once.
	Peak int64
}

// Most is the largest amount that there is before a time.
func (l *SharedLine) Most(until model.Time) int64 {
	most := l.Levels[0].Amount
	for _, level := range l.Levels {
		if level.From < until {
			most = max(most, level.Amount)
		}
	}
	return most
}

// Amount says for people how much there is until a time: 4, or 2 to 8.
func (l *SharedLine) Amount(until model.Time) string {
	least, most := l.Levels[0].Amount, l.Most(until)
	for _, level := range l.Levels {
		if level.From < until {
			least = min(least, level.Amount)
		}
	}
	if least < most {
		return fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprint(most)
}

// Share is the part of what there is that is held until the plan ends.
func (l *SharedLine) Share() string { return wording.Percent(model.Time(l.Held), model.Time(l.There)) }

// sumShared adds up what attempts hold of pools and caps.
func (s *Summary) sumShared() {
	plans := s.plans()
	changes := make([][]model.Level, len(s.JS.Shared())*len(plans)) // how much more is held from then on
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if a.Finish <= a.Assigned {
			continue
		}
		for _, take := range s.JS.Takes(a.Task) {
			at := int(take.Shared)*len(plans) + s.planOf(a)
			changes[at] = append(changes[at], model.Level{From: a.Assigned, Amount: take.Units}, model.Level{From: a.Finish, Amount: -take.Units})
		}
	}
	for at := range changes {
		id := model.SharedID(at / len(plans))
		line := SharedLine{ID: id, Name: s.JS.SharedName(id) + plans[at%len(plans)], Levels: declared(s.JS, id), Steps: stepsOf(changes[at])}
		if s.twice {
			line.Plan = 1 + at%len(plans)
		}
		line.sum(s.End)
		s.Shared = append(s.Shared, line)
	}
}

// plans has the ends of names by which plans in one summary are told apart: one, "", of a single
// plan.
func (s *Summary) plans() []string {
	if s.twice {
		return []string{" before", " after"}
	}
	return []string{""}
}

// Plans is how many plans there are in the summary: where it is two, their slaves go by turns.
func (s *Summary) Plans() int { return len(s.plans()) }

// planOf is which of the plans an attempt is in, an index of what plans lists.
func (s *Summary) planOf(a *Attempt) int {
	if s.twice {
		return int(a.Slave) % 2
	}
	return 0
}

// declared are the amounts that the job set says of a limit, reserved or not.
func declared(js *model.JobSet, id model.SharedID) []model.Level {
	sh := &js.Shared()[id]
	switch job := &js.Jobs[sh.Job]; {
	case sh.Pool >= 0:
		return js.Pools[sh.Pool].Levels
	case sh.Stage >= 0:
		return []model.Level{{Amount: job.Stages[sh.Stage].AtMost}}
	default:
		return []model.Level{{Amount: job.AtMost}}
	}
}

// stepsOf are amounts over time of changes to them, which are sorted in place.
func stepsOf(changes []model.Level) []model.Level {
	slices.SortFunc(changes, func(a, b model.Level) int { return cmp.Compare(a.From, b.From) })
	var out []model.Level
	held := int64(0)
	for i, c := range changes {
		held += c.Amount
		last := len(out) - 1
		switch {
		case i+1 < len(changes) && changes[i+1].From == c.From:
		case last < 0 && held > 0, last >= 0 && out[last].Amount != held:
			out = append(out, model.Level{From: c.From, Amount: held})
		}
	}
	return out
}

// SharedTitle says what Shared has: pools, caps, or both.
func (s *Summary) SharedTitle() string {
	switch pools := len(s.JS.Pools); {
	case pools == 0:
		return "Caps"
	case pools == len(s.JS.Shared()):
		return "Pools"
	}
	return "Pools and caps"
}

// sum derives what a line says of all the time until an end.
func (l *SharedLine) sum(end model.Time) {
	area := func(levels []model.Level) (sum int64) {
		for i, level := range levels {
			until := end
			if i+1 < len(levels) {
				until = min(until, levels[i+1].From)
			}
			sum += level.Amount * int64(max(0, until-level.From))
		}
		return sum
	}
	l.Held, l.There = area(l.Steps), area(l.Levels)
	for _, step := range l.Steps {
		l.Peak = max(l.Peak, step.Amount)
	}
}

// TakesTexts say what a task takes of pools: "1 of pool db" and so on.
func TakesTexts(js *model.JobSet, t model.TaskID) []string {
	var out []string
	for _, take := range js.Takes(t) {
		if js.Shared()[take.Shared].Pool >= 0 {
			out = append(out, fmt.Sprintf("%d of %s", take.Units, js.SharedName(take.Shared)))
		}
	}
	return out
}

// GangStart is attempts of a gang that start together (C12).
type GangStart struct {
	Job   model.JobID
	Stage int32
	Start model.Time
	// Attempts are of Summary.Attempts, ascending: two at least.
	Attempts []int
}

// Name names the stage: job/stage.
func (g *GangStart) Name(js *model.JobSet) string {
	job := &js.Jobs[g.Job]
	return job.Name + "/" + job.Stages[g.Stage].Name
}

// GangStarts lists them by job, stage and start; those of an attempt that was lost are apart from
// those of the next one.
func (s *Summary) GangStarts() []GangStart {
	if !s.JS.Gangs() {
		return nil
	}
	type key struct {
		plan  int
		stage model.StageID
		start model.Time
	}
	at := map[key]int{}
	var out []GangStart
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if _, gang := s.JS.GangOf(a.Task); !gang || a.Finish <= a.Start && a.Lost {
			continue
		}
		task := &s.JS.Tasks[a.Task]
		k := key{s.planOf(a), s.JS.StageOf(task), a.Start}
		n, known := at[k]
		if !known {
			n = len(out)
			at[k] = n
			out = append(out, GangStart{Job: task.Job, Stage: task.Stage, Start: a.Start})
		}
		out[n].Attempts = append(out[n].Attempts, i)
	}
	out = slices.DeleteFunc(out, func(g GangStart) bool { return len(g.Attempts) < 2 })
	slices.SortFunc(out, func(a, b GangStart) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Start, b.Start))
	})
	return out
}
