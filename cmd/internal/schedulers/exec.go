package schedulers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"downbeat/online"
	"downbeat/online/external"
)

// Exec makes policies, those among them that programs decide: exec:COMMAND, and those that have
// labels: LABEL=POLICY.
type Exec struct {
	// Limit is how long a program may take for an answer; 0 means for ever.
	Limit time.Duration
	// Stderr gets what programs write to standard error, line by line; nil drops it.
	Stderr io.Writer
	// Record, if not nil, keeps what runs and programs say to each other.
	Record *external.Record
	// lines keeps those of several programs apart.
	lines sync.Mutex
	// labels are what policies with labels stand for; idle are programs that stay for more runs.
	labels map[string]string
	idle   external.Pool
}

// Write implements io.Writer: on to Stderr.
func (e *Exec) Write(line []byte) (int, error) {
	e.lines.Lock()
	defer e.lines.Unlock()
	return e.Stderr.Write(line)
}

// Output is where programs write what is for people, line by line; nil where that is dropped.
func (e *Exec) Output() io.Writer {
	if e.Stderr == nil {
		return nil
	}
	return e
}

// Named is what a policy is called from now on: its label where it has one, else its text. A label
// must not stand for two policies, nor be the name of one.
func (e *Exec) Named(spec string) (string, error) {
	label, text := external.Label(spec)
	if label == "" {
		return spec, nil
	}
	if _, err := New(label, 0); err == nil {
		return "", fmt.Errorf("%s: %s is a policy; take another label", spec, label)
	}
	if old, known := e.labels[label]; known && old != text {
		return "", fmt.Errorf("%s: the label stands for %s already", spec, old)
	}
	if e.labels == nil {
		e.labels = map[string]string{}
	}
	e.labels[label] = text
	return label, nil
}

// text is what a policy stands for.
func (e *Exec) text(name string) string {
	if text, labelled := e.labels[name]; labelled {
		return text
	}
	return name
}

// New is the package's New, for exec:COMMAND and for labels that [Exec.Named] knows, too.
func (e *Exec) New(name string, seed uint64) (online.Policy, error) {
	spec := e.text(name)
	text, ok := strings.CutPrefix(spec, external.Prefix)
	if !ok {
		if spec+":" == external.Prefix {
			return nil, errors.New("exec needs a command, as in exec:python3 my_policy.py")
		}
		return New(spec, seed)
	}
	command, err := external.Command(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	return external.New(name, command, external.Options{Limit: e.Limit, Seed: seed, Pool: &e.idle, Stderr: e.Output(), Record: e.Record}), nil
}

// Programs reports whether a program decides one of these policies.
func (e *Exec) Programs(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(e.text(name), external.Prefix) })
}

// Close ends the programs that stayed.
func (e *Exec) Close() { e.idle.Close() }

// Definition is what the results of a policy depend on beside its name: what a label stands for, and of a
// program the contents of its file and of the files among its arguments. It is empty for any
// other policy.
func (e *Exec) Definition(ctx context.Context, name string) (string, error) {
	spec := e.text(name)
	text, ok := strings.CutPrefix(spec, external.Prefix)
	if !ok {
		if spec == name {
			return "", nil
		}
		return spec, nil
	}
	command, err := external.Command(text)
	if err != nil {
		return "", err
	}
	return external.Digest(ctx, command)
}

// Theirs reports whether a run ended for what a program did that is none of ours.
func (e *Exec) Theirs(err error) bool {
	var fault *external.Fault
	var starved *online.StarvedError
	return errors.As(err, &fault) || errors.As(err, &starved) && strings.HasPrefix(e.text(starved.Policy), external.Prefix)
}
