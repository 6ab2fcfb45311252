package solution

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Status is what a solver says of a formula.
type Status uint8

const (
	// Unknown: it says nothing, or that it does not know.
	Unknown Status = iota
	// Satisfiable: there is a solution.
	Satisfiable
	// Optimal: there is a solution, and none is cheaper.
	Optimal
	// Unsatisfiable: there is none.
	Unsatisfiable
)

// Answer is what a solver printed. Nothing of it has been checked.
type Answer struct {
	Status Status
	// Cost is the last one that it told, if HasCost.
	Cost    int64
	HasCost bool
	values  []bool // by variable
	valued  bool
}

// HasSolution tells whether the solver gave values to variables.
func (a *Answer) HasSolution() bool { return a.valued }

// True is the value of a variable ≥ 1; those without one are false.
func (a *Answer) True(variable int) bool { return variable < len(a.values) && a.values[variable] }

// maxVariable bounds the numbers of variables, for which there has to be room.
const maxVariable = 1 << 27

// statuses are the words of the solvers' competitions, and of minisat's files.
var statuses = map[string]Status{
	"SATISFIABLE": Satisfiable, "OPTIMUM FOUND": Optimal, "UNSATISFIABLE": Unsatisfiable, "UNKNOWN": Unknown,
	"SAT": Satisfiable, "UNSAT": Unsatisfiable, "INDET": Unknown, "INDETERMINATE": Unknown,
}

// ReadAnswer reads what a solver printed: lines s, o and v as the competitions of SAT, MaxSAT
// (with values as a word of 0 and 1 too) and pseudo-Boolean solvers have them, or the file of
// a result that minisat writes. All other lines are passed over. Of several solutions the last
// one counts. What is wrong is a [*Fault]; any other error is that of ctx.
func ReadAnswer(ctx context.Context, file string, r io.Reader) (*Answer, error) {
	in := &answerReader{Answer: &Answer{}, file: file}
	if err := lines(ctx, file, r, in.line); err != nil {
		return nil, err
	}
	if !in.told {
		return nil, &Fault{File: file, Message: "a solver's answer has a line like s SATISFIABLE, or v with values; this has none"}
	}
	return in.Answer, nil
}

type answerReader struct {
	*Answer
	file string
	// told is set by the first line that tells anything, plain by one of minisat.
	told, plain bool
	// over tells that the next value begins another solution.
	over bool
}

func (in *answerReader) line(n int, line string) error {
	mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch status, word := statuses[mark]; {
	case word && rest == "":
		in.Status, in.told, in.plain = status, true, true
	case mark == "s":
		if in.Status, word = statuses[rest]; !word && rest != "UNSUPPORTED" {
			return &Fault{in.file, n, fmt.Sprintf("the solver's answer is %q, which is none that solvers give", short(rest))}
		}
		in.told = true
	case mark == "o":
		cost, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return &Fault{in.file, n, fmt.Sprintf("the cost %q is no number", short(rest))}
		}
		in.Cost, in.HasCost, in.over = cost, true, true
	case mark == "v":
		in.told = true
		return in.read(n, rest)
	case in.plain && in.Status == Satisfiable && !in.valued:
		return in.read(n, strings.TrimSpace(line))
	}
	return nil
}

// read takes the values of a line.
func (in *answerReader) read(n int, text string) error {
	if in.over {
		in.values, in.over = nil, false
	}
	in.valued = true
	if in.isWord(text) {
		in.bits(text)
		return nil
	}
	for word := range strings.FieldsSeq(text) {
		if word == "0" {
			in.over = true
			continue
		}
		digits, negative := strings.CutPrefix(word, "-")
		digits = strings.TrimPrefix(digits, "x")
		variable, err := strconv.Atoi(digits)
		if err != nil || variable < 1 || variable > maxVariable || digits[0] == '+' {
			return &Fault{in.file, n, fmt.Sprintf("the value %q is none of a variable", short(word))}
		}
		in.set(variable, !negative)
	}
	return nil
}

// isWord reports whether a text has the values of all variables as 0 and 1. A number that
// begins with 0, or is longer than any, is none; solvers that tell costs tell numbers only with
// an x, or many in a line.
func (in *answerReader) isWord(text string) bool {
	return text != "" && text != "0" && strings.Trim(text, "01") == "" && (text[0] == '0' || len(text) > 10 || in.HasCost)
}

// bits takes the values of all variables as a word.
func (in *answerReader) bits(text string) {
	in.values = make([]bool, len(text)+1)
	for i, c := range text {
		in.values[i+1] = c == '1'
	}
	in.over = true
}

func (in *answerReader) set(variable int, value bool) {
	for variable >= len(in.values) {
		in.values = append(in.values, false)
	}
	in.values[variable] = value
}

// short is the beginning of a word that a message names.
func short(word string) string {
	if len(word) > 40 {
		return word[:40] + "…"
	}
	return word
}
