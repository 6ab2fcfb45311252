// Process runs a solver as a process of its own and hands on what it
// prints, line by line as it comes.

package minizinc

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"time"
)

// RunProcess runs a command with the given input to its end. When ctx ends, it is told
// to stop by an interrupt, as from a keyboard, and killed if it still runs a
// grace later. What it writes to standard error is returned, with blanks at its
// ends cut off; the error is that of package exec.
func RunProcess(ctx context.Context, grace time.Duration, input io.Reader, output *Lines, name string, args ...string) (stderr []byte, err error) {
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, output, &errs
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	err = cmd.Run()
	return bytes.TrimSpace(errs.Bytes()), err
}

// Lines is a writer that hands on whole lines.
type Lines struct {
	// Take gets each line without its end; it must not keep it.
	Take func(line []byte)
	// Rest is the line under way: at the end, what had no end of a line.
	Rest []byte
}

// Write never fails, so that the process reaches its end.
func (l *Lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.Rest = append(l.Rest, p...)
			return n, nil
		}
		l.Rest = append(l.Rest, p[:i]...)
		l.Take(l.Rest)
		l.Rest, p = l.Rest[:0], p[i+1:]
	}
}
