package external

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Once runs a command that is given one text and answers with one, of at most so many bytes: all that it
// writes until it ends. It is killed when ctx ends, or after the limit of opts. An error says what the program
// did, but not which it is.
func Once(ctx context.Context, command []string, text []byte, most int, opts Options) ([]byte, error) {
	p, err := start(ctx, command, opts)
	if err != nil {
		return nil, fmt.Errorf("it cannot be run: %w", err)
	}
	defer p.forget()
	defer p.watchdog.Stop()
	if opts.Limit > 0 {
		p.watchdog.Reset(opts.Limit)
	}
	go func() { // a program may write before it has read all
		p.in.Write(text) // it need not read
		p.in.Close()
	}()
	out, err := io.ReadAll(io.LimitReader(p.out, int64(most)+1))
	if err == nil && len(out) > most {
		err = fmt.Errorf("it writes more than %d MB", most>>20)
	}
	if err != nil {
		p.kill()
	}
	ended := p.wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case p.late.Load():
		return nil, fmt.Errorf("it did not end within %v", opts.Limit)
	case err != nil:
		return nil, err
	case ended != nil:
		return nil, fmt.Errorf("it failed (%w)", ended)
	case len(out) == 0:
		return nil, errors.New("it wrote nothing")
	}
	return out, nil
}
