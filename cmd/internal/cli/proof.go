package cli

import (
	"context"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
)

// proofOptions are the flags and arguments of the commands that are about proofs.
type proofOptions struct {
	options.Answer
	changes     options.Changes
	file, proof string
	// output is the file for what is left of a proof, empty for none.
	output string
}

func newVerifyProofCmd(io *terminal.Streams, run func(context.Context, *proofOptions) error) *cobra.Command {
	o := &proofOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "verify-proof FILE PROOF",
		Short: "Check a proof of what an answer claims, step by step",
		Long: `Check the proof in PROOF, which plan, check or size wrote with --proof, about the
job set in FILE: every step, by code that searches nothing and shares nothing with
the search. Say what is proved. Either may be - for standard input; PROOF may be
compressed by gzip. Where the answer was about a changed set the proof names the
changes, which are made and told; one that was made by an older version does not: give
the same changes.

Exit code 0: all that the proof claims is proved. 1: a step does not follow, or the
proof is cut off; the first such line is named. 2: bad usage or input: no proof, or
one about another job set. 3: a limit came first.`,
		Example: `  downbeat verify-proof nightly.yaml nightly.proof
  downbeat verify-proof nightly.yaml smaller.proof.gz --time-limit 10m`,
		Args: usage.ExactArgs("FILE", "PROOF"),
		RunE: o.run(run),
	}
	o.addFlags(cmd)
	return cmd
}

func newProofCmd(io *terminal.Streams, run func(context.Context, *proofOptions) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "proof",
		Short: "Make a proof shorter, or say it for another checker",
		Args:  cobra.ArbitraryArgs,
		RunE:  usage.Group,
	}
	o := &proofOptions{}
	o.IO = io
	trim := &cobra.Command{
		Use:   "trim FILE PROOF",
		Short: "Leave of a proof what its claims need",
		Long: `Leave of the proof in PROOF, about the job set in FILE, only the steps that its
claims need, as far as can be told, and say how many of which kind these are, and on
which jobs, machines and times the claims rest. What is left is checked, too.

Exit code 0: done. 1: the proof fails as it is. 2: bad usage or input. 3: a limit came
first.`,
		Example: `  downbeat proof trim nightly.yaml nightly.proof -o short.proof`,
		Args:    usage.ExactArgs("FILE", "PROOF"),
		RunE:    o.run(run),
	}
	o.addFlags(trim)
	trim.Flags().StringVarP(&o.output, "output", "o", "", "write what is left to this file, compressed where its name ends in .gz")
	cmd.AddCommand(options.Limited(trim, io), newProofExportCmd(io, runProofExport))
	return cmd
}

func (o *proofOptions) addFlags(cmd *cobra.Command) {
	o.AddFlags(cmd)
	o.changes.AddFlags(cmd)
	options.QuietFlag(cmd, &o.Quiet)
}

// run checks the call before it runs it.
func (o *proofOptions) run(run func(context.Context, *proofOptions) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		o.file, o.proof = args[0], args[1]
		if o.file == "-" && o.proof == "-" {
			return usage.Errorf("FILE and PROOF cannot both be standard input")
		}
		if err := options.CheckProofOutput(cmd, o.IO, o.output, o.proof); err != nil {
			return err
		}
		return run(cmd.Context(), o)
	}
}

func runVerifyProof(ctx context.Context, o *proofOptions) error {
	js, err := o.changes.JobSet(ctx, o.IO, o.file, o.Note)
	if err != nil {
		return err
	}
	found, err := options.CheckProof(ctx, o.IO, o.proof, js)
	if err != nil {
		return err
	}
	if err := usage.Output(o.View().Proof(found.JS, found)); err != nil {
		return err
	}
	if found.Fault != nil {
		return exit.No
	}
	return nil
}

func runProofTrim(ctx context.Context, o *proofOptions) error {
	js, err := o.changes.JobSet(ctx, o.IO, o.file, o.Note)
	if err != nil {
		return err
	}
	left, found, err := options.TrimProof(ctx, o.IO, o.proof, js)
	if err != nil {
		return err
	}
	// The answer is printed even where the file cannot be written.
	var unwritten error
	if o.output != "" && left != nil {
		left.Made, left.Changes = version.Made(), found.JS.Changes
		unwritten = options.WriteProof(o.output, left.Write)
	}
	if err := usage.Output(o.View().Trimmed(found.JS, found)); err != nil {
		return err
	}
	if unwritten == nil && found.Fault != nil {
		return exit.No
	}
	return unwritten
}
