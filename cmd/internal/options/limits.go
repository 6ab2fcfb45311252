package options

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/solve/memory"
)

// limits are those of a command that searches nothing: it reads files, of which any may be
// endless, or a pipe that nobody writes to, and works on what they say.
type limits struct {
	time time.Duration // 0 for none
	Memory
}

// Limited gives a command that was made whole a time limit and a ceiling of memory, with flags for
// both: they are in the context that it runs in. Where it has a flag --memory already, that is all
// there is about memory.
func Limited(cmd *cobra.Command, io *terminal.Streams) *cobra.Command {
	return limited(cmd, io, defaultTimeLimit)
}

// LimitedBySize is Limited for commands whose files have any size.
func LimitedBySize(cmd *cobra.Command, io *terminal.Streams) *cobra.Command {
	return limited(cmd, io, longReading)
}

// longReading is for reading files of any size.
const longReading = 10 * time.Minute

func limited(cmd *cobra.Command, io *terminal.Streams, most time.Duration) *cobra.Command {
	l := &limits{}
	f, run := cmd.Flags(), cmd.RunE
	f.DurationVar(&l.time, "time-limit", most, "give up after this long, which begins with what comes from standard input where that is read; 0 for never")
	if f.Lookup("memory") == nil {
		l.AddFlag(cmd, "")
		f.Lookup("memory").Usage = "give up on files that would take more memory than this; 0 for no bound (default half of the machine's or container's)"
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if l.time < 0 {
			return usage.Errorf("--time-limit %v is negative", l.time)
		}
		ctx, stop, err := l.begin(cmd.Context(), io, args)
		if err != nil {
			return err
		}
		defer stop()
		cmd.SetContext(ctx)
		return advised(run(cmd, args))
	}
	return cmd
}

// Reading is the context in which a command reads whose own work may take any time: what is read
// has so long as that of others.
func Reading(ctx context.Context, io *terminal.Streams, files ...string) (context.Context, context.CancelFunc, error) {
	l := &limits{time: defaultTimeLimit}
	return l.begin(ctx, io, files)
}

// begin puts the limits on a context. Whoever is to write to standard input may take their time.
func (l *limits) begin(ctx context.Context, io *terminal.Streams, args []string) (context.Context, context.CancelFunc, error) {
	if slices.Contains(args, "-") {
		in, err := terminal.Until(ctx, func() (*bufio.Reader, error) {
			in := bufio.NewReader(io.In)
			in.Peek(1) // an error comes again where it is read
			return in, nil
		})
		if err != nil {
			return nil, nil, err
		}
		io.In = in
	}
	free, stop := func() {}, func() {}
	if ceiling := l.Ceiling(); ceiling > 0 {
		Heed(ceiling)
		ctx, free = memory.With(ctx, ceiling, true)
	}
	if l.time > 0 {
		ctx, stop = context.WithTimeoutCause(ctx, l.time, terminal.TimeLimit(l.time))
	}
	return ctx, func() { stop(); free() }, nil
}

// advised says of a limit how to have another.
func advised(err error) error {
	switch {
	case errors.As(err, new(terminal.TimeLimit)):
		return fmt.Errorf("%w; --time-limit allows more", err)
	case errors.As(err, new(memory.Reached)):
		return fmt.Errorf("%w; --memory allows more", err)
	}
	return err
}
