package trace

import (
	"testing"
)

// Comments tell of the machine, columns of jobs; what did not run is left out.
func TestSWF(t *testing.T) {
	tr := ReadForTest(t, ReadFunc(SWF), "; MaxNodes: 8\n; UnixStartTime: 100\n1 5 2 30 4 -1 -1 8 60 2 1 1 1 1 1 1 -1 -1\n2 6 -1 -1 4 -1 -1 4 60 -1 0 1 1 1 1 1 1 -1\n3 7 -1 10 -1 -1 -1 16 -1 -1 1 1 1 1 1 1 1 0\n")
	if len(tr.Jobs) != 2 || !tr.Epoch || tr.Unusable.Count() != 1 || tr.Machines[0].Cores != 16 {
		t.Fatalf("%+v, %+v, %+v", tr.Jobs, tr.Unusable, tr.Machines)
	}
	a, b := tr.Jobs[0], tr.Jobs[1]
	if a.Submit != 105_000 || a.Finish != 137_000 || a.Stages[0].Cores != 4 || a.Stages[0].Memory != 8192 || a.Stages[0].Tasks[0].Declared != 60_000 || a.Stages[0].Tasks[0].Start != 107_000 {
		t.Errorf("%+v", a)
	}
	if b.Stages[0].Cores != 16 || len(b.After) != 1 || b.After[0] != "job-1" || b.Finish != Unknown {
		t.Errorf("%+v", b)
	}
}
