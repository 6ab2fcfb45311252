package external

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

// process is a program that answers lines.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	limit time.Duration
	// watchdog kills the program when an answer takes too long.
	watchdog *time.Timer
	late     atomic.Bool
	forget   func() bool
}

// MaxAnswer is the length in bytes that an answer may have.
const MaxAnswer = 16 << 20

// endLine is the last line of a run.
var endLine = []byte("{\"type\":\"end\"}\n")

// endGrace is how long a program may take to end once its run is over.
const endGrace = 2 * time.Second

// start runs a program. It is killed when ctx ends.
func start(ctx context.Context, command []string, opts Options) (*process, error) {
	p := &process{cmd: exec.Command(command[0], command[1:]...), limit: opts.Limit}
	p.cmd.Env = append([]string{"PYTHONHASHSEED=0"}, os.Environ()...) // the order of sets is not to change from run to run
	p.cmd.WaitDelay = endGrace
	ownGroup(p.cmd)
	if opts.Stderr != nil {
		p.cmd.Stderr = &lineWriter{to: opts.Stderr}
	}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 1<<16)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.bind(ctx)
	p.watchdog = time.AfterFunc(time.Hour, func() { p.late.Store(true); p.kill() })
	p.watchdog.Stop()
	return p, nil
}

// bind has the program killed when ctx ends, until it is forgotten.
func (p *process) bind(ctx context.Context) { p.forget = context.AfterFunc(ctx, p.kill) }

func (p *process) kill() { killGroup(p.cmd.Process) }

// ask writes a line and reads one, which holds until the next call. Where that fails the
// program has ended.
func (p *process) ask(line []byte) ([]byte, error) {
	if n := p.out.Buffered(); n > 0 {
		rest, _ := p.out.Peek(n)
		rest, _, _ = bytes.Cut(rest, []byte("\n"))
		return nil, fmt.Errorf("it writes %s, which nobody asked for", shown(rest))
	}
	if p.limit > 0 {
		p.watchdog.Reset(p.limit)
		defer p.watchdog.Stop()
	}
	if _, err := p.in.Write(line); err != nil {
		return nil, p.gone()
	}
	text, err := p.read()
	if errors.Is(err, errTooLong) {
		return nil, err
	}
	if err != nil {
		return nil, p.gone()
	}
	return text, nil
}

var errTooLong = fmt.Errorf("its answer is longer than %d MB", MaxAnswer>>20)

// read reads a line; most fit into the buffer.
func (p *process) read() ([]byte, error) {
	text, err := p.out.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return text, err
	}
	long := bytes.Clone(text)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(long) > MaxAnswer {
			return nil, errTooLong
		}
		text, err = p.out.ReadSlice('\n')
		long = append(long, text...)
	}
	return long, err
}

// gone says how a program ended from which no answer came.
func (p *process) gone() error {
	err := p.wait() // where it has closed its output and goes on, it is killed
	switch {
	case p.late.Load():
		return fmt.Errorf("it gave no answer within %v", p.limit)
	case err != nil:
		return fmt.Errorf("it ended (%v) and gave no answer", err)
	}
	return errors.New("it ended and gave no answer")
}

// end lets the program come to its end, or ends it.
func (p *process) end(orderly bool) {
	p.forget()
	p.watchdog.Stop()
	if p.cmd.ProcessState != nil {
		return
	}
	if orderly {
		p.in.Write(endLine) // it may have ended already
	} else {
		p.kill()
	}
	p.wait() // how it ends does not matter any more
}

// rest ends a run of a program that stays for another one; false where it is gone.
func (p *process) rest() bool {
	p.watchdog.Stop()
	if !p.forget() || p.cmd.ProcessState != nil {
		return false
	}
	_, err := p.in.Write(endLine)
	return err == nil
}

// wait waits for the program to end, for as long as the grace.
func (p *process) wait() error {
	p.in.Close()
	slow := time.AfterFunc(endGrace, p.kill)
	defer slow.Stop()
	return p.cmd.Wait()
}

// lineWriter hands on whole lines.
type lineWriter struct {
	to   io.Writer
	rest []byte
}

// Write implements io.Writer. It never fails, so that the program goes on.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	if i := bytes.LastIndexByte(w.rest, '\n'); i >= 0 {
		w.to.Write(w.rest[:i+1])
		w.rest = append(w.rest[:0], w.rest[i+1:]...)
	}
	return len(p), nil
}
