package summary

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/gen"
)

// In every valid plan the attempts of a lane follow each other, and a pool
// needs no more lanes than it has slots.
func TestLanesAreSlots(t *testing.T) {
	for seed := range uint64(200) {
		js := gen.Small(seed, 20)
		s := Summarize(js, heuristics.Complete(js, model.NewSchedule(len(js.Tasks))))
		type lane struct {
			slave model.SlaveID
			lane  int
		}
		until := map[lane]model.Time{}
		for _, a := range s.Attempts {
			l := lane{a.Slave, a.Lane}
			if a.Assigned < until[l] {
				t.Errorf("seed %d: %s is assigned at %d to lane %v, taken until %d", seed, js.TaskName(a.Task), a.Assigned, l, until[l])
			}
			until[l] = a.Finish
			slave, row := &js.Slaves[a.Slave], &s.Slaves[a.Slave]
			from, to := 0, row.Lanes[0]
			if slave.Pool(js.Tasks[a.Task].Slot) == 1 {
				from, to = row.Lanes[0], row.LaneCount()
			}
			if a.Lane < from || a.Lane >= to || to-from > slave.PoolSize(slave.Pool(js.Tasks[a.Task].Slot)) {
				t.Errorf("seed %d: %s lies in lane %d of [%d, %d)", seed, js.TaskName(a.Task), a.Lane, from, to)
			}
		}
	}
}

// What a plan holds is what is counted tick by tick from its tasks.
func TestUseCountedTickByTick(t *testing.T) {
	held := 0
	for seed := range testkit.Sets[uint64](100, 2000) {
		js := gen.TodayTiny(seed)
		plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
		s := Summarize(js, plan)
		for i := range s.Slaves {
			var run model.Time
			var units [model.MaxNamed]int64
			for now := range s.End {
				for k, p := range plan {
					task, finish := &js.Tasks[k], js.Finish(model.TaskID(k), p)
					if p.Slave != model.SlaveID(i) || now < js.Assigned(p) || now >= finish {
						continue
					}
					if now >= p.Start {
						run += model.Time(js.Need(task, p.Slave, model.Cores))
					}
					for r := range js.Named {
						units[r] += js.Need(task, p.Slave, model.FirstNamed+model.ResourceID(r))
						held++
					}
				}
			}
			if line := &s.Slaves[i]; line.Run != run || line.Units != units {
				t.Errorf("seed %d, slave %s: run %d, units %v; counted %d, %v", seed, js.Slaves[i].Name, line.Run, line.Units, run, units)
			}
		}
	}
	if held == 0 {
		t.Error("no set has named resources")
	}
}

func TestSummary(t *testing.T) {
	s := Summarize(reporttest.LoadNightly(t), reporttest.NightlyPlan)
	if s.End != 35 {
		t.Errorf("End = %d", s.End)
	}
	wantJobs := []JobLine{
		{ID: 0, First: 0, Finish: 20, Uses: []Use{{0, 2}, {1, 1}}},
		{ID: 1, First: 3, Finish: 21, Late: 4, Uses: []Use{{0, 2}}},
		{ID: 2, First: 25, Finish: 35, Uses: []Use{{1, 1}}},
	}
	if diff := cmp.Diff(wantJobs, s.Jobs); diff != "" {
		t.Errorf("jobs (-want +got):\n%s", diff)
	}
	wantSlaves := []SlaveLine{
		{ID: 0, Tasks: 4, Run: 5 + 6 + 7 + 7, Held: 7 + 8 + 11 + 15, Fetch: 2 + 1 + 1 + 1, Up: 35, Lanes: [2]int{3, 0}},
		{ID: 1, Tasks: 2, Run: 9 + 10, Held: 11 + 10, Fetch: 2, Up: 35 - 6, Lanes: [2]int{1, 1}},
	}
	if diff := cmp.Diff(wantSlaves, s.Slaves); diff != "" {
		t.Errorf("slaves (-want +got):\n%s", diff)
	}
}
