package workload

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/online/external"
)

// Exec is a workload whose job sets a program makes. It is given a line of JSON, such as
//
//	{"version": 1, "seed": 3, "keys": {"load": 0.5}}
//
// and answers with a job set in YAML or JSON, and ends. The same line is to have the same answer.
type Exec struct {
	text    string
	command []string
	// keys are the parameters in the order of the text; their values are numbers, true, false, or texts.
	keys []*setting
}

// Programs says how the programs of workloads are run.
type Programs struct {
	// Limit is how long a program may take for a job set; 0 means for ever.
	Limit time.Duration
	// Stderr gets whole lines of what programs write to standard error; nil drops them.
	Stderr io.Writer
}

const (
	// requestVersion is that of the line that a program gets.
	requestVersion = 1
	// maxAnswer is how long the job set of a program may be, in bytes.
	maxAnswer = 64 << 20
)

// execName is what programs without a label are called.
const execName = "exec"

// labelled takes the label off a program, LABEL=exec:COMMAND; it is empty where there is none.
func labelled(spec string) (label, rest string) {
	if label, text := external.Label(spec); strings.HasPrefix(text, external.Prefix) {
		return label, text
	}
	return "", spec
}

// newProgram is the workload of a command, exec:COMMAND.
func newProgram(text string) (*Exec, error) {
	command, err := external.Command(strings.TrimPrefix(text, external.Prefix))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return &Exec{text: text, command: command}, nil
}

// keyForm begins a text of parameters.
var keyForm = regexp.MustCompile(`^\s*[\p{L}_][\p{L}\p{N}_.-]*\s*=`)

// cutCommand takes a command and its parameters apart: these follow the last colon outside of quotes after
// which a name and an equals sign stand.
func cutCommand(spec string) (name, parameters string) {
	at, quote := -1, rune(0)
	for i, c := range spec {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0 && c == ':' && keyForm.MatchString(spec[i+1:]):
			at = i
		}
	}
	if at < 0 {
		return spec, ""
	}
	return spec[:at], spec[at+1:]
}

// declare takes parameters of any name.
func (w *Exec) declare(settings []setting) {
	for _, s := range settings {
		known := slices.ContainsFunc(w.keys, func(k *setting) bool { return k.name == s.name })
		if s.name != "seed" && !known {
			w.keys = append(w.keys, &setting{name: s.name})
		}
	}
}

func (w *Exec) params() []param {
	var out []param
	for _, k := range w.keys {
		out = append(out, param{name: k.name, help: "for the program", value: anyText{&k.value}})
	}
	return out
}

func (w *Exec) check() error { return nil }

// Assumptions is empty: what the program rests on, its author knows.
func (w *Exec) Assumptions() []string { return nil }

// Generate has the program make the set of the seed.
func (w *Exec) Generate(seed uint64) (*model.JobSet, error) {
	return w.generate(context.Background(), seed, nil)
}

func (w *Exec) generate(ctx context.Context, seed uint64, programs *Programs) (*model.JobSet, error) {
	if programs == nil {
		programs = &Programs{Limit: time.Minute}
	}
	out, err := external.Once(ctx, w.command, w.request(seed), maxAnswer, external.Options{Limit: programs.Limit, Stderr: programs.Stderr})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.text, err)
	}
	return jobfile.Load("what "+w.text+" writes", out)
}

// request is the line that the program gets.
func (w *Exec) request(seed uint64) []byte {
	keys := map[string]any{}
	for _, k := range w.keys {
		keys[k.name] = keyValue(k.value)
	}
	line, err := json.Marshal(struct {
		Version int            `json:"version"`
		Seed    uint64         `json:"seed"`
		Keys    map[string]any `json:"keys"`
	}{requestVersion, seed, keys})
	if err != nil {
		panic(err) // plain data
	}
	return append(line, '\n')
}

// keyValue is a number, a truth, or the text itself.
func keyValue(text string) any {
	if numberForm.MatchString(text) {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	}
	if b, err := strconv.ParseBool(text); err == nil && (text == "true" || text == "false") {
		return b
	}
	return text
}
