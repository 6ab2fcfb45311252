package peers

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
)

// someRuns: on the first set all prove, on the second only the first does, and
// there are two rounds, of which the slower counts where it is in the middle.
func someRuns(t *testing.T) ([]*Run, []Peer) {
	pair, other := pair(t), pair(t)
	pair.digest, other.Name, other.digest = "abc", "other", "abc"
	ms := time.Millisecond
	best := []int64{1, 3}
	return []*Run{
		{Set: pair, Peer: "downbeat", Status: model.Optimal, Planned: true, Values: best, Bounds: best, First: 5 * ms, Best: 20 * ms, Total: 40 * ms},
		{Set: pair, Peer: "gecode", Status: model.Optimal, Planned: true, Values: best, Bounds: best, First: 300 * ms, Best: 400 * ms, Total: 1200 * ms, Search: 1000 * ms},
		{Set: pair, Peer: "gecode", Round: 1, Status: model.Optimal, Planned: true, Values: best, Bounds: best, First: 300 * ms, Best: 400 * ms, Total: 800 * ms, Search: 600 * ms},
		{Set: pair, Peer: "gecode", Round: 2, Status: model.Unknown, First: Never, Best: Never, Total: 10 * time.Second},
		{Set: other, Peer: "gecode", Status: model.Feasible, Planned: true, Values: []int64{2, 8}, First: 300 * ms, Best: 400 * ms, Total: 10 * time.Second, Search: 9 * time.Second},
		{Set: other, Peer: "downbeat", Status: model.Optimal, Planned: true, Values: best, Bounds: best, First: 5 * ms, Best: 20 * ms, Total: 50 * ms},
		{Set: other, Peer: "cp-sat", First: Never, Best: Never, Total: 100 * ms, Fault: "exit status 1: no, not today"},
	}, []Peer{{Name: "downbeat"}, {Name: "gecode", Version: "6.2.0"}, {Name: CPSAT, Version: "9.15"}}
}

func TestTable(t *testing.T) {
	runs, peers := someRuns(t)
	var out bytes.Buffer
	if err := Table(&out, runs, peers, Options{Limit: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	const want = `set    tasks  slaves  solver    answer   value  bound  first  best  proof  search  ratio
pair   2      1       downbeat  optimal  1,3    1,3    0.01   0.02  0.04   -       1
                      gecode    optimal  1,3    1,3    0.30   0.40  1.20   1.00    30
other  2      1       downbeat  optimal  1,3    1,3    0.01   0.02  0.05   -       1
                      gecode    open     2,8    -      0.30   0.40  -      -       >200
                      cp-sat    failed   -      -      -      -     -      -       >200

solver    version  proved  with plan  best value  median ratio  of search alone  over sets
downbeat  -        2 of 2  2          2           1             -                2
gecode    6.2.0    1 of 2  2          1           30            25               1
cp-sat    9.15     0 of 1  0          0           -             -                0

Times in seconds, from the start of the process. ratio: time to proof over that of downbeat.
search: what a solver says of its own time, without start-up and translation.
other, cp-sat: exit status 1: no, not today
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRatioWithoutProofOfTheBase(t *testing.T) {
	set := pair(t)
	base := &row{Run: &Run{Set: set, Status: model.Unknown, Total: 10 * time.Second}}
	fast := &row{Run: &Run{Set: set, Status: model.Infeasible, Total: time.Second}, base: base}
	open := &row{Run: &Run{Set: set, Total: 10 * time.Second}, base: base}
	opt := Options{Limit: 10 * time.Second}
	if got := fast.ratio(opt); got != "<0.1" {
		t.Errorf("ratio %s, want <0.1", got)
	}
	if got := open.ratio(opt); got != "-" {
		t.Errorf("neither proved: %s", got)
	}
}
