package inference_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"downbeat/internal/testkit/secondopinion"
	"downbeat/model/files/jobfile"
)

type sample = secondopinion.Sample

// second is what the checker in testdata says.
func second(t *testing.T, samples []sample) []string {
	return secondopinion.Second(t, "testdata/check_proof.py", samples)
}

// page is docs/proof.md.
func page(t *testing.T) string {
	text, err := os.ReadFile("../../../docs/proof.md")
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
	return sample{JS: js, Text: block(t, text, "proof")}
}

// Three tasks of 2 of 3 cores and two of all of them take turns for 8 ticks, of which there are 7: weights of 1 say so to both checkers, altered ones do not.
func TestWeightsAreRead(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: s, cores: 3, slots: 5, resources: {r: 2}}]}
jobs:
  - {name: a, hard: true, deadline: 7, stages: [{name: m, tasks: 3, cores: 2, wcet: 2}]}
  - {name: b, hard: true, deadline: 7, stages: [{name: m, tasks: 2, cores: 3, resources: {r: 1}, wcet: 1}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	const proof = "question 1\nmust 0 7\nmust 1 7\nm 1 weigh.0.1 weigh.1.1 weigh.2.1 weigh.3.1 weigh.4.1\nc 2 weights 1 0 7 :\nrefuted 1 2\nclaim infeasible 1\n"
	var samples []sample
	for _, text := range []string{proof, strings.ReplaceAll(proof, "weigh.4.1", "weigh.3.1"), strings.ReplaceAll(proof, " weigh.4.1", ""), strings.ReplaceAll(proof, "weigh.0.1", "weigh.0.2")} {
		samples = append(samples, sample{JS: js, Text: secondopinion.Numbered(fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\n%send 0\n", js.Digest(), text))})
	}
	for i, said := range second(t, samples) {
		if first := samples[i].First(t); strings.HasPrefix(first, "proved") != (i == 0) || strings.HasPrefix(said, "proved") != (i == 0) {
			t.Errorf("%d: %s; %s", i, first, said)
		}
	}
}

// Two ends of 2 ticks come after a base of 6, on one core, and are due at 9: of 10 ticks the base has 4 for the one and 2 for the other, so that both
// pay more for being in time than all is worth, or one is late. Altered charges do not say so.
func TestChargesAreRead(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: s, cores: 1, slots: 2}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 6}}
  - {name: b, deadline: 9, after: [a], map: {tasks: 1, wcet: 2}}
  - {name: c, deadline: 9, after: [a], map: {tasks: 1, wcet: 2}}
`))
	if err != nil {
		t.Fatal(err)
	}
	const proof = "question 1\nlater 0 19\nmay 1 9\nmay 2 9\nmisses 0\nm 1 0.0.0.9.1 misses.6 charge.0.1.4 charge.0.2.2 charge.1.1.2 charge.2.2.2\nc 2 charges 1 :\nrefuted 1 2\nclaim misses >= 1 by 1\n"
	var samples []sample
	for _, change := range [][2]string{
		{"", ""},
		{"charge.0.2.2", "charge.0.2.3"}, // 7 of 6
		{"charge.2.2.2", "charge.2.2.3"},
		{"charge.0.2.2", "charge.0.2.1"}, // 9 in all
		{"charge.1.1.2", "charge.1.2.2"},
		{"charge.0.1.4 charge.0.2.2", "charge.0.2.2 charge.0.1.4"},
		{"misses.6", "misses.3"},
		{"charges 1", "prices 1"},
	} {
		text := strings.ReplaceAll(proof, change[0], change[1])
		if change[0] == "" {
			text = proof
		}
		samples = append(samples, sample{JS: js, Text: secondopinion.Numbered(fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\n%send 0\n", js.Digest(), text))})
	}
	for i, said := range second(t, samples) {
		if first := samples[i].First(t); strings.HasPrefix(first, "proved") != (i == 0) || strings.HasPrefix(said, "proved") != (i == 0) {
			t.Errorf("%d: %s; %s", i, first, said)
		}
	}
}

// The example on the page is a proof, for both checkers, and none of its steps can go.
func TestPageExample(t *testing.T) {
	whole := onPage(t)
	samples := []sample{whole}
	lines := strings.SplitAfter(whole.Text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "c ") || strings.HasPrefix(line, "n ") || strings.HasPrefix(line, "must ") {
			samples = append(samples, sample{JS: whole.JS, Text: secondopinion.Numbered(strings.Join(append(lines[:i:i], lines[i+1:]...), ""))})
		}
	}
	if len(samples) != 14 {
		t.Errorf("%d steps and jobs, not 13", len(samples)-1)
	}
	for i, said := range second(t, samples) {
		if first := samples[i].First(t); strings.HasPrefix(first, "proved") != (i == 0) {
			t.Errorf("sample %d: %s", i, first)
		}
		if strings.HasPrefix(said, "proved infeasible") != (i == 0) {
			t.Errorf("sample %d by the second checker: %s", i, said)
		}
	}
}

// TestTiedWithFIFO: where nothing is transferred R is S with fifo too, says the page; both
// checkers do as it says.
func TestTiedWithFIFO(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(`version: 1
cluster:
  heartbeat: 1
  fifo: true
  slaves: [{name: s, cores: 1, slots: 2}]
jobs:
  - {name: a, hard: true, deadline: 6, map: {tasks: 1, wcet: 4}}
  - {name: b, hard: true, deadline: 6, map: {tasks: 1, wcet: 4}}
`))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\nquestion 1\nmust 0 6\nmust 1 6\n"+
		"c 1 task 0 : s0<=1 r0>1\nc 2 cap 0 0 3 :\nrefuted 1 2\nclaim infeasible 1\nend 10\n", js.Digest())
	tied := sample{JS: js, Text: text}
	if first, said := tied.First(t), second(t, []sample{tied})[0]; !strings.HasPrefix(first, "proved") || said != first {
		t.Errorf("%s, but by the second checker %s", first, said)
	}
}

// TestMayJobsPressNone: a job that may be let go asks nothing of those before it. To both checkers this is
// no proof: a is in time if b is not there.
func TestMayJobsPressNone(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(`version: 1
cluster:
  heartbeat: 1
  slaves: [{name: s, cores: 1, slots: 1}]
jobs:
  - {name: a, hard: true, deadline: 3, map: {tasks: 1, wcet: 2}}
  - {name: b, hard: true, deadline: 1, after: [a], map: {tasks: 1, wcet: 4}}
`))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\nquestion 1\nlater 0 5\nmay 1 1\nhard-misses 1\n"+
		"c 1 hard-misses :\nrefuted 1 1\nclaim hard-misses >= 2 by 1\nend 10\n", js.Digest())
	lie := sample{JS: js, Text: text}
	if said := lie.First(t); !strings.HasPrefix(said, "line 8: ") {
		t.Error(said)
	}
	secondopinion.Agree(t, "testdata/check_proof.py", []sample{lie})
}
