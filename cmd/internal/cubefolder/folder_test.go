package cubefolder

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/certify"
	"downbeat/solve/cubes"
)

// literals splits a set by some starts, as its tasks may happen to begin: some sides have no plan at all.
func literals(js *model.JobSet, rng *rand.Rand) []string {
	var out []string
	for t := range js.Tasks {
		st := &js.Jobs[js.Tasks[t].Job].Stages[js.Tasks[t].Stage]
		if st.IsGang() {
			continue // tasks of a gang share a start
		}
		if js.Jobs[js.Tasks[t].Job].Kind == model.Hard { // others may be no part of the question
			out = append(out, fmt.Sprintf("s%d<=%d", t, rng.IntN(12)))
		}
	}
	rng.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

// folderOf makes a folder with cubes of all plans of js.
func folderOf(t *testing.T, js *model.JobSet, goal []model.Objective, rng *rand.Rand) string {
	t.Helper()
	p, err := cubes.New(js, goal, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := []cubes.Cube{{}}
	for _, l := range literals(js, rng)[:min(3, len(literals(js, rng)))] {
		var next []cubes.Cube
		for _, c := range all {
			for _, side := range []string{l, strings.Replace(l, "<=", ">", 1)} {
				next = append(next, cubes.Cube{Literals: append(c.Literals[:len(c.Literals):len(c.Literals)], side)})
			}
		}
		all = next
	}
	for k := range all {
		all[k].Name = fmt.Sprint(k + 1)
	}
	dir := filepath.Join(t.TempDir(), "cubes")
	n := &New{JS: js, Goal: goal, Seed: 1, Start: Start{Objectives: []model.ObjectiveValue{}}, Problem: p, Cubes: all, Most: cubes.AnyPlan, Budget: 64}
	if err := Create(t.Context(), dir, n); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string) *Folder {
	t.Helper()
	f, err := Open(context.Background(), terminal.New(nil, nil, nil), dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// shards has several processes work in a folder, each of which ends at some moment and begins again, until
// no cube is left.
func shards(t *testing.T, dir string, n int, seed uint64) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			for round := 1; ; round++ {
				f, err := Open(context.Background(), terminal.New(nil, nil, nil), dir)
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					return
				}
				if !f.Left() {
					return
				}
				ctx, stop := context.WithTimeout(context.Background(), time.Duration(round*rng.IntN(20_000))*time.Microsecond)
				k := &worker{Folder: f, Work: &Work{Index: i + 1, Count: n}}
				if left, _ := f.Open(); len(left) > 0 && rng.IntN(4) == 0 { // as if its work had been used up
					if c := left[rng.IntN(len(left))]; len(c.Literals) < 6 {
						if some := literals(f.JS, rng); len(some) > 0 && !slices.ContainsFunc(c.Literals, func(l string) bool { return variable(l) == variable(some[0]) }) {
							if err := k.writeSplit(c.Name, some[0]); err != nil {
								t.Error(err)
							}
						}
					}
				}
				if _, err := f.Do(ctx, &Work{Index: i + 1, Count: n, Tell: func(string) {}}); err != nil {
					t.Errorf("seed %d: %v", seed, err)
					stop()
					return
				}
				stop()
			}
		})
	}
	all.Wait()
}

// variable is what a literal is about: no search splits a cube by a bound that contradicts one it has.
func variable(literal string) string {
	return strings.TrimLeft(strings.FieldsFunc(literal, func(r rune) bool { return r == '<' || r == '>' })[0], "-")
}

// What shards come to that run side by side, are ended at any moment and begin again, is what exhaustive
// search says, and has a proof that the checker accepts.
func TestShardsAgainstExhaustiveSearch(t *testing.T) {
	kinds, split := map[model.Status]int{}, 0
	few := uint64(16)
	if testkit.Race() {
		few = 6
	}
	for seed := range testkit.Seeds(t, testkit.Tiny(t, few, 120)) {
		js := gen.TodayTiny(seed)
		if seed%2 == 0 {
			js = gen.Tiny(seed)
		}
		js.FIFO = false
		if js.Leavable() != nil {
			continue
		}
		for i := range js.Jobs {
			if job := &js.Jobs[i]; seed%4 > 1 && job.Kind == model.Hard {
				job.Deadline = max(1, job.Deadline*2/3)
			}
		}
		goal := js.Goal()
		goal = goal[:min(1, len(goal))]
		rng := rand.New(rand.NewPCG(seed, 8))
		dir := folderOf(t, js, goal, rng)
		shards(t, dir, 1+rng.IntN(3), seed)
		f := open(t, dir)
		if f.Left() {
			t.Fatalf("seed %d: %+v", seed, f.Standing())
		}
		r, err := f.Answer(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		want, err := oracle.SolveFor(js, goal, false)
		if err != nil {
			t.Fatal(err)
		}
		kinds[r.Status]++
		if f.state.Tree.Literal != "" {
			split++
		}
		switch {
		case want.Schedule == nil:
			if r.Status != model.Infeasible {
				t.Errorf("seed %d: %v, by exhaustive search there is no plan", seed, r.Status)
			}
		case len(goal) > 0 && (r.Status != model.Optimal || r.Objectives[0].Value != want.Values[0] || *r.Objectives[0].Bound != want.Values[0]):
			t.Errorf("seed %d: %v %+v, by exhaustive search %v", seed, r.Status, r.Objectives, want.Values)
		}
		hold(t, seed, r.Certificate)
	}
	t.Log(kinds, split)
	if !testkit.Race() && kinds[model.Infeasible] == 0 || kinds[model.Optimal] == 0 || split == 0 {
		t.Errorf("%v, %d of them split", kinds, split)
	}
}

// hold has the checker go through a proof.
func hold(t *testing.T, seed uint64, c *certify.Certificate) {
	t.Helper()
	if err := c.Deliver(t.Context(), nil, true); err != nil || c.Proof != nil && c.Proof.Refused != nil || !c.Certified() {
		t.Errorf("seed %d: certified %v, open %v, %+v %v", seed, c.Certified(), c.Open, c.Proof, err)
	}
}

// A folder whose files are of another set, another split or another version, or are cut short or changed,
// is a fault of the call that names the file.
func TestFaultsOfFolders(t *testing.T) {
	js := infeasible(t)
	other := folderOf(t, js, js.Goal()[:0], rand.New(rand.NewPCG(2, 2)))
	for name, c := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"no folder":         {func(dir string) error { return os.RemoveAll(dir) }, "holds no cubes"},
		"something else":    {func(dir string) error { os.RemoveAll(dir); os.Mkdir(dir, 0o777); return put(dir, "notes.txt", "") }, "holds no cubes"},
		"another version":   {func(dir string) error { return alter(dir, headName, `"downbeat_cubes": 1`, `"downbeat_cubes": 2`) }, "version 2 of cubes"},
		"another question":  {func(dir string) error { return alter(dir, headName, `"tick": 1`, `"tick": 2`) }, "it was changed"},
		"a head cut short":  {func(dir string) error { return cut(dir, headName) }, "cubes.json is cut short"},
		"a cube cut short":  {func(dir string) error { return cut(dir, "cube-1.json") }, "cube-1.json is cut short"},
		"a cube gone":       {func(dir string) error { return os.Remove(filepath.Join(dir, "cube-2.json")) }, "cube-2.json: no such file"},
		"a cube of another": {func(dir string) error { return take(other, dir, "cube-1.json") }, "cube-1.json is about other cubes"},
		"a cube changed":    {func(dir string) error { return alter(dir, "cube-1.json", "s", "r") }, ""},
		"a literal changed": {func(dir string) error { return alter(dir, "cube-1.json", "<=", ">") }, "not those that were written"},
		"another set":       {func(dir string) error { return alter(dir, setName, "heartbeat: ", "heartbeat: 1") }, "is not the job set"},
		"a split cut short": {func(dir string) error { return put(dir, "split-1.json", `{"id": "`) }, "split-1.json is cut short; delete it"},
		"a result of another": {func(dir string) error {
			return put(dir, "refuted-1-any.json", `{"id": "1", "cube": "1", "clause": []}`)
		}, "refuted-1-any.json is about other cubes"},
		"a result of another cube": {func(dir string) error {
			var c cubeFile
			if err := readJSON(filepath.Join(dir, "cube-1.json"), &c); err != nil {
				return err
			}
			return put(dir, "refuted-1-any.json", fmt.Sprintf(`{"id": %q, "cube": "1", "clause": ["x99.0"]}`, c.ID))
		}, "cube 1 is about another cube"},
		"a plan of another": {func(dir string) error { return put(dir, "plan-1-2-3-4-5-6.json", `{}`) }, "is no plan for these objectives"},
	} {
		dir := folderOf(t, js, js.Goal()[:0], rand.New(rand.NewPCG(1, 1)))
		if err := c.spoil(dir); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), terminal.New(nil, nil, nil), dir)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if fault := new(usage.Error); !errors.As(err, &fault) {
			t.Errorf("%s: %T %v is no fault of the call", name, err, err)
		}
	}
}

// infeasible is a tiny set with several hard tasks.
func infeasible(t *testing.T) *model.JobSet {
	for seed := range uint64(1000) {
		js := gen.TodayTiny(seed)
		js.FIFO = false
		hard := 0
		for i := range js.Jobs {
			if js.Jobs[i].Kind == model.Hard {
				hard += int(js.Jobs[i].End - js.Jobs[i].First)
			}
		}
		if js.Leavable() == nil && hard >= 3 && !js.Gangs() {
			return js
		}
	}
	t.Fatal("no such set")
	return nil
}

func put(dir, name, text string) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
}

func cut(dir, name string) error {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return put(dir, name, string(text[:len(text)/2]))
}

func take(from, dir, name string) error {
	text, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		return err
	}
	return put(dir, name, string(text))
}

func alter(dir, name, before, after string) error {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || !strings.Contains(string(text), before) {
		return fmt.Errorf("%s has no %q: %v", name, before, err)
	}
	return put(dir, name, strings.Replace(string(text), before, after, 1))
}

// A claim of another shard keeps a cube for a minute, one of the shard itself, which was killed, does not.
func TestClaims(t *testing.T) {
	js := infeasible(t)
	dir := folderOf(t, js, js.Goal()[:0], rand.New(rand.NewPCG(1, 1)))
	f := open(t, dir)
	k := &worker{Folder: f, Work: &Work{Index: 2, Count: 3}}
	held := func(by string, age time.Duration) bool {
		path := filepath.Join(dir, "claim-1")
		if err := put(dir, "claim-1", by+"\n"); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		claimed, err := k.claimed("1")
		if err != nil {
			t.Fatal(err)
		}
		return claimed
	}
	if !held("1/3", 10*time.Second) || held("1/3", 2*lease) || held("2/3", time.Second) {
		t.Error("claims hold for others, and for a while")
	}
	release, err := k.claim("1")
	if err != nil {
		t.Fatal(err)
	}
	other := &worker{Folder: f, Work: &Work{Index: 1, Count: 3}}
	if claimed, err := other.claimed("1"); !claimed || err != nil {
		t.Errorf("claimed %v, %v", claimed, err)
	}
	release()
	if claimed, err := other.claimed("1"); claimed || err != nil {
		t.Errorf("once it is released: claimed %v, %v", claimed, err)
	}
	own := 0
	for _, cube := range []string{"1", "2", "5.1.2", "3", "8"} {
		if k.mine(cube) {
			own++
		}
	}
	if own != 3 {
		t.Errorf("%d of 2, 5.1.2 and 8 are its own", own)
	}
}
