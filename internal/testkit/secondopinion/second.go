// Package secondopinion gives tests a second opinion on proofs: that of a checker in
// Python, which shares nothing with package inference but docs/proof.md.
package secondopinion

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
)

// A plainSet is a job set as the second checker reads it: all of its figures, and nothing
// that would have to be worked out.
type plainSet struct {
	Digest     string       `json:"digest"`
	Heartbeat  model.Time   `json:"heartbeat"`
	Concurrent bool         `json:"concurrent"`
	FIFO       bool         `json:"fifo"`
	Pools      []plainPool  `json:"pools"`
	Slaves     []plainSlave `json:"slaves"`
	Jobs       []plainJob   `json:"jobs"`
}

type plainPool struct {
	Levels [][2]int64 `json:"levels"` // from, amount
	Taken  [][3]int64 `json:"taken"`  // from, to, units
}

type plainSlave struct {
	Cores        int             `json:"cores"`
	Slots        []int           `json:"slots"` // one pool, or those of map and reduce
	First        model.Time      `json:"first"`
	Down         [][2]model.Time `json:"down"`
	Units        []int64         `json:"units"`
	Reservations [][4]int64      `json:"taken"` // resource, from, to, units
}

type plainJob struct {
	Kind    string        `json:"kind"`
	Release model.Time    `json:"release"`
	Due     model.Time    `json:"due"` // absolute; of no meaning for best-effort jobs
	Weight  int64         `json:"weight"`
	After   []model.JobID `json:"after"`
	AtMost  int64         `json:"at_most"`
	Taken   [][3]int64    `json:"taken"` // of the cap
	Stages  []plainStage  `json:"stages"`
}

type plainStage struct {
	After   []int32        `json:"after"`
	AtMost  int64          `json:"at_most"`
	Taken   [][3]int64     `json:"taken"`
	Gang    bool           `json:"gang"`
	Apart   bool           `json:"apart"`
	StartAt model.Time     `json:"start_at"`
	Slot    model.SlotKind `json:"slot"`
	Tasks   []plainTask    `json:"tasks"`
}

type plainTask struct {
	WCET     []model.Time `json:"wcet"` // by slave; 0 where it cannot run
	Transfer []model.Time `json:"transfer"`
	Cores    int64        `json:"cores"`
	Units    []int64      `json:"units"`
	Pools    []int64      `json:"pools"`
}

func plain(js *model.JobSet) plainSet {
	out := plainSet{Digest: js.Digest(), Heartbeat: js.Heartbeat, Concurrent: js.Fetch == model.FetchConcurrent, FIFO: js.FIFO}
	out.Pools = []plainPool{}
	for i := range js.Pools {
		pool := plainPool{Taken: taken(js.Pools[i].Reserved)}
		for _, l := range js.Pools[i].Levels {
			pool.Levels = append(pool.Levels, [2]int64{int64(l.From), l.Amount})
		}
		out.Pools = append(out.Pools, pool)
	}
	for i := range js.Slaves {
		out.Slaves = append(out.Slaves, slaveOf(js, &js.Slaves[i]))
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		of := plainJob{Kind: job.Kind.String(), Release: job.Release, Due: job.Due(), Weight: job.Weight, After: append([]model.JobID{}, job.After...)}
		of.AtMost, of.Taken = job.AtMost, taken(job.Reserved)
		for k := range job.Stages {
			st := &job.Stages[k]
			stage := plainStage{After: append([]int32{}, st.After...), Slot: st.Slot, AtMost: st.AtMost, Taken: taken(st.Reserved)}
			stage.Gang, stage.Apart, stage.StartAt = st.Gang, st.Apart, st.StartAt
			for t := st.First; t < st.End; t++ {
				stage.Tasks = append(stage.Tasks, taskOf(js, &js.Tasks[t]))
			}
			of.Stages = append(of.Stages, stage)
		}
		out.Jobs = append(out.Jobs, of)
	}
	return out
}

func taken(all []model.SharedHold) [][3]int64 {
	out := [][3]int64{}
	for _, h := range all {
		out = append(out, [3]int64{int64(h.Start), int64(h.End), h.Units})
	}
	return out
}

func slaveOf(js *model.JobSet, s *model.Slave) plainSlave {
	out := plainSlave{Cores: s.Cores, First: s.FirstBeat, Down: [][2]model.Time{}, Units: []int64{}, Reservations: [][4]int64{}}
	for p := range s.Pools() {
		out.Slots = append(out.Slots, s.PoolSize(p))
	}
	for _, d := range s.Down {
		out.Down = append(out.Down, [2]model.Time{d.Start, d.End})
	}
	for k := range js.Named {
		out.Units = append(out.Units, s.Offers(k))
	}
	for _, k := range s.Reservations {
		out.Reservations = append(out.Reservations, [4]int64{int64(k.Resource), int64(k.Start), int64(k.End), k.Units})
	}
	return out
}

func taskOf(js *model.JobSet, task *model.Task) plainTask {
	out := plainTask{Cores: task.Cores(), Units: []int64{}, Pools: []int64{}}
	needs := task.Profile.Needs()
	for k := range js.Pools {
		out.Pools = append(out.Pools, needs.Pooled(k))
	}
	for s := range model.SlaveID(len(js.Slaves)) {
		out.WCET, out.Transfer = append(out.WCET, task.WCET(s)), append(out.Transfer, task.Transfer(s))
	}
	for k := range js.Named {
		out.Units = append(out.Units, task.Units(k))
	}
	return out
}

// Count is how many proofs a test is to be about: as many as DOWNBEAT_PROOFS says, or else few,
// or all if long tests are asked for.
func Count(few, all int) int {
	if n, err := strconv.Atoi(os.Getenv("DOWNBEAT_PROOFS")); err == nil {
		return n
	}
	return testkit.Sets(few, all)
}

// Seeds are those of the sets that a test is to be about, from one to before another: as many
// as Count says, or those of a range where DOWNBEAT_PROOFS is one, such as 2000-3000.
func Seeds(few, all int) (from, to uint64) {
	if n, err := fmt.Sscanf(os.Getenv("DOWNBEAT_PROOFS"), "%d-%d", &from, &to); n == 2 && err == nil {
		return from, to
	}
	return 0, uint64(Count(few, all))
}

// Sample is a proof about a job set.
type Sample struct {
	JS   *model.JobSet
	Text string
}

// First is what inference.Check says of it: "proved" and its claims, or a line and why.
func (s *Sample) First(t *testing.T) string {
	v, err := inference.CheckFile(t.Context(), s.JS, strings.NewReader(s.Text))
	if err != nil {
		return err.Error()
	}
	claims := make([]string, len(v.Claims))
	for i := range claims {
		claims[i] = Claimed(&v.Claims[i])
	}
	return "proved " + strings.Join(claims, "; ")
}

// Holds checks what a proof of a tiny set claims by exhaustive search.
func (s *Sample) Holds(t *testing.T) {
	t.Helper()
	v, err := inference.CheckFile(t.Context(), s.JS, strings.NewReader(s.Text))
	if err != nil {
		t.Fatal(err)
	}
	for k := range v.Claims {
		holds(t, s.JS, &v.Claims[k])
	}
}

func holds(t *testing.T, js *model.JobSet, c *inference.Claim) {
	t.Helper()
	var goal []model.Objective
	for _, l := range c.Given {
		goal = append(goal, l.Objective)
	}
	if c.Infeasible {
		js = js.Subset(c.Jobs) // it is about these alone
	} else {
		goal = append(goal, c.Objective)
	}
	best, err := oracle.SolveFor(js, goal, slices.Contains(goal, model.HardMisses))
	if err != nil {
		t.Fatal(err)
	}
	within := best.Status != model.Infeasible
	for k, l := range c.Given {
		within = within && best.Values[k] <= l.Most
	}
	if within && (c.Infeasible || best.Values[len(goal)-1] < c.Least) {
		t.Errorf("%s is claimed, but there is a plan with %v", Claimed(c), best.Values)
	}
}

// Claimed says a claim as the second checker does.
func Claimed(c *inference.Claim) string {
	if c.Infeasible {
		return "infeasible"
	}
	text := fmt.Sprintf("%s >= %d", c.Objective, c.Least)
	for _, l := range c.Given {
		text += fmt.Sprintf(", %s <= %d", l.Objective, l.Most)
	}
	return text
}

// Second is what the checker says of samples that lies at script, a path from the folder of
// the test. Without Python, or the one that DOWNBEAT_PYTHON names, the test is skipped.
func Second(t *testing.T, script string, samples []Sample) []string {
	t.Helper()
	python, err := exec.LookPath(cmp.Or(os.Getenv("DOWNBEAT_PYTHON"), "python3"))
	if err != nil {
		t.Skip("there is no python3 for a second opinion")
	}
	args, dir, sets := []string{script}, t.TempDir(), map[*model.JobSet]string{}
	for i := range samples {
		s := &samples[i]
		if sets[s.JS] == "" {
			sets[s.JS] = filepath.Join(dir, fmt.Sprintf("set%d.json", i))
			text, err := json.Marshal(plain(s.JS))
			if err != nil {
				t.Fatal(err)
			}
			write(t, sets[s.JS], text)
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.proof", i))
		write(t, name, []byte(s.Text))
		args = append(args, sets[s.JS], name)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), python, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the second checker: %v\n%s", err, stderr.String())
	}
	said := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(said) != len(samples) {
		t.Fatalf("the second checker says %d things of %d proofs", len(said), len(samples))
	}
	return said
}

// Agree checks that the second checker says the same of samples: that they prove the same, or fail in the same line.
func Agree(t *testing.T, script string, samples []Sample) {
	t.Helper()
	for i, said := range Second(t, script, samples) {
		if first := samples[i].First(t); verdict(first) != verdict(said) {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
}

// verdict is what is proved, or the line that is not in order.
func verdict(said string) string {
	if strings.HasPrefix(said, "proved") {
		return said
	}
	line, _, _ := strings.Cut(said, ":")
	return line
}

func write(t *testing.T, name string, text []byte) {
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
