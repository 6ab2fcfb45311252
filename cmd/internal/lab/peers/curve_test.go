package peers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/chart"
)

// someCurve: of tight sets downbeat settles all but one of the largest, slow
// takes its time and is asked no more after 40.
func someCurve(t *testing.T) *Curve {
	t.Helper()
	var text strings.Builder
	fmt.Fprintln(&text, strings.Join(columns, ","))
	add := func(set, solver string, proof float64) {
		proved, status := proof > 0, "infeasible"
		if !proved {
			proof, status = 60, "unknown"
		}
		fmt.Fprintf(&text, "%s,abc,2,2,1,%s,,1,60.000,1,%s,%t,,,,,,%.3f,,\n", set, solver, status, proved, proof)
	}
	for set, proofs := range map[string][2]float64{
		"tight-20-1": {0.1, 5}, "tight-20-2": {0.1, 20}, "tight-40-1": {3, 0}, "tight-40-2": {3, 0},
		"nightly": {1, 1}, "misses-20-1": {0.2, 0.5},
	} {
		add(set, "slow", proofs[1])
		add(set, "downbeat", proofs[0])
	}
	add("tight-60-1", "downbeat", 30)
	add("tight-60-2", "downbeat", 0)
	c, err := ReadCurve(fileOf(t, text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func fileOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCurveTable(t *testing.T) {
	c := someCurve(t)
	c.Traits = []string{"tight", "misses"} // the map above has no order
	var out bytes.Buffer
	if err := c.Table(&out, []time.Duration{10 * time.Second, time.Minute}); err != nil {
		t.Fatal(err)
	}
	const want = `settled of  tasks  solver    runs  by 10s  by 1m
tight       20     downbeat  2     2       2
tight       20     slow      2     1       2
tight       40     downbeat  2     2       2
tight       40     slow      2     0       0
tight       60     downbeat  2     0       1
misses      20     downbeat  1     1       1
misses      20     slow      1     1       1

Largest size up to which at least half are settled at every size:
trait   solver    by 10s  by 1m
tight   downbeat  40      60
tight   slow      20      20
misses  downbeat  20      20
misses  slow      20      20
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestCurvePanel: a point for each size at which the solver was asked.
func TestCurvePanel(t *testing.T) {
	c := someCurve(t)
	p := c.panel("tight", time.Minute)
	text := func(s chart.Series) string { return fmt.Sprint(s.Name, s.X, s.Y, s.Bold) }
	if got, want := fmt.Sprint(p.Title, "; ", text(p.Series[0]), "; ", text(p.Series[1])),
		"tight, 1m; downbeat[20 40 60] [1 1 0.5] true; slow[20 40 60] [1 0 NaN] false"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, by := range [][]time.Duration{{time.Minute}, {10 * time.Second, time.Minute}} {
		var out bytes.Buffer
		if err := c.Draw(&out, "svg", by); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), ">share settled<"); got != len(by)*2 {
			t.Errorf("%d panels", got)
		}
	}
}

func TestCurveOfNothing(t *testing.T) {
	for _, text := range []string{
		"", "a,b\n", strings.Join(columns, ",") + "\n",
		strings.Join(columns, ",") + "\nnightly,abc,2,2,1,x,,1,10.000,1,unknown,false,,,,,,1.000,,\n",
		strings.Join(columns, ",") + "\ntight-20-1,abc,2,2,1,x,,1,10.000,1,splendid,false,,,,,,1.000,,\n",
	} {
		if c, err := ReadCurve(fileOf(t, text)); err == nil {
			t.Errorf("%q: %v", text, c)
		}
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Minute: "1m", 10 * time.Second: "10s", 90 * time.Second: "1m30s", time.Hour: "1h", 500 * time.Millisecond: "500ms",
	} {
		if got := short(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
