package workload

import (
	"math"
	"testing"

	"downbeat/model"
)

func TestMaxWeightEdge(t *testing.T) {
	w := NewMaxWeight()
	w.Machines = 1000
	if w.Edge() != 680 {
		t.Errorf("the edge of the paper's cluster is %g tasks per slot, want 680", w.Edge())
	}
	w.Machines = 50
	if w.Edge() != 34 {
		t.Errorf("the edge of a twentieth of it is %g", w.Edge())
	}
}

func TestMaxWeightPlacement(t *testing.T) {
	js := generate(t, parse(t, "maxweight"), 1)
	held := make([]float64, len(js.Slaves))
	for id := range js.Tasks {
		task := &js.Tasks[id]
		local := 0
		for s := range model.SlaveID(50) {
			switch total := task.WCET(s) + task.Transfer(s); {
			case total == 25 && s < 40: // 1/0.8 slots of 20 ticks, where data can be
				local++
				held[s]++
			case total != 100: // 1/0.2
				t.Fatalf("%s takes %d on slave %d", js.TaskName(model.TaskID(id)), total, s)
			}
		}
		if local != 3 {
			t.Fatalf("%s has %d replicas", js.TaskName(model.TaskID(id)), local)
		}
	}
	want := float64(len(js.Tasks)) * 3 / 40
	for s, n := range held[:40] {
		if math.Abs(n-want) > 5*math.Sqrt(want) {
			t.Errorf("slave %d holds %g blocks, want about %.0f", s, n, want)
		}
	}
	if js.Heartbeat != 1 || js.Fetch != model.FetchConcurrent || js.Slaves[0].Cores != 1 || js.Slaves[0].Slots != 1 {
		t.Errorf("cluster %+v", js.Slaves[0])
	}
}

// The stream brings the asked share of the edge, in whole slots.
func TestMaxWeightLoad(t *testing.T) {
	var sizes, gaps []float64
	w := parse(t, "maxweight:load=0.5,jobs=400")
	for seed := range uint64(5) {
		js := generate(t, w, seed)
		for i := range js.Jobs {
			j := &js.Jobs[i]
			sizes = append(sizes, float64(j.End-j.First))
			if j.Release%20 != 0 || j.Kind != model.BestEffort {
				t.Fatalf("seed %d: job %s is released at %d, %s", seed, j.Name, j.Release, j.Kind)
			}
		}
		for i, at := range exponentialArrivals(seed, 400, 10/(0.5*34.)) {
			if want := model.Time(at) * 20; js.Jobs[i].Release != want {
				t.Fatalf("seed %d: job %d is released at %d, want %d", seed, i, js.Jobs[i].Release, want)
			}
		}
		gaps = append(gaps, float64(js.Jobs[399].Release)/20/399)
	}
	closeTo(t, "tasks per job", sizes, 10)
	closeTo(t, "slots between jobs", gaps, 10/17.)
}

func TestMaxWeightGeometricService(t *testing.T) {
	js := generate(t, parse(t, "maxweight:service=geometric,slot=1,jobs=400"), 1)
	var local, remote []float64
	for id := range js.Tasks {
		task := &js.Tasks[id]
		remote = append(remote, float64(task.WCET(49)))
		counts := map[model.Time]int{}
		for s := range model.SlaveID(50) {
			counts[task.WCET(s)]++
			if task.Transfer(s) != 0 {
				t.Fatalf("%s fetches", js.TaskName(model.TaskID(id)))
			}
		}
		for wcet, n := range counts {
			switch {
			case n == 3 || n == 50:
				local = append(local, float64(wcet))
			case n != 47:
				t.Fatalf("%s has times %v", js.TaskName(model.TaskID(id)), counts)
			}
		}
	}
	closeTo(t, "local slots", local, 1.25)
	closeTo(t, "remote slots", remote, 5)
}
