package inference_test

import (
	"fmt"
	"strings"
	"testing"

	"downbeat/internal/testkit/secondopinion"
	"downbeat/model/files/jobfile"
)

// attacks are files that claim what is false of sets that have a plan, each by another trick.
var attacks = []struct{ trick, set, proof string }{
	{"prices at which int64 sums come round, while a pool has nothing and so is worth nothing", `
cluster: {heartbeat: 1, pools: {licence: [{from: 0, amount: 0}, {from: 40, amount: 1}]}, slaves: [{name: s, cores: 1, slots: 2}]}
jobs: [{name: a, hard: true, deadline: 60, map: {tasks: 1, wcet: 5, transfer: 1, pools: {licence: 1}}}]
`, "question 1\nmust 0 60\nm 1 pool.0.0.40.288230376151711744\nc 2 prices 1 :\nrefuted 1 2\nclaim infeasible 1\n"},
	{"the same by what a task takes, of which there is less for a time", `
cluster: {heartbeat: 1, pools: {licence: [{from: 0, amount: 1}, {from: 40, amount: 4096}]}, slaves: [{name: s, cores: 1, slots: 2}]}
jobs: [{name: a, hard: true, deadline: 60, map: {tasks: 1, wcet: 5, transfer: 1, pools: {licence: 3000}}}]
`, "question 1\nmust 0 60\nm 1 pool.0.0.40.4503599627370496\nc 2 prices 1 :\nrefuted 1 2\nclaim infeasible 1\n"},
	{"a slave that is not there comes before its equal", twin,
		"without 0\nquestion 1\nmust 0 4\nc 1 first 0 0 1 : -x0.1\nn 2 : : 1\nrefuted 1 2\nclaim infeasible 1\n"},
	{"a step of another question is a hint", twin,
		"question 1\nmust 0 1\nc 7 task 0 :\nrefuted 1 7\nquestion 2\nmust 0 4\nn 8 : : 7\nrefuted 2 8\nclaim infeasible 2\n"},
	{"a unit of another question stays", twin,
		"question 1\nmust 0 1\nc 1 task 0 :\nrefuted 1 1\nquestion 2\nmust 0 4\nn 2 : :\nrefuted 2 2\nclaim infeasible 2\n"},
	{"a question cuts itself", twin,
		"question 1\nmust 0 4\nc 1 cut 1 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"a question that is stricter cuts", twin,
		"question 1\nmust 0 1\nc 1 task 0 :\nrefuted 1 1\nquestion 2\nmust 0 4\nc 1 cut 1 :\nrefuted 2 1\nclaim infeasible 2\n"},
	{"the claim is about a later time than the question", twin,
		"question 1\nmust 0 1\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"a job that is in for no other is later, by the time at which it ends anyway", twin,
		"question 1\nlater 0 0\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"a price of nothing bought: a limit of 2^60 that comes round", `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 1, slots: 1}]}
jobs: [{name: a, deadline: 2, weight: 1000000, map: {tasks: 1, wcet: 4}}]
`, "question 1\nmust 0 9\nweighted 1152921504606846976\nm 1 weighted.288230376151711744\nc 2 prices 1 :\nrefuted 1 2\nclaim weighted-tardiness >= 3000000 by 1\n"},
	{"an instant of a gang is priced twice, as if its tasks began one after the other", `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2, slots: 2}]}
jobs: [{name: a, hard: true, deadline: 4, stages: [{name: g, tasks: 2, wcet: 4, gang: true}]}]
`, "question 1\nmust 0 4\nc 1 push 1 0 0 0 1 2 3 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"a second line of prices is taken for a longer first one", twin,
		"question 1\nmust 0 4\nm 1 0.0.0.4.1\nm 2 0.1.0.4.1\nd 1\nc 3 prices 1 :\nrefuted 1 3\nclaim infeasible 1\n"},
	{"slaves of which one is slower count as one", `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 1, slots: 1}, {name: f, cores: 1, slots: 1}]}
jobs: [{name: a, hard: true, deadline: 4, map: {tasks: 1, wcet: {s: 9, f: 3}}}]
`, "alike 0 1\nquestion 1\nmust 0 4\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"slaves of which one is away longer count as one", `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 1, slots: 1, down: [[0, 9]]}, {name: f, cores: 1, slots: 1}]}
jobs: [{name: a, hard: true, deadline: 4, map: {tasks: 1, wcet: 3}}]
`, "alike 0 1\nquestion 1\nmust 0 4\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"slaves that fetch one by one, each for itself, count as one", `
cluster: {heartbeat: 1, slaves: [{name: s, count: 2, cores: 1, slots: 1}]}
jobs: [{name: a, hard: true, deadline: 4, map: {tasks: 2, wcet: 2, transfer: 2}}]
`, "alike 0 1\nquestion 1\nmust 0 4\nc 1 push 0 0 1 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"slaves of tasks that are apart count as one", `
cluster: {heartbeat: 1, slaves: [{name: s, count: 2, cores: 1, slots: 1}]}
jobs: [{name: a, hard: true, deadline: 4, stages: [{name: m, tasks: 2, wcet: 2, apart: true}]}]
`, "alike 0 1\nquestion 1\nmust 0 4\nc 1 apart 0 0 1 0 : -x0.0 -x1.0\nc 2 task 0 : x0.0\nc 3 task 1 : x1.0\nn 4 : : 1 2 3\nrefuted 1 4\nclaim infeasible 1\n"},
	{"slaves of which each starts tasks in the order of their heartbeats count as one", `
cluster: {heartbeat: 2, fifo: true, slaves: [{name: s, count: 2, cores: 1, slots: 2}]}
jobs: [{name: a, hard: true, deadline: 4, map: {tasks: 1, wcet: 4}}]
`, "alike 0 1\nquestion 1\nmust 0 4\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"a slave counts as one with itself", twin,
		"alike 0 0\nquestion 1\nmust 0 3\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"a slave alone counts as one", twin,
		"alike 0\nquestion 1\nmust 0 3\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"slaves that count as one with others, and are not there any more, do once more", twin,
		"alike 0 1\nalike 0 1\nquestion 1\nmust 0 3\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"slaves count as one once it is said which are not there", twin,
		"without 0\nalike 0 1\nquestion 1\nmust 0 3\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"slaves that count as one are not there as the first of them is not", twin,
		"alike 0 1\nwithout 0\nquestion 1\nmust 0 4\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"a slave is not there that counts as one with another", twin,
		"alike 0 1\nwithout 1\nquestion 1\nmust 0 3\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"slaves that are never there count as one twice", `
cluster: {heartbeat: 1, slaves: [{name: s, count: 3, cores: 1, slots: 1, down: [[0, never]]}, {name: f, cores: 1, slots: 1}]}
jobs: [{name: a, hard: true, deadline: 4, map: {tasks: 1, wcet: 4}}]
`, "alike 0 1\nalike 1 2\nquestion 1\nmust 0 3\nc 1 task 0 :\nrefuted 1 1\nclaim infeasible 1\n"},
	{"a gang has room on slaves that count as one, so that its job may not be left out", `
cluster: {heartbeat: 1, slaves: [{name: s, count: 2, cores: 5, slots: 5}, {name: big, cores: 9, slots: 9, down: [[4, never]]}]}
jobs:
  - {name: g, release: 2, stages: [{name: m, tasks: 3, cores: 3, wcet: 3, gang: true}]}
  - {name: k, map: {tasks: 1, wcet: 1}}
`, "alike 0 1\nquestion 1\nmust 0 4\nc 1 task 0 :\nrefuted 1 1\nclaim makespan >= 5 by 1\n"},
	{"a task weighs something twice", wide,
		"question 1\nmust 0 5\nm 1 weigh.0.1 weigh.1.1 weigh.1.1\nc 2 weights 1 0 5 :\nrefuted 1 2\nclaim infeasible 1\n"},
	{"tasks weigh more than can run at once, but no more than has time to", wide,
		"question 1\nmust 0 5\nm 1 weigh.0.2 weigh.1.3\nc 2 weights 1 0 5 :\nrefuted 1 2\nclaim infeasible 1\n"},
	{"of what has no end before it begins tasks weigh more", wide,
		"question 1\nmust 0 5\nm 1 weigh.0.2 weigh.1.3\nc 2 weights 1 5 0 :\nrefuted 1 2\nclaim infeasible 1\n"},
	{"of two tasks one starts first, though they may start together", beside,
		"question 1\nmust 0 4\nmust 1 4\nn 1 : b0.1 b1.0 :\nc 2 disjunctive 0 0 1 : -b0.1\nc 3 disjunctive 0 0 0 : -b1.0\nn 4 : : 1 2 3\nrefuted 1 4\nclaim infeasible 1\n"},
	{"both do not start first, which contradicts nothing", beside,
		"question 1\nmust 0 4\nmust 1 4\nc 1 task 0 : b0.1 b1.0\nrefuted 1 1\nclaim infeasible 1\n"},
	{"tasks that fit in beside each other are in an order", beside,
		"question 1\nmust 0 4\nmust 1 4\nc 1 disjunctive 0 0 1 : -b0.1\nc 2 disjunctive 0 0 0 : b0.1\nn 3 : : 1 2\nrefuted 1 3\nclaim infeasible 1\n"},
	{"tasks that run side by side before a third are added up", third,
		"question 1\nmust 0 5\nmust 1 5\nmust 2 5\nc 1 disjunctive 0 0 2 : -b0.2 -b1.2\nc 2 disjunctive 0 0 2 : b0.2\nc 3 disjunctive 0 0 2 : b1.2\nn 4 : : 1 2 3\nrefuted 1 4\nclaim infeasible 1\n"},
	{"what starts first is taken to be fetched first", fetched,
		"question 1\nmust 0 9\nmust 1 9\nc 1 disjunctive 0 1 1 : -b0.1 r1>1\nc 2 cap 0 1 0 : b0.1 r1>1\nn 3 : : 1 2\nrefuted 1 3\nclaim infeasible 1\n"},
	{"an order on one slave counts on another", either,
		"question 1\nmust 0 4\nmust 1 4\nc 1 disjunctive 0 0 0 : -b0.1 -x0.0 -x1.1\nc 2 disjunctive 0 0 0 : b0.1 -x0.0 -x1.1\nn 3 : -x0.0 -x1.1 : 1 2\nrefuted 1 3\nclaim infeasible 1\n"},
	{"an order of another question is known", beside,
		"question 1\nmust 0 4\nmust 1 4\nc 1 disjunctive 0 0 1 : b0.1\nrefuted 1 1\nclaim infeasible 1\n"},
	{"a bound of an order", beside,
		"question 1\nmust 0 4\nmust 1 4\nn 1 : b0<=0 b0>0 :\nrefuted 1 1\nclaim infeasible 1\n"},
}

// beside are two tasks that fit in beside each other, third has another one that does not, fetched are inputs that may be fetched in
// one order and needed in the other, either has a slave for each of two.
const (
	beside = `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2, slots: 2}]}
jobs:
  - {name: a, hard: true, deadline: 4, map: {tasks: 1, wcet: 4}}
  - {name: b, hard: true, deadline: 4, map: {tasks: 1, wcet: 4}}
`
	third = `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2, slots: 3}]}
jobs:
  - {name: a, hard: true, deadline: 5, map: {tasks: 1, wcet: 3}}
  - {name: b, hard: true, deadline: 5, map: {tasks: 1, wcet: 3}}
  - {name: c, hard: true, deadline: 5, map: {tasks: 1, wcet: 2, cores: 2}}
`
	fetched = `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 1, slots: 2}]}
jobs:
  - {name: a, hard: true, deadline: 9, map: {tasks: 1, wcet: 3, transfer: 2}}
  - {name: b, hard: true, deadline: 9, map: {tasks: 1, wcet: 3, transfer: 1}}
`
	either = `
cluster: {heartbeat: 1, slaves: [{name: s, count: 2, cores: 1, slots: 1}]}
jobs:
  - {name: a, hard: true, deadline: 4, map: {tasks: 1, wcet: 4}}
  - {name: b, hard: true, deadline: 4, map: {tasks: 1, wcet: 4}}
`
)

// wide are tasks of 2 of 3 cores that are done one after the other in time.
const wide = `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 3, slots: 3}]}
jobs: [{name: a, hard: true, deadline: 5, stages: [{name: m, tasks: 2, cores: 2, wcet: 2}]}]
`

// twin is one task that is done in time on each of two equal slaves.
const twin = `
cluster: {heartbeat: 1, slaves: [{name: s, count: 2, cores: 1, slots: 1}]}
jobs: [{name: a, hard: true, deadline: 4, map: {tasks: 1, wcet: 4}}]
`

// TestAttacks: both checkers refuse them all, in the same line.
func TestAttacks(t *testing.T) {
	var lies []sample
	for _, a := range attacks {
		js, err := jobfile.Load("set.yaml", []byte("version: 1"+a.set))
		if err != nil {
			t.Fatalf("%s: %v", a.trick, err)
		}
		lie := sample{JS: js, Text: secondopinion.Numbered(fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\n%send 0\n", js.Digest(), a.proof))}
		if said := lie.First(t); strings.HasPrefix(said, "proved") {
			t.Errorf("%s: %s", a.trick, said)
		} else {
			t.Logf("%s: %s", a.trick, said)
		}
		lies = append(lies, lie)
	}
	secondopinion.Agree(t, "testdata/check_proof.py", lies)
}
