package veripb

import (
	"context"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// Outline is what has to be known of a proof before the refutation of a question can be said.
type Outline struct {
	number   int
	question *Question
	// cuts has the questions before it on which the refutation rests.
	cuts map[int]bool
	// order and first are what steps of the question, and of those, take for granted of tasks and slaves.
	order [][2]model.TaskID
	first []First
	// exchanges are those by which some of it follows, and ordered what does.
	exchanges []*exchange
	ordered   classes
}

// Survey reads a proof for what the refutation of a question needs. The proof is checked meanwhile.
func Survey(ctx context.Context, js *model.JobSet, proof io.Reader, question int) (*Outline, error) {
	s := &survey{of: map[int]*surveyed{}}
	verdict, err := inference.Watch(ctx, js, proof, s)
	if err != nil {
		return nil, err
	}
	o := &Outline{number: question, cuts: map[int]bool{}}
	if of := s.of[question]; of != nil {
		o.question = of.question
		o.question.Alike = verdict.Alike
	}
	s.closure(question, o.cuts)
	for _, n := range append(slices.Sorted(maps.Keys(o.cuts)), question) {
		if of := s.of[n]; of != nil {
			o.order, o.first = append(o.order, of.question.Order...), append(o.first, of.question.First...)
		}
	}
	return o, nil
}

// survey is an [inference.Observer] of all questions.
type survey struct {
	of  map[int]*surveyed
	now *surveyed
}

type surveyed struct {
	question *Question
	cuts     []int
}

// Question implements [inference.Observer].
func (s *survey) Question(number int, now *inference.View) {
	q := asked(now)
	s.now = &surveyed{question: q}
	s.of[number] = s.now
}

// asked is what a question asks.
func asked(now *inference.View) *Question {
	q := &Question{Set: now.Set(), Jobs: now.Jobs(), Limits: map[model.Objective]int64{}}
	for _, o := range model.Limited() {
		if most, is := now.Limit(o); is && o.InProofs() != "" {
			q.Limits[o] = most
		}
	}
	return q
}

// Step implements [inference.Observer].
func (s *survey) Step(line []byte, _ *inference.View) {
	if line[0] != 'c' {
		return
	}
	fields := strings.Split(string(line), " ")
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[3+i], 10, 64)
		return n
	}
	q := s.now.question
	switch fields[2] {
	case "order":
		if pair := [2]model.TaskID{model.TaskID(number(0)), model.TaskID(number(1))}; !slices.Contains(q.Order, pair) {
			q.Order = append(q.Order, pair)
		}
	case "first":
		if f := (First{model.TaskID(number(0)), model.SlaveID(number(1)), model.SlaveID(number(2))}); !slices.Contains(q.First, f) {
			q.First = append(q.First, f)
		}
	case "cut":
		s.now.cuts = append(s.now.cuts, int(number(0)))
	}
}

// closure adds the questions that the refutation of one rests on.
func (s *survey) closure(question int, to map[int]bool) {
	if of := s.of[question]; of != nil {
		for _, q := range of.cuts {
			if !to[q] {
				to[q] = true
				s.closure(q, to)
			}
		}
	}
}
