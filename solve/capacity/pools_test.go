package capacity

import (
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/gen"
	"downbeat/solve"
)

// coupled is a random set with pools, caps and gangs, and whatever else there is.
func coupled(seed uint64) *model.JobSet { return gen.Coupled(tiny(seed), seed, false) }

// The least amount of a pool is the least that exhaustive search finds a plan for, and none is said to do
// only where none does.
func TestPoolSizeAgreesWithTryingEveryAmount(t *testing.T) {
	found := map[int64]int{}
	for seed := range testkit.Tiny(t, 80, 200) {
		js := coupled(seed)
		if len(js.Pools) == 0 {
			continue
		}
		pool, err := NewPool(js, js.Pools[int(seed)%len(js.Pools)].Name)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		pool.Most = 5
		limit := limitOf(t, js, seed)
		got, err := Size(t.Context(), js, pool, limit, options(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := int64(0)
		for want <= pool.Most && !fits(t, js, limit, pool.Change(want)) {
			want++
		}
		e := got.Least
		if !e.Exact() || e.Fits != want || got.None != (want > pool.Most) || e.Fails >= 0 && e.Proof == model.NoProof {
			t.Errorf("seed %d: %+v, trying every amount finds %d (limit %v)", seed, got, want, limit)
		}
		found[want]++
	}
	t.Logf("least amounts %v", found)
	for _, n := range []int64{0, 1, 2, 6} {
		if found[n] == 0 {
			t.Errorf("no least amount is %d", n)
		}
	}
}

// A pool that is said to help does, and one unit less, where that is said, does not: by exhaustive search
// for the hard deadlines. One that is of no use is so with all that tasks take together.
func TestPoolRepairs(t *testing.T) {
	least, vain := 0, 0
	for seed := range testkit.Tiny(t, 600, 1000) {
		js := coupled(seed)
		if len(js.Pools) == 0 {
			continue
		}
		v, err := solve.Check(t.Context(), js, solve.Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v.Repairs == nil {
			continue
		}
		for _, r := range v.Repairs.Single {
			c := r.Changes[0]
			if c.Kind != change.Pool {
				continue
			}
			less := c
			less.N--
			if !fits(t, js, nil, c) || r.Least[0] && fits(t, js, nil, less) {
				t.Errorf("seed %d: %+v is no least repair", seed, r)
			}
			least++
		}
		for _, w := range v.Repairs.Vain {
			if w.Change.Kind == change.Pool {
				vain++
				if fits(t, js, nil, w.Change) {
					t.Errorf("seed %d: %+v is no use, but there is a plan", seed, w)
				}
			}
		}
	}
	if t.Logf("%d repairs by a pool, %d of no use", least, vain); least < testkit.Sets(5, 8) || vain < testkit.Sets(5, 8) {
		t.Error("too few")
	}
}

// Tasks that are apart have room on slaves of one class where the other has none.
func TestFrontierOfApart(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{
		{Name: "a-1", Class: "a", Cores: 1, Slots: 1}, {Name: "a-2", Class: "a", Cores: 1, Slots: 1}, {Name: "b", Class: "b", Cores: 1, Slots: 1},
	}, Jobs: []model.Job{{Name: "j", Stages: []model.Stage{{Name: "s", Apart: true, Groups: []model.Group{
		{Count: 2, Profile: model.NewProfile(model.ConstRow(3, 1), model.ConstRow(3, 0))},
	}}}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	var of [2]Supply
	for k, name := range []string{"a", "b"} {
		class, err := NewClass(js, name)
		if err != nil {
			t.Fatal(err)
		}
		class.Most = 2
		of[k] = class
	}
	r, err := Frontier(t.Context(), js, of[0], of[1], nil, nil, solve.Options{Workers: 1})
	if err != nil || r.Columns[0].Fits != 2 || r.Columns[1].Fits != 1 || r.Columns[2].Fits != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
