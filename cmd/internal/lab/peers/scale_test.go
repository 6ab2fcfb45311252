package peers

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
)

// growths are two sets, one with a plan that got better, and one without any.
func growths() []*Growth {
	set := func(tasks int) *Set {
		return &Set{JobSet: &model.JobSet{
			Jobs: make([]model.Job, tasks/20), Tasks: make([]model.Task, tasks), Slaves: make([]model.Slave, tasks/100),
		}}
	}
	return []*Growth{
		{Run: &Run{Set: set(1000), Planned: true, Values: []int64{3, 7}, Bounds: []int64{2}, Read: 50 * time.Millisecond,
			First: time.Second, Best: 12 * time.Second, Total: 30 * time.Second, Memory: 3 << 20,
			Path: []Point{{time.Second, []int64{9, 9}}, {4 * time.Second, []int64{5, 9}}, {12 * time.Second, []int64{3, 7}}},
			Rise: []Point{{2 * time.Second, []int64{1}}, {15 * time.Second, []int64{2}}},
		}, Seed: 4, FileSize: 1 << 19, ByRules: []int64{11, 12}, Other: &Run{Peer: "cp-sat", Planned: true, Values: []int64{8, 8}, Bounds: []int64{1}}},
		{Run: &Run{Set: set(2000), Read: 100 * time.Millisecond, First: Never, Best: Never, Total: 30 * time.Second, Memory: 5 << 20}, Seed: 4, FileSize: 1 << 20},
	}
}

func TestWriteScale(t *testing.T) {
	var out bytes.Buffer
	if err := WriteScale(&out, growths(), Options{Limit: 30 * time.Second, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	const want = `tasks,seed,slaves,jobs,workers,limit_s,file_mb,read_s,first_plan_s,rules_value,first_value,value_1s,bound_1s,value_10s,bound_10s,value,bound,other,other_value,other_bound,total_s,memory_mb
1000,4,10,50,1,30.000,0.5,0.050,1.000,11,9,9,,5,1,3,2,cp-sat,8,1,30.000,3.0
2000,4,20,100,1,30.000,1.0,0.100,,,,,,,,,,,,,30.000,5.0
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDrawScale(t *testing.T) {
	var out bytes.Buffer
	if err := DrawScale(&out, "svg", growths()[:1]); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"first plan", "in proportion", "seconds", "MB"} {
		if !strings.Contains(out.String(), ">"+word+"<") {
			t.Errorf("no %q in the picture", word)
		}
	}
}

// TestScale plans two small sets in processes of their own.
func TestScale(t *testing.T) {
	told := 0
	opt := Options{Limit: 5 * time.Second, Workers: 1}
	all, err := Scale(t.Context(), self(t, "answer"), nil, []int{100, 200}, []uint64{1}, opt, t.TempDir(), func(*Growth) { told++ })
	if err != nil || len(all) != 2 || told != 2 {
		t.Fatalf("%d sets, %v", len(all), err)
	}
	for _, g := range all {
		if len(g.ByRules) != 1 || !g.Planned || g.Read <= 0 || g.Read > g.First || g.First > g.Total || len(g.Path) == 0 || g.FileSize == 0 {
			t.Errorf("%+v", g.Run)
		}
		if last := g.Path[len(g.Path)-1]; last.Values[0] != g.Values[0] || last.At != g.Best {
			t.Errorf("the path ends with %v, the best plan has %v", last, g.Values)
		}
	}
	_, err = Scale(t.Context(), append(self(t, "pretend"), "crash"), nil, []int{100}, []uint64{1}, opt, t.TempDir(), func(*Growth) {})
	if err == nil || !strings.Contains(err.Error(), "out of luck") {
		t.Errorf("a process that fails: %v", err)
	}
}

func TestSortedSizes(t *testing.T) {
	if got, err := SortedSizes([]int{300, 100}); err != nil || got[0] != 100 || got[1] != 300 {
		t.Errorf("%v, %v", got, err)
	}
	for _, sizes := range [][]int{nil, {99, 100}, {-1}} {
		if got, err := SortedSizes(sizes); err == nil {
			t.Errorf("%v became %v", sizes, got)
		}
	}
}

// TestBudgets: more work is never worse, and the answer is the same each time.
func TestBudgets(t *testing.T) {
	sets, err := Load([]string{"family:misses:1"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lines := func() [][]string {
		var out bytes.Buffer
		if err := Budgets(t.Context(), &out, sets, []int64{1, 100}); err != nil {
			t.Fatal(err)
		}
		var rows [][]string
		for line := range strings.Lines(out.String()) {
			fields := strings.Fields(line)
			rows = append(rows, fields[:len(fields)-1]) // the last is a time
		}
		return rows
	}
	first := lines()
	if diff := cmp.Diff(first, lines()); diff != "" {
		t.Errorf("two tables from the same work:\n%s", diff)
	}
	if len(first) != 3 || first[1][0] != "misses-1" || first[1][2] != "1" || first[2][0] != "100" {
		t.Errorf("%v", first)
	}
}
