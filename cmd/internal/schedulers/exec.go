package schedulers

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"downbeat/online"
	"downbeat/online/external"
)

// Exec makes policies, those among them that programs decide: exec:COMMAND.
type Exec struct {
	// Limit is how long a program may take for an answer; 0 means for ever.
	Limit time.Duration
	// Stderr gets what programs write to standard error, line by line; nil drops it.
	Stderr io.Writer
	// lines keeps those of several programs apart.
	lines sync.Mutex
}

// Write implements io.Writer: on to Stderr.
func (e *Exec) Write(line []byte) (int, error) {
	e.lines.Lock()
	defer e.lines.Unlock()
	return e.Stderr.Write(line)
}

const execPrefix = "exec:"

// New is the package's New, for exec:COMMAND too.
func (e *Exec) New(spec string, seed uint64) (online.Policy, error) {
	text, ok := strings.CutPrefix(spec, execPrefix)
	if !ok {
		if spec+":" == execPrefix {
			return nil, errors.New("exec needs a command, as in exec:python3 my_policy.py")
		}
		return New(spec, seed)
	}
	command, err := external.Command(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	opts := external.Options{Limit: e.Limit, Seed: seed}
	if e.Stderr != nil {
		opts.Stderr = e
	}
	return external.New(spec, command, opts), nil
}

// Theirs reports whether a run ended for what a program did that is none of ours.
func Theirs(err error) bool {
	var fault *external.Fault
	var starved *online.StarvedError
	return errors.As(err, &fault) || errors.As(err, &starved) && strings.HasPrefix(starved.Policy, execPrefix)
}
