// Peers sets downbeat beside the other solvers of this machine on the same job
// sets, and measures how it grows:
//
//	go run ./cmd/peers -limit 10s -csv runs.csv examples family:tight-40:1-5
//	go run ./cmd/peers curve -by 10s,60s -o docs/cliff.svg runs.csv
//	go run ./cmd/peers scale -o docs
//	go run ./cmd/peers budget family:misses-medium:1-3
//
// The first prints a table; with -csv every run goes to a file as it ends, and
// what is there already is not run again. curve reads such files and draws the
// share of sets settled against their size. scale plans sets of up to 100,000
// tasks, budget the given ones with budgets of counted work.
//
// Exit code 1: two answers cannot both be right, or a solver failed. 2: bad
// usage or input.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

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

// A command takes its arguments.
type command func(ctx context.Context, args []string, stdout, stderr io.Writer) int

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		commands := map[string]command{answerCommand: answer, "curve": curve, "scale": scale, "budget": budget}
		if c := commands[args[0]]; c != nil {
			return c(ctx, args[1:], stdout, stderr)
		}
	}
	return compare(ctx, args, stdout, stderr)
}

func answer(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return fail(stderr, peers.AnswerFile(ctx, stdout, args))
}

// itself is the command that answers for downbeat.
func itself() ([]string, error) {
	path, err := os.Executable()
	return []string{path, answerCommand}, err
}

func fail(stderr io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(stderr, "peers:", err)
	return exitUsage
}

// flags are those of a command, with its usage line.
func flags(stderr io.Writer, usage string) *flag.FlagSet {
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: peers", usage)
		f.PrintDefaults()
	}
	return f
}

// rule is a rule of usage that was broken if is holds.
type rule struct {
	is   bool
	text string
}

// parse reads the arguments; what is wrong has been said when it returns an error.
func parse(f *flag.FlagSet, args []string, rules func() []rule) error {
	if err := f.Parse(args); err != nil {
		return err // the flag package has said why
	}
	for _, r := range rules() {
		if r.is {
			fmt.Fprintln(f.Output(), "peers:", r.text)
			return errors.New(r.text)
		}
	}
	return nil
}
