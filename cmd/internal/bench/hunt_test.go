package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"downbeat/cmd/internal/schedulers"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
)

func target(policy string, gap bool) *HuntTarget {
	return &HuntTarget{Policy: policy, New: schedulers.New, Seed: 1, Gap: gap, Objective: model.WeightedTardiness}
}

func upTo(n int) []uint64 {
	var seeds []uint64
	for i := range n {
		seeds = append(seeds, uint64(i+1))
	}
	return seeds
}

func huntWritten(t *testing.T, f *Counterexample) string {
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What is hunted down holds up: the policy is late, an exhaustive search finds
// a plan, nothing smaller by a step shows the same, the file says so, and a
// second hunt brings the same.
func TestHuntForMisses(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, policy := range []string{"fifo", "edf", "llf", "penn-swcet-best"} {
		wanted := target(policy, false)
		found, _, err := wanted.Hunt(t.Context(), DefaultHuntSource(wanted), upTo(300), 2, nil)
		if err != nil || len(found) != 2 {
			t.Fatalf("%s: %d found, %v", policy, len(found), err)
		}
		again, _, err := wanted.Hunt(t.Context(), DefaultHuntSource(wanted), upTo(300), 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range found {
			text := huntWritten(t, f)
			if text != huntWritten(t, again[i]) {
				t.Errorf("%s: a second hunt brought another file", policy)
			}
			holdsUp(t, wanted, f, text)
			p, err := schedulers.New(policy, 1)
			if err != nil {
				t.Fatal(err)
			}
			out, err := online.Run(t.Context(), f.JobSet, p, online.Options{Seed: 1})
			if err != nil || out.HardMet() {
				t.Errorf("%s: misses nothing on\n%s", policy, text)
			}
			if a, err := oracle.SolveFor(f.JobSet, nil, false); err != nil || a.Status != model.Feasible {
				t.Errorf("%s: an exhaustive search finds no plan (%v) for\n%s", policy, err, text)
			}
		}
	}
}

// The same for gaps, of which the hunt brings the largest first.
func TestHuntForGaps(t *testing.T) {
	testkit.OneGoroutine(t)
	wanted := target("edf", true)
	seeds := upTo(testkit.Sets(20, 120))
	found, _, err := wanted.Hunt(t.Context(), DefaultHuntSource(wanted), seeds, 2, nil)
	if err != nil || len(found) != 2 {
		t.Fatalf("%d found, %v", len(found), err)
	}
	if found[0].Gap < found[1].Gap || found[1].Gap < 1 {
		t.Errorf("gaps %d and %d", found[0].Gap, found[1].Gap)
	}
	for _, f := range found {
		holdsUp(t, wanted, f, huntWritten(t, f))
		a, err := oracle.Solve(f.JobSet)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Outcome.Value(model.WeightedTardiness) - a.Values[0]; got != f.Gap {
			t.Errorf("an exhaustive search says that the gap is %d, the hunt that it is %d", got, f.Gap)
		}
	}
	largest := int64(0)
	for _, seed := range seeds {
		f, err := wanted.ofSeed(t.Context(), DefaultHuntSource(wanted), seed, 1)
		if err != nil {
			t.Fatal(err)
		}
		if f != nil {
			largest = max(largest, f.Gap)
		}
	}
	if found[0].Gap < largest {
		t.Errorf("found a gap of %d, there is one of %d", found[0].Gap, largest)
	}
}

// holdsUp tells whether a counterexample is valid, is as small as it gets, and is what
// its file says.
func holdsUp(t *testing.T, wanted *HuntTarget, f *Counterexample, text string) {
	t.Helper()
	js, err := jobfile.Load("found", []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if js.Digest() != f.JobSet.Digest() {
		t.Errorf("the file holds another job set:\n%s", text)
	}
	for _, want := range []string{"\n# answer: " + f.answer() + "\n", fmt.Sprintf("\n# online (%s): ", wanted.Policy), f.Headline()} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if err := check.Schedule(js, f.Best.Schedule, false).Err(); err != nil {
		t.Error(err)
	}
	d := candidateOf(f.JobSet)
	steps := 0
	for c := range d.steps() {
		if c.size() >= d.size() {
			continue
		}
		smaller, err := c.build("smaller")
		if err != nil {
			continue
		}
		steps++
		if g, err := wanted.test(t.Context(), smaller, f.Gap); err != nil || g != nil {
			t.Errorf("a step goes on from\n%s", text)
		}
	}
	if steps == 0 {
		t.Errorf("no step to try from\n%s", text)
	}
}

// Taking a set apart and building it again changes nothing but names.
func TestCandidates(t *testing.T) {
	testkit.OneGoroutine(t)
	for seed := range uint64(80) {
		of := gen.Tiny(seed)
		if seed%2 == 1 {
			of = gen.TodayTiny(seed)
		}
		if seed%4 >= 2 {
			of = gen.Coupled(of, seed, seed%3 == 0)
		}
		d := candidateOf(of)
		js, err := d.build("again")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, err := candidateOf(js).build("again")
		if err != nil || again.Digest() != js.Digest() {
			t.Fatalf("seed %d: the second one differs, %v", seed, err)
		}
		text := fmt.Sprintf("%+v", d)
		for c := range d.steps() {
			if got := fmt.Sprintf("%+v", d); got != text {
				t.Fatalf("seed %d: a step changed what it started from", seed)
			}
			if c.size() > d.size() {
				t.Errorf("seed %d: a step to %+v makes it larger", seed, c)
			}
			if js, err := c.build("step"); err == nil && js.Digest() == again.Digest() && c.size() < d.size() && len(c.named) == len(d.named) {
				t.Errorf("seed %d: a step that changes nothing counts as smaller", seed)
			}
		}
	}
}

// A hunt ends with its context, with what it has.
func TestInterruptedHunt(t *testing.T) {
	wanted := target("edf", false)
	ctx, stop := context.WithCancel(t.Context())
	sets := 0
	found, _, err := wanted.Hunt(ctx, DefaultHuntSource(wanted), upTo(5000), 1000, func(text string) {
		if strings.HasSuffix(text, "2 found") {
			stop()
		}
		sets++
	})
	if err != nil || len(found) != 2 || sets > 4000 {
		t.Errorf("%d found in %d sets, %v", len(found), sets, err)
	}
}

// What a hunt has is written though it was interrupted while it was made smaller.
func TestInterruptedWhileShrinking(t *testing.T) {
	for _, gap := range []bool{false, true} {
		wanted := target("edf", gap)
		ctx, stop := context.WithCancel(t.Context())
		plays := 0
		made := wanted.New
		wanted.New = func(spec string, seed uint64) (online.Policy, error) {
			if plays++; plays == 60 {
				stop()
			}
			return made(spec, seed)
		}
		found, looked, err := wanted.Hunt(ctx, DefaultHuntSource(wanted), upTo(50), 1000, nil)
		if err != nil || len(found) == 0 || !found[len(found)-1].Unfinished || looked > 50 {
			t.Fatalf("gap %v: %d found in %d sets, %v", gap, len(found), looked, err)
		}
		var text strings.Builder
		if err := found[len(found)-1].Write(&text); err != nil || !strings.Contains(text.String(), "which was interrupted") {
			t.Errorf("%v:\n%s", err, &text)
		}
	}
}

// A source that fails is the input's fault.
func TestBadSource(t *testing.T) {
	wanted := target("edf", false)
	_, _, err := wanted.Hunt(t.Context(), func(uint64) (*model.JobSet, error) { return nil, errors.New("gone") }, upTo(1), 1, nil)
	var input *InputError
	if !errors.As(err, &input) {
		t.Errorf("got %v", err)
	}
}

// A policy that does not exist ends the hunt.
func TestBadPolicy(t *testing.T) {
	wanted := target("no such policy", false)
	if _, _, err := wanted.Hunt(t.Context(), DefaultHuntSource(wanted), upTo(1), 1, nil); err == nil || !strings.Contains(err.Error(), "no such policy") {
		t.Errorf("got %v", err)
	}
}
