package trace

import (
	"testing"
)

// Older versions have all of a task in one place.
func TestOlderVersions(t *testing.T) {
	tr := ReadForTest(t, ReadFunc(Workflow), `{"name":"w","workflow":{"makespan":9,"machines":[{"nodeName":"m","cpu":{"count":8}}],
	"tasks":[{"name":"a_1","runtime":1.5,"cores":2,"machine":"m","parents":[]},{"name":"b_1","runtimeInSeconds":2,"parents":["a_1"]},{"name":"b_2","parents":["a_1"]}, {"x":1}, 7]}}`)
	if len(tr.Jobs) != 1 || len(tr.Jobs[0].Stages) != 2 || len(tr.Machines) != 1 || tr.Machines[0].Cores != 8 {
		t.Fatalf("%+v, %+v", tr.Jobs, tr.Machines)
	}
	a, b := tr.Jobs[0].Stages[0], tr.Jobs[0].Stages[1]
	if a.Name != "a" || a.Cores != 2 || a.Tasks[0].Time != 1500 || len(b.Tasks) != 2 || b.Tasks[1].Time != Unknown || len(b.After) != 1 {
		t.Errorf("%+v, %+v", a, b)
	}
	if tr.Unusable.Count() != 2 || tr.Remarks.Count() != 1 {
		t.Errorf("%+v, %+v", tr.Unusable, tr.Remarks)
	}
}
