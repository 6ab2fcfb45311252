package online

import (
	"testing"

	"downbeat/model"
)

// oneSlave has two cores and three slots, and tasks that hold one core or two.
func oneSlave(t *testing.T) *model.JobSet {
	t.Helper()
	task := func(cores int64) model.Group {
		p := model.NewProfile(model.ConstRow(1, 5), model.ConstRow(1, 2)).Needing(model.Needs{Cores: cores})
		return model.Group{Count: 2, Profile: p}
	}
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 2, Slots: 3}}, Jobs: []model.Job{{
		Name: "a", Stages: []model.Stage{{Name: "map", Groups: []model.Group{task(1), task(2)}}},
	}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// Inputs come one after the other, no task overtakes another, and nothing that keeps to its
// worst case ends later than is promised at worst cases.
func TestSlave(t *testing.T) {
	js := oneSlave(t)
	s := &newSlaveLoads(js)[0]
	give := func(task model.TaskID, at, length, promised model.Time) heldTask {
		t.Helper()
		if promise := s.Room(at, task).Finish(at, 2, 5); promise != promised {
			t.Errorf("task %d: promised is %d, not %d", task, promise, promised)
		}
		return *s.Give(heldTask{Task: task, Assigned: at, Beat: at, Transfer: 2, WCET: 5}, length)
	}
	if h := give(0, 0, 5, 7); h.Fetch != 0 || h.Start != 2 || h.End != 7 {
		t.Errorf("the first: %+v", h)
	}
	if h := give(2, 0, 3, 12); h.Fetch != 2 || h.Start != 7 || h.End != 10 { // needs both cores
		t.Errorf("the second: %+v", h)
	}
	if h := give(1, 1, 5, 17); h.Fetch != 4 || h.Start != 10 || h.End != 15 { // a core is free before, but for the one ahead
		t.Errorf("the third: %+v", h)
	}
	if s.FreeSlots() != 0 || s.Free(model.MapSlots) != 0 || s.Fits(3) || s.Free(model.FirstNamed) != 0 {
		t.Error("a slot is free")
	}
	if room := s.Room(1, 3); room.Free != 7 {
		t.Errorf("room from %d on", room.Free)
	}
	if s.End(0, 6) || !s.End(0, 7) || len(s.Held()) != 2 || !s.Fits(3) {
		t.Errorf("at 7: %+v", s.Held())
	}
	if s.Overran(11) || !s.Overran(12) {
		t.Error("what has run for 5 ticks has overrun, and nothing before")
	}
	if s.Empty(20); len(s.Held()) != 0 || s.FreeSlots() != 3 || s.Room(20, 3).Finish(20, 2, 5) != 27 {
		t.Errorf("emptied: %+v", s)
	}
}
