package peers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// open opens a log and closes it at the end of the test.
func open(t *testing.T, path string, peers []Peer, opt Options) (*Log, []*Run) {
	t.Helper()
	l, known, err := OpenLog(path, peers, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, known
}

func TestLog(t *testing.T) {
	runs, peers := someRuns(t)
	path := filepath.Join(t.TempDir(), "runs.csv")
	opt := Options{Limit: 10 * time.Second, Workers: 1}
	log, known := open(t, path, peers, opt)
	if len(known) != 0 {
		t.Errorf("a new file has %d runs", len(known))
	}
	some := append(runs[:1:1], runs[4], runs[6])
	for _, r := range some {
		if err := log.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	const want = `jobset,digest,jobs,tasks,slaves,solver,version,round,limit_s,workers,status,proved,value,bound,first_plan_s,best_plan_s,proof_s,total_s,search_s,fault
pair,abc,2,2,1,downbeat,,1,10.000,1,optimal,true,"1,3","1,3",0.005,0.020,0.040,0.040,,
other,abc,2,2,1,gecode,6.2.0,1,10.000,1,feasible,false,"2,8",,0.300,0.400,,10.000,9.000,
other,abc,2,2,1,cp-sat,9.15,1,10.000,1,unknown,false,,,,,,0.100,,"exit status 1: no, not today"
`
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	// What is read back is what was written, but for the job sets.
	_, known = open(t, path, peers, opt)
	for _, r := range some {
		r.Set = &Set{Name: r.Set.Name, digest: r.Set.digest}
	}
	if diff := cmp.Diff(some, known, cmpopts.EquateEmpty(), cmp.AllowUnexported(Set{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestLogGoesOn: a line that was cut off is gone, lines are added after the
// others, and those of other limits, workers or versions are not known.
func TestLogGoesOn(t *testing.T) {
	runs, peers := someRuns(t)
	path := filepath.Join(t.TempDir(), "runs.csv")
	opt := Options{Limit: 10 * time.Second, Workers: 1}
	log, _ := open(t, path, peers, opt)
	log.Add(runs[0])
	log.Add(runs[1])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, "other,abc,2,2"...), 0o666); err != nil {
		t.Fatal(err)
	}
	log, known := open(t, path, peers, opt)
	log.Add(runs[4])
	text, _ := os.ReadFile(path)
	if len(known) != 2 || strings.Count(string(text), "\n") != 4 || !strings.HasPrefix(string(text), string(whole)+"other,abc,2,2,1,gecode") {
		t.Errorf("%d known runs in\n%s", len(known), text)
	}
	for name, test := range map[string]struct {
		opt   Options
		peers []Peer
		want  int
	}{
		"as it was":       {opt, peers, 3},
		"another limit":   {Options{Limit: time.Second, Workers: 1}, peers, 0},
		"another number":  {Options{Limit: opt.Limit, Workers: 2}, peers, 0},
		"another version": {opt, []Peer{peers[0], {Name: "gecode", Version: "7"}}, 1},
	} {
		if _, known := open(t, path, test.peers, test.opt); len(known) != test.want {
			t.Errorf("%s: %d known runs, want %d", name, len(known), test.want)
		}
	}
}

func TestLogRefusesOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.csv")
	for _, text := range []string{
		"a,b\n1,2\n",
		strings.Join(columns, ",") + "\npair,abc,2,2,1,x,,1,10.000,1,splendid,false,,,,,,1.000,,\n",
		strings.Join(columns, ",") + "\npair,abc,2,2,1,x,,one,10.000,1,unknown,false,,,,,,1.000,,\n",
		strings.Join(columns, ",") + "\npair\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err := OpenLog(path, []Peer{{Name: "x"}}, Options{Limit: 10 * time.Second, Workers: 1})
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%q was opened: %v", text, err)
		}
		if after, _ := os.ReadFile(path); string(after) != text {
			t.Errorf("%q became %q", text, after)
		}
	}
}
