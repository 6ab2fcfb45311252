package rds

import (
	"encoding/binary"
	"math"
)

// memo keeps the last answers to questions that are made of numbers. Where nothing happens
// for many intervals, as while all slaves are away, controls ask the same again and again,
// or in turns the same few as slaves come and go.
type memo[A any] struct {
	answers map[string]A
	asked   []byte
}

// memoSize is how many answers are kept: more than slaves come and go in turns that
// repeat themselves within the window of readings.
const memoSize = 64

// ask begins a question.
func (m *memo[A]) ask() { m.asked = m.asked[:0] }

// add makes numbers, and how many there are, part of the question.
func (m *memo[A]) add(numbers ...float64) {
	m.asked = binary.LittleEndian.AppendUint64(m.asked, uint64(len(numbers)))
	for _, x := range numbers {
		m.asked = binary.LittleEndian.AppendUint64(m.asked, math.Float64bits(x))
	}
}

// answer is what was found before, or what find finds now.
func (m *memo[A]) answer(find func() A) A {
	if a, known := m.answers[string(m.asked)]; known {
		return a
	}
	if m.answers == nil || len(m.answers) == memoSize {
		m.answers = make(map[string]A, memoSize)
	}
	a := find()
	m.answers[string(m.asked)] = a
	return a
}
