package bench

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downbeat/cmd/internal/bench/jobsets"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
)

// begun is a journal of three sets.
func begun(t *testing.T) (path string, src []byte) {
	path = filepath.Join(t.TempDir(), "journal")
	c, sets := config(), someSets(3)
	c.NoOptimum = true
	j := open(t, path, c, sets)
	run(t, t.Context(), c, sets, j, nil)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(src, []byte("\n")); n != 4 {
		t.Fatalf("%d lines for three sets", n)
	}
	return path, src
}

// A journal of another bench is refused, whatever the difference, and left as it was.
func TestJournalOfAnotherBench(t *testing.T) {
	path, src := begun(t)
	for part, change := range map[string]func(*Config, []jobsets.Set) []jobsets.Set{
		"version of the program": func(c *Config, s []jobsets.Set) []jobsets.Set { c.Program = "other"; return s },
		"job sets or seeds":      func(c *Config, s []jobsets.Set) []jobsets.Set { return s[:2] },
		"policies":               func(c *Config, s []jobsets.Set) []jobsets.Set { c.Policies = c.Policies[1:]; return s },
		"durations": func(c *Config, s []jobsets.Set) []jobsets.Set {
			c.Durations = durations.Uniform{Lo: 0.5, Hi: 1}
			return s
		},
		"faults":             func(c *Config, s []jobsets.Set) []jobsets.Set { c.Faults = &online.Faults{MTBF: 9, MTTR: 1}; return s },
		"use of the optimum": func(c *Config, s []jobsets.Set) []jobsets.Set { c.NoOptimum = false; return s },
		"objectives": func(c *Config, s []jobsets.Set) []jobsets.Set {
			c.Objectives = []model.Objective{model.Makespan}
			return s
		},
		"time limit":    func(c *Config, s []jobsets.Set) []jobsets.Set { c.TimeLimit = time.Second; return s },
		"solver's seed": func(c *Config, s []jobsets.Set) []jobsets.Set { c.SolverSeed = 2; return s },
	} {
		c := config()
		c.NoOptimum = true
		_, err := OpenJournal(path, c, change(c, someSets(3)))
		var refused *JournalError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "the "+part+" differ") {
			t.Errorf("%s: %v", part, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, src) {
			t.Fatalf("%s: the journal was changed", part)
		}
	}
	c := config()
	c.NoOptimum, c.Workers = true, 5
	open(t, path, c, someSets(3)).Close() // the number of workers does not matter
}

// A file that is no journal is refused and left alone; a torn end is cut off,
// wherever it is torn; damage elsewhere is told.
func TestJournalFiles(t *testing.T) {
	path, src := begun(t)
	c, sets := config(), someSets(3)
	c.NoOptimum = true
	lines := bytes.SplitAfter(src, []byte("\n"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, f := range []struct {
		name string
		src  []byte
		held int // -1: refused
	}{
		{"as it was", src, 3},
		{"empty", nil, 0},
		{"header torn", lines[0][:20], 0},
		{"header without its newline", bytes.TrimSuffix(lines[0], []byte("\n")), 0},
		{"last line torn", src[:len(src)-5], 2},
		{"last newline missing", src[:len(src)-1], 2},
		{"garbage at the end", append(bytes.Clone(src), 0, 0, 0), 3},
		{"last line damaged", join(lines[0], lines[1], []byte("{\n")), 1},
		{"middle line damaged", join(lines[0], []byte("{\n"), lines[1]), -1},
		{"a shopping list", []byte("milk\n"), -1},
		{"a shopping list of one line", []byte("milk"), -1},
		{"another JSON file", []byte("{\"version\": 1}\n"), -1},
		{"digest altered", bytes.Replace(src, []byte("sha256:"), []byte("sha256:0"), 1), -1},
		{"of another version", bytes.Replace(src, []byte(`"version":1`), []byte(`"version":2`), 1), -1},
	} {
		if err := os.WriteFile(path, f.src, 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := OpenJournal(path, c, sets)
		if f.held < 0 {
			if now, _ := os.ReadFile(path); err == nil || !bytes.Equal(now, f.src) {
				t.Errorf("%s: %v, or the file was changed", f.name, err)
			}
			continue
		}
		if err != nil || j.Len() != f.held {
			t.Errorf("%s: %v, wanted %d records", f.name, err, f.held)
			continue
		}
		run(t, t.Context(), c, sets, j, nil)
		j.Close()
		j = open(t, path, c, sets)
		if j.Len() != 3 {
			t.Errorf("%s: %d records after going on", f.name, j.Len())
		}
		j.Close()
	}
}

// A job set that is not what it was is not mixed with what it was.
func TestJournalOfOtherSets(t *testing.T) {
	path, _ := begun(t)
	c, sets := config(), someSets(3)
	c.NoOptimum = true
	sets[1].Make = func() (*model.JobSet, error) { return gen.Tiny(99), nil }
	j := open(t, path, c, sets)
	defer j.Close()
	_, err := Run(t.Context(), c, sets, j, nil)
	var input *InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "tiny-2") {
		t.Errorf("got %v", err)
	}
}
