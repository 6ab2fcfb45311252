package policies_test

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/policies"
)

var update = flag.Bool("update", false, "write the decisions of all policies anew (the whole table, with DOWNBEAT_LONG=1)")

const golden = "testdata/golden.tsv"

// specs are all policies, and those with other parameters of which the code is
// another.
func specs() []string {
	return append(policies.Names(),
		"fifo:hadoop=yes", "edf:choice=best,feasible=yes", "llf:feasible=yes", "wspt:choice=best", "atc:k=0.5,choice=best",
		"penn-density-best:delta=0.1", "penn-densest-first:k=30", "penn-edf-first:first=number",
		"rtmr:feedback=no", "rtmr:order=llf,keep=yes,delta=0", "rtmr:reserve=printed,learn=yes", "rtmr:reserve=strict", "dc:reduces=running", "dc:learn=yes",
		"maxweight:length=waiting,order=fifo", "maxweight:alpha=2,gamma=1",
		"minedf-wc:spare=no,bound=upper", "minedf-wc:kill=yes", "delay:skips=2", "balanced-pandas:alpha=1,gamma=0.2", "gree:beat=no", "gree:early=yes", "lowcost:early=yes",
		"rds:interval=7,declared=yes", "rds:wait=yes", "rds:oneway=yes,interval=5",
		"rds:fastpath=queue,rush=no,reference=fixed,interval=7")
}

// goldenSet is the i-th of the table, with its options.
func goldenSet(t *testing.T, i uint64) (*model.JobSet, online.Options) {
	t.Helper()
	opts := online.Options{Seed: i, Trace: i%3 == 0}
	if i%2 == 1 {
		opts.Durations = durations.Uniform{Lo: 0.3, Hi: 1}
	}
	if i%4 == 2 {
		opts.Faults = &online.Faults{MTBF: 60, MTTR: 10}
	}
	switch i % 5 {
	case 0, 1:
		return gen.Small(i, 20+int(i)), opts
	case 2:
		return gen.Tiny(i), opts
	case 3:
		js, _, err := gen.Family("misses", i)
		if err != nil {
			t.Fatal(err)
		}
		return js, opts
	default:
		return gen.Scale(100+20*int(i), i), opts
	}
}

// decisions is all that came of a run, traces included, as a short hash.
func decisions(t *testing.T, js *model.JobSet, spec string, opts online.Options) string {
	t.Helper()
	p, err := policies.New(spec, opts.Seed)
	if err != nil {
		t.Fatal(err)
	}
	out, err := online.Run(context.Background(), js, p, opts)
	if err != nil {
		t.Fatalf("%s on %s: %v", spec, js.Name, err)
	}
	// Of lost attempts, what was decided and seen: not how long they would have taken.
	type attempt struct {
		Task model.TaskID
		model.Placement
		End model.Time
	}
	var lost []attempt
	for _, a := range out.Lost {
		lost = append(lost, attempt{a.Task, a.Placement, a.End})
	}
	h := sha256.New()
	fmt.Fprintln(h, out.Schedule, out.Ends, out.Finishes, out.Rejected, lost, out.Failures, out.Trace)
	return fmt.Sprintf("%x", h.Sum(nil)[:6])
}

// What policies decide stays as it was when the table was made, however it is
// found. The table was made by policies that went through all that waits at every
// heartbeat.
func TestDecisionsStay(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("rds rounds otherwise where products and sums are fused")
	}
	var made strings.Builder
	for i := range testkit.Sets[uint64](5, 40) {
		js, opts := goldenSet(t, i)
		for _, spec := range specs() {
			fmt.Fprintf(&made, "%d\t%s\t%s\t%s\n", i, js.Name, spec, decisions(t, js, spec, opts))
		}
	}
	if *update {
		if !testkit.All() {
			t.Fatal("-update writes the whole table: run it with DOWNBEAT_LONG=1")
		}
		if err := os.WriteFile(golden, []byte(made.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{} // by set and policy
	for line := range strings.Lines(string(want)) {
		kept[keyOf(line)] = line
	}
	for line := range strings.Lines(made.String()) {
		switch before, there := kept[keyOf(line)]; {
		case !there:
			t.Errorf("no decisions are kept of this; DOWNBEAT_LONG=1 go test ./online/policies -update adds them:\n%s", line)
		case line != before:
			t.Errorf("decided otherwise than before:\n%s%s", line, before)
		}
	}
}

// keyOf is the set and the policy of a line of the table.
func keyOf(line string) string { return line[:strings.LastIndexByte(line, '\t')] }
