package assignment

import (
	"bytes"
	"fmt"

	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// Argument is why there is no assignment, by cases.
type Argument struct {
	p *Problem
	// rewards, by item, are looked at first, unless nil. Either they say that there is none, or cases do: one for each group that may
	// do the item, or a single one about what is left, where item is -1.
	rewards []int64
	item    int32
	cases   []*Argument
}

// Passes is how many passes over rewards there are.
func (a *Argument) Passes() (n int) {
	if a.rewards != nil {
		n++
	}
	for _, c := range a.cases {
		n += c.Passes()
	}
	return n
}

// Sentence says it to people.
func (a *Argument) Sentence() string { return proof.RewardsSentence(a.Passes()) }

// Refutation is the argument as steps of a proof file, against a question for the times that tasks have.
func (a *Argument) Refutation(q *query.Question) *proof.Refutation {
	var text bytes.Buffer
	text.WriteString("m 1")
	(&writer{Buffer: &text}).argument(a)
	text.WriteString("\nc 2 assignment 1 :\n")
	return &proof.Refutation{Question: q.Lines(), Steps: text.Bytes(), Last: 2}
}

// writer writes passes, numbered from 0.
type writer struct {
	*bytes.Buffer
	passes int
}

func (w *writer) argument(a *Argument) {
	if a.rewards != nil {
		some := false
		for i, v := range a.rewards {
			if v > 0 {
				some = true
				fmt.Fprintf(w, " %s.%d.%d.%d", inference.TaskWord, w.passes, a.p.tasks[i], v)
			}
		}
		if !some { // what has to be done does not fit
			fmt.Fprintf(w, " %s.%d.%d.1", inference.TaskWord, w.passes, a.p.tasks[0])
		}
		w.passes++
	}
	for k, c := range a.cases {
		switch {
		case a.item < 0:
		case k == 0:
			fmt.Fprintf(w, " %s.%d.%d", inference.GiveWord, w.passes, a.p.tasks[a.item])
		default:
			fmt.Fprintf(w, " %s.%d", inference.NextWord, w.passes)
		}
		w.argument(c)
	}
}
