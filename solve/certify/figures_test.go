package certify_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/certificate"
	"downbeat/model/gen"
	"downbeat/model/jobfile"
	"downbeat/solve"
)

// A measured solve: how long it took without and with a proof, and to check that, in
// seconds of processor time; how large the proof is; how many claims it has of the answer's.
type measured struct {
	solve, emit, check float64
	bytes, steps       int
	claims, open       int
	fault              error
}

// spent is the processor time of the program so far.
func spent() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano()).Seconds()
}

func measure(t *testing.T, js *model.JobSet, opt solve.Options) measured {
	var m measured
	opt.Workers, opt.NoConflict = 1, true
	from := spent()
	if _, err := solve.Plan(t.Context(), js, opt); err != nil {
		t.Fatal(err)
	}
	m.solve = spent() - from
	opt.Proof = true
	from = spent()
	r, err := solve.Plan(t.Context(), js, opt)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Certificate
	m.claims, m.open = len(c.Claims), len(c.Open)
	var text bytes.Buffer
	if m.claims > 0 {
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
	}
	m.emit, m.bytes = spent()-from, text.Len()
	if m.claims > 0 {
		from = spent()
		v, err := certificate.Check(t.Context(), js, &text)
		if m.check, m.fault = spent()-from, err; err == nil {
			m.steps = v.Steps
		}
	}
	return m
}

// median of what is more than 0; 0 of nothing.
func median[T int | float64](all []T) T {
	all = slices.DeleteFunc(slices.Clone(all), func(v T) bool { return v <= 0 })
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// row is a line of the table of docs/proof.md.
func row(family string, all []measured) string {
	var bytes, steps []int
	var emit, check []float64
	proved, open, faults, claims := 0, 0, 0, 0
	for i := range all {
		m := &all[i]
		claims, open = claims+m.claims+m.open, open+m.open
		if m.fault != nil {
			faults++
		}
		if m.claims == 0 {
			continue
		}
		proved++
		bytes, steps = append(bytes, m.bytes), append(steps, m.steps)
		if m.solve > 0.01 { // below that the clock tells little
			emit, check = append(emit, m.emit/m.solve), append(check, m.check/m.solve)
		}
	}
	text := fmt.Sprintf("| %s | %d | %d | %d of %d | %d, %d | %d, %d | %.2f | %.2f |", family, len(all), proved, claims-open, claims,
		median(steps), slices.Max(append(steps, 0)), median(bytes), slices.Max(append(bytes, 0)), median(emit), median(check))
	if faults > 0 {
		text += fmt.Sprintf(" %d proofs refused", faults)
	}
	return text
}

// TestProofFigures prints the table of docs/proof.md, where DOWNBEAT_PROOFS says how many
// random sets of each kind it is to be about.
func TestProofFigures(t *testing.T) {
	n := 0
	if _, err := fmt.Sscan(os.Getenv("DOWNBEAT_PROOFS"), &n); err != nil {
		t.Skip("DOWNBEAT_PROOFS does not ask for it")
	}
	limit, whole := solve.Options{TimeLimit: 20 * time.Second}, solve.Options{Budget: 1_000_000, Seed: 1}
	for _, family := range []struct {
		name, files string
		opt         solve.Options
	}{
		{"examples", "../../examples/*.yaml", limit},
		{"open bench", "../../../shared/bench/*.yaml", limit},
		{"ten classics", "../../../shared/bench/external/*.yaml", whole},
		{"ft10", "../../../shared/bench/external/jsp-ft10.yaml", whole},
	} {
		names, err := filepath.Glob(family.files)
		if err != nil {
			t.Fatal(err)
		}
		var all []measured
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			js, err := jobfile.Load(name, src)
			if err != nil {
				t.Fatal(err)
			}
			m := measure(t, js, family.opt)
			t.Logf("%s: %+v", strings.TrimSuffix(filepath.Base(name), ".yaml"), m)
			all = append(all, m)
		}
		t.Log(row(family.name, all))
	}
	for _, family := range []struct {
		name string
		set  func(seed uint64) *model.JobSet
	}{
		{"tiny", gen.Tiny},
		{"tiny, with containers, graphs, jobs after jobs", gen.TodayTiny},
		{"ten tasks", func(seed uint64) *model.JobSet { return gen.Small(seed, 10) }},
		{"ten tasks, with containers, graphs, jobs after jobs", func(seed uint64) *model.JobSet { return gen.TodaySmall(seed, 10) }},
	} {
		var all []measured
		for seed := range uint64(n) {
			if js := family.set(seed); !js.FIFO {
				all = append(all, measure(t, js, solve.Options{TimeLimit: 5 * time.Second}))
			}
		}
		t.Log(row(family.name, all))
	}
}
