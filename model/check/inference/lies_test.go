package inference_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/query"
)

// lies are what a prover says that is false.
type lies struct{ kind untrue }

// untrue is in which way a prover lies, other than where it has a plan.
type untrue int

const (
	onlyPlans      untrue = iota // it does not
	falseConflicts               // places that would do are said to be none
	passedPlaces                 // places are passed over
	passedStarts                 // starts are
	lostLiterals                 // what follows leaves literals out
	untruths
)

// tells reports whether the prover lies here: now and then, in its way.
func (p *prover) tells(kind untrue) bool {
	return p.lies != nil && p.lies.kind == kind && p.rng.IntN(4) == 0
}

// lie says by some rule that tasks cannot be where they have been put.
func (p *prover) lie() (clause, bool) {
	var literals []string
	for _, t := range p.order {
		if p.at[t].slave != model.NoSlave {
			literals = append(literals, p.at[t].otherwise...)
		}
	}
	if len(literals) == 0 { // all jobs are let go
		for _, t := range p.order {
			literals = append(literals, p.isIn(p.JS.Tasks[t].Job))
		}
	}
	return p.c(p.falsehood(), slices.Compact(literals)...)
}

// falsehood is some rule with arguments.
func (p *prover) falsehood() string {
	rule := secondopinion.Rules[p.rng.IntN(len(secondopinion.Rules))]
	kinds, points := inference.Arguments(rule)
	if points {
		kinds += strings.Repeat("P", 1+p.rng.IntN(2))
	}
	for _, kind := range kinds {
		rule += fmt.Sprint(" ", p.argument(kind))
	}
	return rule
}

func (p *prover) argument(kind rune) int {
	t := p.order[p.rng.IntN(len(p.order))]
	task := &p.JS.Tasks[t]
	switch kind {
	case 'T':
		return int(t)
	case 'K':
		return int(p.JS.StageOf(task))
	case 'J':
		return int(task.Job)
	case 'S':
		return p.rng.IntN(len(p.JS.Slaves))
	case 'R':
		return p.rng.IntN(int(model.FirstNamed) + len(p.JS.Named))
	case 'Q':
		return p.rng.IntN(len(p.JS.Pools) + len(p.JS.Jobs) + p.JS.Stages())
	default:
		return p.rng.IntN(12)
	}
}

// loosened is a set in which one thing is easier, or just another; nil if there is no such set.
func loosened(js *model.JobSet, rng *rand.Rand) *model.JobSet {
	out := *js
	out.Tasks, out.Slaves, out.Jobs, out.Pools = nil, slices.Clone(js.Slaves), slices.Clone(js.Jobs), slices.Clone(js.Pools)
	for i := range out.Jobs {
		out.Jobs[i].Stages = slices.Clone(js.Jobs[i].Stages)
	}
	s, job := &out.Slaves[rng.IntN(len(out.Slaves))], &out.Jobs[rng.IntN(len(out.Jobs))]
	stage := &job.Stages[rng.IntN(len(job.Stages))]
	same := func(t model.Time) model.Time { return t }
	shorter := func(t model.Time) model.Time { return max(min(t, 1), t-1) }
	switch rng.IntN(12) {
	case 0:
		if job.Kind != model.BestEffort {
			job.Deadline++
		}
	case 1:
		s.Cores++
	case 2:
		s.Slots, s.MapSlots, s.ReduceSlots = s.Slots+1, s.MapSlots+1, s.ReduceSlots+1
		if s.SplitSlots {
			s.Slots = 0
		} else {
			s.MapSlots, s.ReduceSlots = 0, 0
		}
	case 3:
		s.Down = nil
	case 4:
		out.Heartbeat = 1
	case 5, 6, 7:
		run, fetch := shorter, same
		if rng.IntN(3) == 0 {
			run, fetch = same, func(t model.Time) model.Time { return max(0, t-1) }
		}
		m := model.NewMapper(run, fetch)
		stage.Groups = slices.Clone(stage.Groups)
		for k := range stage.Groups {
			stage.Groups[k].Profile = m.Profile(stage.Groups[k].Declared())
		}
	case 8:
		out.Fetch = model.FetchConcurrent
	case 9:
		job.Release, job.After = 0, nil
	case 10:
		job.AtMost, stage.AtMost, stage.Gang, stage.Apart = 0, 0, false, false
		for k := range out.Pools {
			out.Pools[k].Levels = []model.Level{{Amount: 1 + out.Pools[k].Levels[0].Amount}}
		}
	case 11:
		job.Weight++
		if stage.After = nil; len(job.Stages) == 1 && job.Kind == model.Hard {
			job.Kind = model.Soft
		}
	}
	if out.Assemble() != nil {
		return nil
	}
	return &out
}

// altered is a lie with up to four further things altered.
func altered(lie sample, rng *rand.Rand) sample {
	for range rng.IntN(5) {
		lie.Text = secondopinion.Alter(lie.Text, rng)
	}
	return lie
}

// TestLies has false claims proved: by the steps of a true proof of one less, by those of a proof about
// another set, and by a prover that lies where it finds a plan, places or literals. The questions are those of
// the false claim, digests and the number of lines are right, and further things may be altered. None is
// accepted, unless what was altered made the claim true.
func TestLies(t *testing.T) {
	told := map[string]int{}
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 25, 400)) {
		rng := rand.New(rand.NewPCG(seed, 6))
		a, some := ask(t, tiny(seed), rng)
		if !some {
			continue
		}
		for _, lie := range append(a.raised(rng), a.ofAnother(t, rng)...) {
			switch said := lie.First(t); {
			case !strings.HasPrefix(said, "proved"):
				told["refused"]++
			default:
				told["true once altered"]++
				if lie.Holds(t); t.Failed() {
					t.Fatalf("seed %d: %s\n%s", seed, said, lie.Text)
				}
			}
		}
	}
	t.Logf("lies that were told: %v", told)
	if told["refused"] < 20*told["true once altered"] || told["refused"] == 0 {
		t.Errorf("lies that were told: %v", told)
	}
}

// raised are proofs of a value that is one too high: by the steps of a true one, and by a prover that lies.
func (a *asked) raised(rng *rand.Rand) (out []sample) {
	if a.goal == nil {
		return nil
	}
	if steps, some := a.steps(rng); some {
		for range 8 {
			out = append(out, altered(a.file(a.js, asks(a.question(1))+steps, 1), rng))
		}
	}
	for kind := range untruths {
		if section := refutation(a.question(1), rng, &lies{kind}); section != "" {
			lie := a.file(a.js, section, 1)
			out = append(out, lie, altered(lie, rng))
		}
	}
	return out
}

// ofAnother are proofs of what is true of a set, as if of others of which it is false.
func (a *asked) ofAnother(t *testing.T, rng *rand.Rand) (out []sample) {
	steps, some := a.steps(rng)
	for n := 0; some && n < 8; n++ {
		other := *a
		if other.js = loosened(a.js, rng); other.js == nil {
			continue
		}
		if best := optimum(t, other.js, a.goal); best != nil && (a.goal == nil || slices.Compare(best, a.values) < 0) {
			out = append(out, altered(other.file(other.js, asks(other.question(0))+steps, 0), rng))
		}
	}
	return out
}

// steps are those of a proof, with the last line of its section; false if there is none that is short enough.
func (a *asked) steps(rng *rand.Rand) (string, bool) {
	section := refutation(a.question(0), rng, nil)
	at := strings.Index(section, "\nc ")
	return section[at+1:], at >= 0
}

// asks is the head of a section of a proof.
func asks(q query.Question) string {
	return "question 1\n" + strings.Join(q.Lines(), "\n") + "\n"
}
