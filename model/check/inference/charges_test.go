package inference

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/proof"
)

// placed draws jobs of a few tasks, most of which come after others, and a place for each task behind all that it comes after; what
// slaves have does not matter to what is charged.
func placed(t *testing.T, r *rand.Rand) (*model.JobSet, model.Schedule) {
	js := &model.JobSet{Heartbeat: model.Time(1 + r.IntN(3))}
	slaves := 1 + r.IntN(2)
	for s := range slaves {
		slave := model.Slave{Name: string(rune('p' + s)), Cores: 4, Slots: 4, FirstBeat: model.Time(r.IntN(2))}
		js.Slaves = append(js.Slaves, slave)
	}
	for i := range model.JobID(3 + r.IntN(3)) {
		j := model.Job{Name: string(rune('a' + i)), Kind: model.Soft, Weight: 1, Release: model.Time(r.IntN(3)), Deadline: 1}
		for before := range i {
			if r.IntN(2) == 0 {
				j.After = append(j.After, before)
			}
		}
		for k := range int32(1 + r.IntN(2)) {
			wcet := make([]model.Time, slaves)
			for s := range wcet {
				wcet[s] = model.Time(1 + r.IntN(5))
			}
			st := model.Stage{Name: string(rune('m' + k)), Groups: []model.Group{{Count: 1 + r.IntN(2), Profile: model.NewProfile(model.DenseRow(wcet), model.ConstRow(slaves, model.Time(r.IntN(2))))}}}
			if k > 0 {
				st.After = []int32{0}
			}
			j.Stages = append(j.Stages, st)
		}
		js.Jobs = append(js.Jobs, j)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	plan, ends := make(model.Schedule, len(js.Tasks)), make([]model.Time, js.Stages())
	for _, id := range js.StageOrder() {
		st, i := js.Stage(id)
		ready := js.Jobs[i].Release
		for _, before := range js.Before(id) {
			ready = max(ready, ends[before])
		}
		for task := st.First; task < st.End; task++ {
			s := model.SlaveID(r.IntN(slaves))
			_, beat := js.BeatAtOrAfter(s, ready)
			fetch := beat + model.Time(r.IntN(2))
			gamma, _ := js.BeatAtOrBefore(s, fetch)
			plan[task] = model.Placement{Slave: s, Beat: gamma, Fetch: fetch, Start: fetch + js.Tasks[task].Transfer(s) + model.Time(r.IntN(4)/3)}
			ends[id] = max(ends[id], js.Finish(task, plan[task]))
		}
	}
	return js, plan
}

// TestChargesArePaid takes due times of which a plan meets some. Whatever is charged to jobs, as much as is accepted, those in time
// are charged for no more than the plan uses.
func TestChargesArePaid(t *testing.T) {
	exact, shared, beyond := 0, 0, 0
	for seed := range testkit.Sets[uint64](1500, 15_000) {
		r := rand.New(rand.NewPCG(seed, 37))
		js, plan := placed(t, r)
		finishes := js.Finishes(plan)
		due, inTime := make([]model.Time, len(js.Jobs)), make([]bool, len(js.Jobs))
		for i := range due {
			due[i] = max(0, finishes[i]+model.Time(r.IntN(6)-1))
			inTime[i] = finishes[i] <= due[i]
		}
		sh := randomArgument(r, js)
		if sh.Resource == proof.FetchTicks || sh.Resource >= proof.Ticks(model.FirstNamed) {
			sh.Resource = proof.CoreTicks
		}
		if sh.Interval.Start /= 2; len(sh.Slaves) < len(js.Slaves) && r.IntN(2) == 0 {
			sh.Slaves = []model.SlaveID{0, 1}[:len(js.Slaves)]
		}
		if drawCharges(r, js, due, sh) {
			beyond++
		}
		used, sum, several := literalUse(js, plan, sh), int64(0), map[model.JobID]int{}
		for _, c := range sh.Charges {
			if inTime[c.To] {
				several[c.Job]++
				sum += c.Ticks
			}
		}
		if sum > used {
			t.Fatalf("seed %d: %d charged, used %d: %+v\nplan %+v, due %v", seed, sum, used, sh, plan, due)
		}
		if sum == used && sum > 0 {
			exact++
			for _, n := range several {
				if n > 1 {
					shared++
				}
			}
		}
	}
	t.Logf("%d sums that the plan just covers, of %d jobs charged to several; %d with a job charged to one that comes after it", exact, shared, beyond)
	if exact == 0 || shared == 0 || beyond == 0 {
		t.Error("the test is too narrow")
	}
}

// drawCharges draws charges among the jobs of an overload, each as great as is accepted with those before, and reports whether there is one to
// a job that comes after another.
func drawCharges(r *rand.Rand, js *model.JobSet, due []model.Time, sh *proof.Overload) (beyond bool) {
	o := NewOverloads(js)
	var pairs []proof.Charge
	for _, i := range sh.Jobs {
		for _, to := range sh.Jobs {
			pairs = append(pairs, proof.Charge{Job: i, To: to})
		}
	}
	r.Shuffle(len(pairs), func(a, b int) { pairs[a], pairs[b] = pairs[b], pairs[a] })
	before := sh.Charges
	accepts := func(c proof.Charge) bool {
		sh.Charges = slices.Concat(before, []proof.Charge{c})
		slices.SortFunc(sh.Charges, func(a, b proof.Charge) int { return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.To, b.To)) })
		_, err := o.charges(due, sh)
		return err == nil
	}
	for _, c := range pairs {
		most := int64(1 + r.IntN(40))
		for c.Ticks = most; c.Ticks > 0 && !accepts(c); c.Ticks-- {
		}
		if c.Ticks > 0 {
			before, beyond = sh.Charges, beyond || c.Job != c.To
		}
	}
	sh.Charges = before
	return beyond
}

// Two ends of 2 ticks come after a base of 6, all on one core and due at 9: 10 ticks are needed, and the base is charged once.
func TestChargesTwins(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 2}}}
	for i, wcet := range []model.Time{6, 2, 2} {
		p := model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, 0))
		js.Jobs = append(js.Jobs, model.Job{Name: string(rune('a' + i)), Kind: model.Soft, Weight: 1, Deadline: 9,
			Stages: []model.Stage{{Name: "m", Groups: []model.Group{{Count: 1, Profile: p}}}}})
	}
	js.Jobs[0].Kind, js.Jobs[0].Deadline, js.Jobs[0].Weight = model.BestEffort, 0, 0
	js.Jobs[1].After, js.Jobs[2].After = []model.JobID{0}, []model.JobID{0}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	due := []model.Time{model.Never, 9, 9}
	good := func() *proof.Overload {
		return &proof.Overload{
			Jobs: []model.JobID{0, 1, 2}, Slaves: []model.SlaveID{0}, Resource: proof.CoreTicks, Interval: model.Interval{Start: 0, End: 9}, Need: 10, Have: 9,
			Charges: []proof.Charge{{Job: 0, To: 1, Ticks: 4}, {Job: 0, To: 2, Ticks: 2}, {Job: 1, To: 1, Ticks: 2}, {Job: 2, To: 2, Ticks: 2}},
		}
	}
	if err := Overload(js, due, good()); err != nil {
		t.Fatal(err)
	}
	cut, err := NewOverloads(js).Cut(due, good())
	if err != nil || !slices.Equal(cut.Jobs, []model.JobID{1, 2}) || !slices.Equal(cut.Coefficients, []int64{6, 4}) || cut.RHS != 1 {
		t.Errorf("%+v, %v", cut, err)
	}
	for _, bad := range []struct {
		says  string
		spoil func(*proof.Overload)
	}{
		{"charged for 7", func(o *proof.Overload) { o.Charges[1].Ticks++ }},
		{"charged for 3", func(o *proof.Overload) { o.Charges[3].Ticks++ }},
		{"does not come after", func(o *proof.Overload) { o.Charges[2].To = 2 }},
		{"not due", func(o *proof.Overload) { o.Charges[0].To = 0 }},
		{"of nothing", func(o *proof.Overload) { o.Charges[0].Ticks = 0 }},
		{"not in order", func(o *proof.Overload) { o.Charges[0].To = 2 }},
		{"not there", func(o *proof.Overload) { o.Jobs = o.Jobs[:2] }},
		{"not there", func(o *proof.Overload) { o.Charges[0].To = 3 }},
		{"not 11", func(o *proof.Overload) { o.Need++ }},
		{"idle", func(o *proof.Overload) { o.Idle = 1 }},
	} {
		o := good()
		bad.spoil(o)
		if err := Overload(js, due, o); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("not %q: %v", bad.says, err)
		}
	}
}
