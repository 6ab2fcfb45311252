// Peers sets downbeat beside the other solvers of this machine on the same job
// sets, and measures how it grows:
//
//	go run ./cmd/peers --limit 10s --csv runs.csv examples family:tight-40:1-5
//	go run ./cmd/peers curve --by 10s,60s -o docs/cliff.svg runs.csv
//	go run ./cmd/peers scale -o docs
//	go run ./cmd/peers budget family:misses-medium:1-3
//	go run ./cmd/peers policies
//	go run ./cmd/peers speedup --csv speedup.csv -o docs/speedup.svg
//	go run ./cmd/peers published --csv docs/published.csv benchmarks/jobshop
//	go run ./cmd/peers gen -o sets family:scale-shared-10000:1
//
// The first prints a table; with --csv every run goes to a file as it ends, and
// what is there already is not run again. curve reads such files and draws the
// share of sets settled against their size. scale plans sets of up to 100,000
// tasks, budget the given ones with budgets of counted work, and policies plays one of
// 100,000 tasks under every online policy. speedup tells what more workers are worth, published
// how downbeat and CP-SAT do on sets of the literature. gen writes generated sets to files.
//
// Exit code 1: two answers cannot both be right, or a solver failed. 2: bad
// usage or input.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/lab/peers"
	"downbeat/cmd/internal/usage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(int(run(ctx, os.Args[1:], os.Stdout, os.Stderr)))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) exit.Code {
	root := newRootCmd()
	root.SetOut(stdout)
	root.SetErr(stderr)
	usage.Strict(root)
	root.SetArgs(twoDashes(args))
	return exit.Run(ctx, root)
}

func newRootCmd() *cobra.Command {
	root := newCompareCmd()
	root.AddCommand(newCurveCmd(), newScaleCmd(), newBudgetCmd(), newGenCmd(), newPoliciesCmd(), newSpeedupCmd(), newPublishedCmd(), newAnswerCmd(), newPlayCmd(), newTrialCmd())
	for _, cmd := range append(root.Commands(), root) {
		work := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error { return fault(work(cmd, args)) }
	}
	return root
}

// fault makes what goes wrong a fault of the call: of its files, its folders, or
// the solvers that it found.
func fault(err error) error {
	var code exit.Code
	if errors.As(err, &code) {
		return err
	}
	return usage.Of(err)
}

// twoDashes takes long flags with one dash as well: -limit for --limit.
func twoDashes(args []string) []string {
	out := []string{}
	for _, arg := range args {
		if name, _, _ := strings.Cut(arg, "="); len(name) > 2 && name[0] == '-' && name[1] != '-' {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}

// answerCommand makes the program answer for downbeat, as one of the solvers,
// playCommand play a job set under a policy, and trialCommand make a trial of speedup.
const (
	answerCommand = "answer"
	playCommand   = "play"
	trialCommand  = "trial"
)

func newAnswerCmd() *cobra.Command {
	return &cobra.Command{
		Use:    answerCommand + " FILE LIMIT WORKERS",
		Short:  "Answer for downbeat, as one of the solvers",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return peers.AnswerFile(cmd.Context(), cmd.OutOrStdout(), args)
		},
	}
}

func newPlayCmd() *cobra.Command {
	return &cobra.Command{
		Use:    playCommand + " FILE POLICY",
		Short:  "Play a job set under a policy, and tell how it went",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return peers.PlayFile(cmd.Context(), cmd.OutOrStdout(), args)
		},
	}
}

func newTrialCmd() *cobra.Command {
	return &cobra.Command{
		Use:    trialCommand + " FILE TRIAL",
		Short:  "Plan a job set as speedup asks for, and tell what it took",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return peers.TrialFile(cmd.Context(), cmd.OutOrStdout(), args)
		},
	}
}

// itself is this program with one of its commands.
func itself(command string) ([]string, error) {
	path, err := os.Executable()
	return []string{path, command}, err
}

// load reads the sets. Those of families are in the folder that is named, or in
// one that forget removes.
func load(paths []string, save string) (sets []peers.Set, forget func(), err error) {
	if len(paths) == 0 {
		return nil, nil, usage.Errorf("name a folder of job sets, files, or families as in family:tight-40:1-5")
	}
	save, forget, err = folderFor(save)
	if err != nil {
		return nil, nil, err
	}
	if sets, err = peers.Load(paths, save); err != nil {
		forget()
	}
	return sets, forget, err
}

// folderFor is a folder to keep sets in: the one that is named, or one that forget takes away.
func folderFor(save string) (dir string, forget func(), err error) {
	if save != "" {
		return save, func() {}, os.MkdirAll(save, 0o777)
	}
	dir, err = os.MkdirTemp("", "peers")
	return dir, func() { os.RemoveAll(dir) }, err
}
