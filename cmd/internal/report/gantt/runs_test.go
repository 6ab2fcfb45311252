package gantt

import (
	"testing"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/summary"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/gen"
)

// A run with early ends, lost attempts and rejected jobs is summed up and drawn
// as it was: lanes follow each other, and nothing leaves the picture.
func TestRunsAreShownAsTheyWere(t *testing.T) {
	lost, early := 0, 0
	for seed := range uint64(100) {
		js := gen.Small(seed, 15)
		out, _ := reporttest.Run(t, js, seed, 0)
		s := summary.SummarizeRun(out)
		if n := len(js.Tasks) - int(js.Jobs[0].End-js.Jobs[0].First) + len(out.Lost); len(s.Attempts) != n {
			t.Fatalf("seed %d: %d attempts, not %d", seed, len(s.Attempts), n)
		}
		type lane struct {
			slave model.SlaveID
			lane  int
		}
		until := map[lane]model.Time{}
		for i := range s.Attempts {
			a := &s.Attempts[i]
			l := lane{a.Slave, a.Lane}
			if a.Assigned < until[l] || a.Fetched > a.Start || a.Start > a.Finish || a.Assigned > a.Fetch {
				t.Errorf("seed %d: %+v in a lane taken until %d", seed, a, until[l])
			}
			until[l] = a.Finish
			switch {
			case a.Lost:
				lost++
			case a.Finish != out.Ends[a.Task]:
				t.Errorf("seed %d: %s ends at %d, not %d", seed, js.TaskName(a.Task), out.Ends[a.Task], a.Finish)
			case a.Finish < a.Start+js.Tasks[a.Task].WCET(a.Slave):
				early++
			}
			if a.Lane >= s.Slaves[a.Slave].LaneCount() {
				t.Errorf("seed %d: lane %d of %d", seed, a.Lane, s.Slaves[a.Slave].LaneCount())
			}
			for _, away := range s.Away[a.Slave] {
				if away.Overlaps(model.Interval{Start: a.Assigned, End: a.Finish}) {
					t.Errorf("seed %d: %+v while the slave is away in %v", seed, a, away)
				}
			}
		}
		for i := range s.Jobs {
			want := out.Finishes[i]
			if i == 0 {
				want = 0
			}
			if s.Jobs[i].Finish != want || s.Jobs[i].Rejected != (i == 0) {
				t.Errorf("seed %d: %+v, finish %d", seed, s.Jobs[i], want)
			}
		}
		if len(s.Attempts) > 0 {
			keepsWithin(t, s)
		}
	}
	if lost < 100 || early < 100 {
		t.Errorf("%d lost attempts, %d early ends: too few to tell", lost, early)
	}
}

func keepsWithin(t *testing.T, s *summary.Summary) {
	t.Helper()
	pic, err := sceneOf(s, "title", "subtitle", chart.Size{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range pic.Groups {
		for _, sh := range g.Shapes {
			if r, ok := sh.(rect); ok && (r.X < 0 || r.Y < 0 || r.W < 0 || r.X+r.W > pic.Width+0.01 || r.Y+r.H > pic.Height+0.01) {
				t.Errorf("%s: %+v leaves the picture of %v × %v", g.Title, r, pic.Width, pic.Height)
			}
		}
	}
}
