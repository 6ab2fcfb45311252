package lcg_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/certify"
	"downbeat/solve/lcg"
)

// proofFile is a file with one refutation: of a plan within limits, in which hard jobs may
// miss their deadlines where hard misses are limited.
func proofFile(js *model.JobSet, lim query.Limits, by *proof.Refutation) []byte {
	claim := certify.Claim{Claim: inference.Claim{Infeasible: len(lim) == 0}, By: by}
	for _, o := range []model.Objective{model.HardMisses, model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan} {
		v, ok := lim[o]
		switch {
		case !ok:
		case claim.Least == 0:
			claim.Objective, claim.Least = o, v+1
		default:
			claim.Given = append(claim.Given, inference.Limit{Objective: o, Most: v})
		}
	}
	var out bytes.Buffer
	c := certify.Certificate{JS: js, Unit: 1, Claims: []certify.Claim{claim}}
	c.Write(&out)
	return out.Bytes()
}

// recorded asks a question with and without a record, which is to make no difference where literals have to have
// names, and has what is refuted checked. It returns the answer and the lines of the proof.
func recorded(js *model.JobSet, lim query.Limits, opt lcg.Options, rules map[string]int) (lcg.Answer, []byte, error) {
	ctx := context.Background()
	_, relaxed := lim[model.HardMisses]
	q := query.Within(js, relaxed, lim)
	opt = opt.Named()
	named := opt
	named.Cubes = true
	silent, err := lcg.New(ctx, q, named)
	if err != nil {
		return lcg.Unknown, nil, err
	}
	opt.Record = true
	s, err := lcg.New(ctx, q, opt)
	if err != nil {
		return lcg.Unknown, nil, err
	}
	stop := func() bool { return s.Conflicts() >= 3000 }
	a, _ := s.Run(ctx, stop)
	b, _ := silent.Run(ctx, func() bool { return silent.Conflicts() >= 3000 })
	if a != b || s.Conflicts() != silent.Conflicts() {
		return a, nil, fmt.Errorf("answer %d after %d conflicts, without a record %d after %d", a, s.Conflicts(), b, silent.Conflicts())
	}
	by := s.Refutation()
	if (a == lcg.Unsatisfiable) != (by != nil) {
		return a, nil, fmt.Errorf("answer %d with refutation %v", a, by)
	}
	if by == nil {
		return a, nil, nil
	}
	file := proofFile(js, lim, by)
	v, err := inference.CheckFile(ctx, js, bytes.NewReader(file))
	if err != nil {
		return a, file, err
	}
	for rule, n := range v.Rules {
		rules[rule] += n
	}
	return a, file, nil
}

// order is a literal that a task starts before another one, or that it does not.
var order = regexp.MustCompile(` -?b\d+\.\d+`)

// TestRefutationsAreAccepted: by the checker, of tiny and small sets with every feature but
// fifo, whatever the limits.
func TestRefutationsAreAccepted(t *testing.T) {
	for name, draw := range map[string]func(seed uint64) *model.JobSet{
		"tiny":          func(seed uint64) *model.JobSet { return gen.Tiny(3_000_000 + seed) },
		"today tiny":    func(seed uint64) *model.JobSet { return gen.TodayTiny(seed) },
		"small":         func(seed uint64) *model.JobSet { return small(2*seed, 8+int(seed%7)) },
		"today small":   func(seed uint64) *model.JobSet { return small(2*seed+1, 8+int(seed%7)) },
		"taken":         func(seed uint64) *model.JobSet { return taken(small(seed, 8+int(seed%7)), seed) },
		"three times":   func(seed uint64) *model.JobSet { return threeTimes(t, seed) },
		"in turn":       inTurnTiny,
		"together":      togetherTiny,
		"coupled tiny":  coupledTiny,
		"coupled small": func(seed uint64) *model.JobSet { return coupledSmall(seed) },
	} {
		t.Run(name, func(t *testing.T) {
			refuted, failed, rules, orders := 0, 0, map[string]int{}, 0
			for seed := range testkit.Seeds(t, testkit.Tiny(t, 12, 400)) {
				js := *draw(seed)
				js.FIFO = false
				rng := rand.New(rand.NewPCG(seed, 12))
				for range 6 {
					lim := tightLimits(&js, rng)
					a, file, err := recorded(&js, lim, lcg.Options{Seed: seed}, rules)
					if err != nil {
						t.Errorf("seed %d, %v: %v\n%s", seed, lim, err, excerpt(file, err))
						if failed++; failed == 5 {
							t.FailNow()
						}
					}
					if a == lcg.Unsatisfiable {
						refuted++
						orders += len(order.FindAll(file, -1))
					}
				}
			}
			if refuted == 0 || orders == 0 && (name == "in turn" || name == "together") {
				t.Error("nothing was refuted, or not by the order of tasks that take turns")
			}
			t.Log(refuted, "refutations,", rules, orders, "literals of orders")
		})
	}
}

// TestSecondOpinion: what is refuted of sets with pools, caps, gangs and tasks that are apart, and of those that
// hold cores in turn or share a slave, is accepted by both checkers.
func TestSecondOpinion(t *testing.T) {
	var samples []secondopinion.Sample
	for seed := range uint64(secondopinion.Count(40, 600)) {
		js := coupledTiny(seed)
		switch seed % 4 {
		case 0:
			js = coupledSmall(seed)
		case 1:
			js = inTurnTiny(seed)
		case 3:
			js = togetherTiny(seed)
		}
		rng := rand.New(rand.NewPCG(seed, 15))
		a, file, err := recorded(js, tightLimits(js, rng), lcg.Options{Seed: seed}, map[string]int{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if a == lcg.Unsatisfiable && len(file) < 30_000 {
			samples = append(samples, secondopinion.Sample{JS: js, Text: string(file)})
		}
	}
	if len(samples) == 0 {
		t.Fatal("nothing was refuted")
	}
	for i, said := range secondopinion.Second(t, "../../model/check/inference/testdata/check_proof.py", samples) {
		if first := samples[i].First(t); said != first || !strings.HasPrefix(said, "proved") {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
}

// TestWrongPropagatorsAreCaught: with each kind of propagator wrong now and then, what is
// refuted though there is a plan is not accepted, and it is a step of that kind which does
// not follow.
func TestWrongPropagatorsAreCaught(t *testing.T) {
	for _, c := range []struct {
		rule      string
		objective model.Objective
		first     uint64 // seed
	}{
		{"task", model.Makespan, 0}, {"stage", model.Makespan, 0}, {"cap", model.Makespan, 0},
		{"push", model.Makespan, 137}, {"energy", model.Makespan, 13}, {"disjunctive", model.Makespan, 0}, {"order", model.Tardiness, 20},
		{"job", model.WeightedTardiness, 16}, {"weighted", model.WeightedTardiness, 16},
		{"misses", model.Misses, 73}, {"hard-misses", model.HardMisses, 1192},
		{"pool", model.Makespan, 4}, {"pool-push", model.Misses, 534},
		{"pool-energy", model.Makespan, 105},
	} {
		t.Run(c.rule, func(t *testing.T) {
			enough := testkit.Sets(1, 2)
			if c.rule == "pool-push" {
				enough = 1 // the next is a thousand sets away
			}
			for seed := c.first; enough > 0; seed++ {
				if seed == 10_000 {
					t.Fatalf("%d wrong refutations are missing", enough)
				}
				rng := rand.New(rand.NewPCG(seed, 13))
				js := small(rng.Uint64(), 8+rng.IntN(7))
				switch {
				case c.objective == model.Misses, c.objective == model.HardMisses:
					js = contended(t, c.objective, seed)
				case rng.IntN(2) == 0:
					js = threeTimes(t, rng.Uint64N(1000))
				}
				js.FIFO = false
				if strings.HasPrefix(c.rule, "pool") {
					js = pooled(t, js)
				}
				if lim := tightest(js, c.objective); lim != nil && caught(t, js, lim, c.rule, rng) {
					enough--
				}
			}
		})
	}
}

// contended is a set with jobs that miss their deadlines, hard ones where hard misses are
// counted.
func contended(t *testing.T, o model.Objective, seed uint64) *model.JobSet {
	t.Helper()
	js, _, err := gen.Family("misses-16", seed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range js.Jobs {
		if job := &js.Jobs[i]; o == model.HardMisses && job.Kind == model.Soft {
			job.Kind, job.Weight = model.Hard, 0
		}
	}
	return js
}

// pooled has every task take of a pool, of which there is less for a while.
func pooled(t *testing.T, js *model.JobSet) *model.JobSet {
	t.Helper()
	var all []model.JobID
	for i := range js.Jobs {
		all = append(all, model.JobID(i))
	}
	js = js.Subset(all) // with stages of its own
	js.Pools = []model.Pool{{Name: "db", Levels: []model.Level{{Amount: 3}, {From: 4, Amount: 2}, {From: 20, Amount: 3}}}}
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			st := &js.Jobs[i].Stages[k]
			st.Groups = slices.Clone(st.Groups)
			for n := range st.Groups {
				g := &st.Groups[n]
				needs := g.Profile.Needs()
				needs.TakePool(0, 1+int64(i%2))
				g.Profile = g.Profile.Needing(needs)
			}
		}
	}
	js.Tasks = nil
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// tightest is the least limit on an objective that a plan keeps; nil if none is found.
func tightest(js *model.JobSet, o model.Objective) query.Limits {
	lim := query.Limits{o: 0}
	for ; lim[o] < 60; lim[o]++ {
		if a, _, err := lcg.SolveBriefly(query.Within(js, o == model.HardMisses, lim), 1); a == lcg.Satisfiable && err == nil {
			return lim
		}
	}
	return nil
}

// caught reports whether what is wrong led to a refutation of what there is a plan for; the
// test fails where it is not caught.
func caught(t *testing.T, js *model.JobSet, lim query.Limits, rule string, rng *rand.Rand) bool {
	t.Helper()
	_, relaxed := lim[model.HardMisses]
	a, by, err := lcg.SolveMisled(query.Within(js, relaxed, lim), rule, 1+rng.IntN(4), rng)
	if a != lcg.Unsatisfiable || err != nil {
		return false
	}
	file := proofFile(js, lim, by)
	_, err = inference.CheckFile(t.Context(), js, bytes.NewReader(file))
	fault, ok := err.(*inference.Fault)
	if !ok {
		t.Fatalf("%v, %v: a plan exists, but the check says %v", js.Name, lim, err)
	}
	line := slices.Collect(bytes.Lines(file))[fault.Line-1]
	if word := bytes.Fields(line); len(word) < 3 || string(word[2]) != rule {
		t.Errorf("%v, %v: %v, which is not by %s: %s", js.Name, lim, fault, rule, line)
	}
	return true
}

// coupledSmall is a small set with pools, caps, gangs and tasks that are apart, of which some is
// taken of every third one.
func coupledSmall(seed uint64) *model.JobSet {
	js := small(seed, 8+int(seed%7))
	js.FIFO = false
	js = gen.Coupled(js, seed, false)
	if seed%3 == 0 {
		return taken(js, seed)
	}
	return js
}

// taken is a set of which some of what slaves have is taken for a while.
func taken(js *model.JobSet, seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 14))
	out := *js
	out.Slaves = slices.Clone(js.Slaves)
	for s := range out.Slaves {
		supplies := js.Supplies(model.SlaveID(s))
		from := model.Time(rng.IntN(15))
		out.Slaves[s].Reservations = []model.Reservation{{
			Resource: supplies[rng.IntN(len(supplies))].Resource,
			Interval: model.Interval{Start: from, End: from + 1 + model.Time(rng.IntN(8))}, Units: 1,
		}}
	}
	return &out
}

// excerpt is the line of a file at which a check failed, and the question.
func excerpt(file []byte, err error) string {
	fault, ok := err.(*inference.Fault)
	lines := slices.Collect(bytes.Lines(file))
	if !ok || fault.Line > len(lines) {
		return ""
	}
	return string(bytes.Join(lines[:min(25, fault.Line)], nil)) + "…\n" + string(lines[fault.Line-1])
}

// tightLimits are limits that are often too tight.
func tightLimits(js *model.JobSet, rng *rand.Rand) query.Limits {
	lim := query.Limits{}
	end := model.Time(0)
	for i := range js.Jobs {
		if job := &js.Jobs[i]; job.Kind != model.BestEffort {
			end = max(end, job.Due())
		}
	}
	if rng.IntN(3) == 0 {
		lim[model.HardMisses] = rng.Int64N(3)
	}
	if rng.IntN(2) == 0 {
		lim[model.Misses] = rng.Int64N(4)
	}
	switch rng.IntN(4) {
	case 0:
		lim[model.Tardiness] = rng.Int64N(6)
	case 1:
		lim[model.WeightedTardiness] = rng.Int64N(12)
	case 2:
		lim[model.Makespan] = int64(end)/2 + rng.Int64N(int64(end)+1)
	}
	return lim
}

// TestNoRefutation: there is none where none was asked for, where it is too long, and of
// questions that a proof file cannot put.
func TestNoRefutation(t *testing.T) {
	js, _, err := gen.Family("misses-40", 1)
	if err != nil {
		t.Fatal(err)
	}
	q := query.Within(js, false, query.Limits{model.Misses: 2})
	restricted := q
	restricted.Restrict = make([]query.Restriction, len(js.Tasks))
	for i := range restricted.Restrict {
		restricted.Restrict[i].To = q.Cap[js.Tasks[i].Job]
	}
	for _, c := range []struct {
		name string
		q    query.Question
		opt  lcg.Options
		want bool
	}{
		{"not asked for", q, lcg.Options{}, false},
		{"too long", q, lcg.Options{Record: true, MostRecorded: 5000}, false},
		{"restricted", restricted, lcg.Options{Record: true}, false},
		{"recorded", q, lcg.Options{Record: true}, true},
	} {
		s, err := lcg.New(t.Context(), c.q, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if a, _ := s.Run(t.Context(), nil); a != lcg.Unsatisfiable {
			t.Fatalf("%s: answer %d", c.name, a)
		}
		if got := s.Refutation(); (got != nil) != c.want {
			t.Errorf("%s: refutation %v", c.name, got)
		}
	}
}
