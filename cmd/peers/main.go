// Peers sets downbeat beside the other solvers of this machine on folders of
// job sets:
//
//	go run ./cmd/peers -limit 10s -csv runs.csv examples
//
// It prints a table, and with -csv every run. Exit code 1: two answers cannot
// both be right, or a solver failed. 2: bad usage or input.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"downbeat/cmd/internal/peers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const (
	exitDone  = 0
	exitNo    = 1
	exitUsage = 2
)

// answerCommand makes the program answer for downbeat, as one of the solvers.
const answerCommand = "answer"

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == answerCommand {
		return fail(stderr, peers.AnswerFile(ctx, stdout, args[1:]))
	}
	o, err := parse(args, stderr)
	if err != nil {
		return exitUsage // the flag package has said why
	}
	sets, err := peers.Load(o.paths)
	if err != nil {
		return fail(stderr, err)
	}
	self, err := os.Executable()
	if err != nil {
		return fail(stderr, err)
	}
	all, missing, err := peers.Find(ctx, []string{self, answerCommand}, o.python)
	if err != nil {
		return fail(stderr, err)
	}
	for _, m := range missing {
		fmt.Fprintln(stderr, "left out:", m)
	}
	if o.solvers != "" {
		if all, err = peers.Choose(all, strings.Split(o.solvers, ",")); err != nil {
			return fail(stderr, err)
		}
	}
	n, total := 0, len(sets)*len(all)*o.Rounds
	runs := peers.Compare(ctx, sets, all, o.Options, func(r *peers.Run) {
		n++
		fmt.Fprintf(stderr, "%d of %d: %s, %s: %v in %.2fs\n", n, total, r.Set.Name, r.Peer, r.Status, r.Total.Seconds())
	})
	return o.show(runs, all, stdout, stderr)
}

// show prints the table, writes the CSV file, and judges.
func (o *options) show(runs []*peers.Run, all []peers.Peer, stdout, stderr io.Writer) int {
	if err := peers.Table(stdout, runs, all, o.Options); err != nil {
		return fail(stderr, err)
	}
	if o.csv != "" {
		var text bytes.Buffer
		if err := peers.WriteCSV(&text, runs); err != nil {
			return fail(stderr, err)
		}
		if err := os.WriteFile(o.csv, text.Bytes(), 0o666); err != nil {
			return fail(stderr, err)
		}
	}
	code := exitDone
	for _, c := range peers.Contradictions(runs) {
		fmt.Fprintln(stderr, "contradiction:", c)
		code = exitNo
	}
	for _, r := range runs {
		if r.Fault != "" {
			code = exitNo
		}
	}
	return code
}

func fail(stderr io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(stderr, "peers:", err)
	return exitUsage
}

type options struct {
	peers.Options
	solvers, python, csv string
	paths                []string
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: peers [flags] FOLDER|FILE…")
		f.PrintDefaults()
	}
	f.DurationVar(&o.Limit, "limit", time.Minute, "time for a solver on a job set, start-up included")
	f.IntVar(&o.Workers, "workers", 1, "threads of a solver, where it can have several")
	f.IntVar(&o.Rounds, "rounds", 1, "runs of every solver on every set; the table shows the median one")
	f.StringVar(&o.solvers, "solvers", "", "only these, the first is what ratios refer to (default: all that are found)")
	f.StringVar(&o.python, "python", "python3", "Python that has OR-tools")
	f.StringVar(&o.csv, "csv", "", "write every run to this file")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.paths = f.Args()
	for _, wrong := range []struct {
		is   bool
		text string
	}{
		{len(o.paths) == 0, "name a folder of job sets, or files"},
		{o.Limit <= 0, "-limit must be more than 0"},
		{o.Workers < 1, "-workers must be at least 1"},
		{o.Rounds < 1, "-rounds must be at least 1"},
	} {
		if wrong.is {
			err := fmt.Errorf("peers: %s", wrong.text)
			fmt.Fprintln(stderr, err)
			return nil, err
		}
	}
	return o, nil
}
