package certificate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/certificate"
	"downbeat/model/jobfile"
)

// A plainSet is a job set as the second checker reads it: all of its figures, and nothing
// that would have to be worked out.
type plainSet struct {
	Digest     string       `json:"digest"`
	Heartbeat  model.Time   `json:"heartbeat"`
	Concurrent bool         `json:"concurrent"`
	FIFO       bool         `json:"fifo"`
	Slaves     []plainSlave `json:"slaves"`
	Jobs       []plainJob   `json:"jobs"`
}

type plainSlave struct {
	Cores int             `json:"cores"`
	Slots []int           `json:"slots"` // one pool, or those of map and reduce
	First model.Time      `json:"first"`
	Down  [][2]model.Time `json:"down"`
	Units []int64         `json:"units"`
	Taken [][4]int64      `json:"taken"` // resource, from, to, units
}

type plainJob struct {
	Kind    string        `json:"kind"`
	Release model.Time    `json:"release"`
	Due     model.Time    `json:"due"` // absolute; of no meaning for best-effort jobs
	Weight  int64         `json:"weight"`
	After   []model.JobID `json:"after"`
	Stages  []plainStage  `json:"stages"`
}

type plainStage struct {
	After []int32        `json:"after"`
	Slot  model.SlotKind `json:"slot"`
	Tasks []plainTask    `json:"tasks"`
}

type plainTask struct {
	WCET     []model.Time `json:"wcet"` // by slave; 0 where it cannot run
	Transfer []model.Time `json:"transfer"`
	Cores    int64        `json:"cores"`
	Units    []int64      `json:"units"`
}

func plain(js *model.JobSet) plainSet {
	out := plainSet{Digest: js.Digest(), Heartbeat: js.Heartbeat, Concurrent: js.Fetch == model.FetchConcurrent, FIFO: js.FIFO}
	for i := range js.Slaves {
		out.Slaves = append(out.Slaves, plainlySlave(js, &js.Slaves[i]))
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		of := plainJob{Kind: job.Kind.String(), Release: job.Release, Due: job.Due(), Weight: job.Weight, After: append([]model.JobID{}, job.After...)}
		for k := range job.Stages {
			st := &job.Stages[k]
			stage := plainStage{After: append([]int32{}, st.After...), Slot: st.Slot}
			for t := st.First; t < st.End; t++ {
				stage.Tasks = append(stage.Tasks, plainlyTask(js, &js.Tasks[t]))
			}
			of.Stages = append(of.Stages, stage)
		}
		out.Jobs = append(out.Jobs, of)
	}
	return out
}

func plainlySlave(js *model.JobSet, s *model.Slave) plainSlave {
	out := plainSlave{Cores: s.Cores, First: s.FirstBeat, Down: [][2]model.Time{}, Units: []int64{}, Taken: [][4]int64{}}
	for p := range s.Pools() {
		out.Slots = append(out.Slots, s.PoolSize(p))
	}
	for _, d := range s.Down {
		out.Down = append(out.Down, [2]model.Time{d.Start, d.End})
	}
	for k := range js.Named {
		out.Units = append(out.Units, s.Offers(k))
	}
	for _, k := range s.Taken {
		out.Taken = append(out.Taken, [4]int64{int64(k.Resource), int64(k.Start), int64(k.End), k.Units})
	}
	return out
}

func plainlyTask(js *model.JobSet, task *model.Task) plainTask {
	out := plainTask{Cores: task.Cores(), Units: []int64{}}
	for s := range model.SlaveID(len(js.Slaves)) {
		out.WCET, out.Transfer = append(out.WCET, task.WCET(s)), append(out.Transfer, task.Transfer(s))
	}
	for k := range js.Named {
		out.Units = append(out.Units, task.Units(k))
	}
	return out
}

// A sample is a proof about a job set.
type sample struct {
	js   *model.JobSet
	text string
}

// first is what certificate.Check says of it: "proved" and its claims, or a line and why.
func (s *sample) first(t *testing.T) string {
	v, err := certificate.Check(t.Context(), s.js, strings.NewReader(s.text))
	if err != nil {
		return err.Error()
	}
	claims := make([]string, len(v.Claims))
	for i := range claims {
		claims[i] = claimed(&v.Claims[i])
	}
	return "proved " + strings.Join(claims, "; ")
}

func claimed(c *certificate.Claim) string {
	if c.Infeasible {
		return "infeasible"
	}
	text := fmt.Sprintf("%s >= %d", c.Objective, c.Least)
	for _, l := range c.Given {
		text += fmt.Sprintf(", %s <= %d", l.Objective, l.Most)
	}
	return text
}

// second is what the checker in testdata says of samples, which shares nothing with package
// certificate but docs/proof.md.
func second(t *testing.T, samples []sample) []string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 for a second opinion")
	}
	args, dir, sets := []string{"testdata/check_proof.py"}, t.TempDir(), map[*model.JobSet]string{}
	for i := range samples {
		s := &samples[i]
		if sets[s.js] == "" {
			sets[s.js] = filepath.Join(dir, fmt.Sprintf("set%d.json", i))
			text, err := json.Marshal(plain(s.js))
			if err != nil {
				t.Fatal(err)
			}
			write(t, sets[s.js], text)
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.proof", i))
		write(t, name, []byte(s.text))
		args = append(args, sets[s.js], name)
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

func write(t *testing.T, name string, text []byte) {
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// page is docs/proof.md.
func page(t *testing.T) string {
	text, err := os.ReadFile("../../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is the first block of a page in a language.
func block(t *testing.T, page, language string) string {
	m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```\n").FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no %s", language)
	}
	return m[1]
}

// onPage is the example of docs/proof.md.
func onPage(t *testing.T) sample {
	text := page(t)
	js, err := jobfile.Load("docs/proof.md", []byte(block(t, text, "yaml")))
	if err != nil {
		t.Fatal(err)
	}
	return sample{js, block(t, text, "proof")}
}

// The example on the page is a proof, for both checkers, and none of its steps can go.
func TestPageExample(t *testing.T) {
	whole := onPage(t)
	samples := []sample{whole}
	lines := strings.SplitAfter(whole.text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "c ") || strings.HasPrefix(line, "n ") || strings.HasPrefix(line, "must ") {
			samples = append(samples, sample{whole.js, numbered(strings.Join(append(lines[:i:i], lines[i+1:]...), ""))})
		}
	}
	if len(samples) != 14 {
		t.Errorf("%d steps and jobs, not 13", len(samples)-1)
	}
	for i, said := range second(t, samples) {
		if first := samples[i].first(t); strings.HasPrefix(first, "proved") != (i == 0) {
			t.Errorf("sample %d: %s", i, first)
		}
		if strings.HasPrefix(said, "proved infeasible") != (i == 0) {
			t.Errorf("sample %d by the second checker: %s", i, said)
		}
	}
}

var endLine = regexp.MustCompile(`(?m)^end \d+\n\z`)

// numbered is a proof with its number of lines at the end, if it has an end.
func numbered(text string) string {
	return endLine.ReplaceAllString(text, fmt.Sprintf("end %d\n", strings.Count(text, "\n")-1))
}
