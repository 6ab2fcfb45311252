package capacity

import (
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/solve"
)

// Where a checker has to agree, the same is known of slack and of losses of tiny sets as without, but for what is open.
func TestCertifiedSlackAndLosses(t *testing.T) {
	edges, open, losses, unknown := 0, 0, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 12, 300)) {
		js := []func(uint64) *model.JobSet{gen.TodayTiny, gen.Tiny}[seed%2](seed)
		opt := solve.Options{Workers: 1, Budget: 40_000}
		plain, err := Slack(t.Context(), js, nil, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		lost, err := SingleFailures(t.Context(), js, 0, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Proof = true
		certified, err := Slack(t.Context(), js, nil, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		for k := range certified.Jobs {
			for m := range measures {
				a, b := plain.Jobs[k].Edges[m], certified.Jobs[k].Edges[m]
				if edges++; a != b {
					open++
				}
				if a != b && (b.Fits >= a.Fails || a.Fits >= b.Fails) {
					t.Errorf("seed %d, job %d, %s: %v, with a checker %v", seed, k, m, a, b)
				}
			}
		}
		again, err := SingleFailures(t.Context(), js, 0, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		for k := range again {
			switch a, b := &lost[k], &again[k]; {
			case b.Status == model.Unknown:
				unknown++
			case a.Status != b.Status && a.Status != model.Unknown || !slices.Equal(a.LeftOut, b.LeftOut):
				t.Errorf("seed %d, slave %d: %+v, with a checker %+v", seed, k, a, b)
			default:
				losses++
			}
		}
	}
	t.Logf("%d edges, %d of them otherwise than without a checker; %d losses are known, %d are not", edges, open, losses, unknown)
	if open > edges/20 || unknown > losses/20 {
		t.Errorf("of %d edges %d are otherwise, of %d losses %d unknown", edges, open, losses+unknown, unknown)
	}
}

// Each task of a gang can run on the slave that is left, and both together cannot: that takes a proof of more
// than one step, which is asked for as any other. What a checker has agreed to is so when pieces are put together.
func TestCertifiedLossOfAGang(t *testing.T) {
	js, err := jobfile.Load("gang.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: a, count: 2, cores: 2, slots: 3, resources: {memory: 1}}]}
jobs: [{name: g, hard: true, deadline: 7, stages: [{name: s, gang: true, tasks: 2, resources: {memory: 1}, wcet: 1}]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	kept := &memo{held: map[string][]byte{}, wanted: func(int) bool { return true }}
	for name, in := range map[string]Pieces{"at once": nil, "in pieces": kept, "from pieces": kept} {
		all, err := SingleFailures(t.Context(), js, 0, in, solve.Options{Proof: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			if l.Status != model.Infeasible {
				t.Errorf("%s, without %s: %v", name, js.Slaves[l.Slave].Name, l.Status)
			}
		}
	}
}
