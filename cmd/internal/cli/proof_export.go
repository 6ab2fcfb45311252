package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/check/inference"
	"downbeat/solve/certify/veripb"
)

// proofExport are the flags and arguments of proof export veripb.
type proofExport struct {
	options.Answer
	changes     options.Changes
	file, proof string
	// name is that of the files without their endings.
	name string
	// claim is the number of the claim, 0 for the last.
	claim int
}

func newProofExportCmd(io *terminal.Streams, run func(context.Context, *proofExport) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Say a proof in the format of another checker",
		Args:  cobra.ArbitraryArgs,
		RunE:  usage.Group,
	}
	o := &proofExport{}
	o.IO = io
	veripb := &cobra.Command{
		Use:   "veripb FILE PROOF",
		Short: "Say a claim of a proof for VeriPB",
		Long: `Say one claim of the proof in PROOF, about the job set in FILE, for VeriPB 3: NAME.opb has
the question that the claim refutes as pseudo-Boolean constraints, NAME.pbp why they have no
solution, step by step, which veripb NAME.opb NAME.pbp checks. What the constraints say is
in docs/proof.md of the source. The proof is checked as by verify-proof, too, which is what
says that the claim follows from the question.

Some rules cannot be said. Where the refutation has steps by these, they are named, and
nothing is written; proof trim may leave them out.

Exit code 0: done. 1: the proof fails, or has steps that cannot be said. 2: bad usage or
input, or windows that are too wide. 3: a limit came first.`,
		Example: `  downbeat proof export veripb nightly.yaml nightly.proof -o nightly`,
		Args:    usage.ExactArgs("FILE", "PROOF"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file, o.proof = args[0], args[1]
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.changes.AddFlags(veripb)
	f := veripb.Flags()
	f.StringVarP(&o.name, "output", "o", "", "write NAME.opb and NAME.pbp")
	f.IntVar(&o.claim, "claim", 0, "the claim to say, counted from 1 (default the last)")
	cmd.AddCommand(options.Limited(veripb, io))
	return cmd
}

func (o *proofExport) opb() string { return o.name + ".opb" }
func (o *proofExport) pbp() string { return o.name + ".pbp" }

// check tells what cannot work before anything is read.
func (o *proofExport) check(cmd *cobra.Command) error {
	switch {
	case o.name == "":
		return usage.Errorf("-o NAME is missing: NAME.opb and NAME.pbp are written")
	case o.proof == "-":
		return usage.Errorf("PROOF is read twice, and cannot be standard input; name a file")
	case cmd.Flags().Changed("claim") && o.claim < 1:
		return usage.Errorf("--claim %d: claims count from 1", o.claim)
	}
	for _, path := range []string{o.opb(), o.pbp()} {
		for _, input := range []string{o.file, o.proof} {
			if err := files.CheckTarget(o.IO, path, input); err != nil {
				return err
			}
		}
	}
	return nil
}

// errUnsaid ends writing where a step cannot be said.
var errUnsaid = errors.New("there are steps that cannot be said")

func runProofExport(ctx context.Context, o *proofExport) error {
	js, err := o.changes.JobSet(ctx, o.IO, o.file, o.Note)
	if err != nil {
		return err
	}
	found, err := options.CheckProof(ctx, o.IO, o.proof, js)
	if err != nil {
		return err
	}
	if found.Fault != nil {
		fmt.Fprintf(o.IO.Err, "downbeat: %s: refused at line %d: %s\n", o.proof, found.Fault.Line, found.Fault.Why)
		return exit.No
	}
	claims := report.Told(found.Verdict.Claims)
	if o.claim > len(claims) {
		return usage.Errorf("--claim %d: the proof has %s", o.claim, wording.Count(len(claims), "claim"))
	}
	n := o.claim
	if n == 0 {
		for n = len(claims); n > 1 && claims[n-1].Jobs != nil; n-- { // which jobs clash is said where it is asked for
		}
	}
	claim := claims[n-1]
	written, err := o.write(ctx, found, &claim)
	switch {
	case errors.Is(err, errUnsaid):
		fmt.Fprintf(o.IO.Err, "downbeat: %s: nothing is written: VeriPB cannot be told of steps by the rules %v\n", o.proof, written.Unsaid)
		return exit.No
	case err != nil:
		return err
	}
	return o.tell(found, n, written)
}

// write writes both files, or none.
func (o *proofExport) write(ctx context.Context, found *report.Proof, claim *inference.Claim) (written *veripb.Written, err error) {
	js := found.JS
	comments := []string{
		"what " + report.ClaimSentence(js, *claim) + found.About() + " refutes: question " + fmt.Sprint(claim.Question) + " of a proof about " + js.Digest(),
	}
	var said error
	err = files.Write(o.opb(), func(opb io.Writer) error {
		return files.Write(o.pbp(), func(pbp io.Writer) error {
			written, said = options.ExportProof(ctx, o.IO, o.proof, js, claim.Question, comments, opb, pbp)
			if said == nil && len(written.Unsaid) > 0 {
				said = errUnsaid
			}
			return said
		})
	})
	if said != nil {
		err = said
	}
	return written, err
}

// tell says what was written.
func (o *proofExport) tell(found *report.Proof, n int, w *veripb.Written) error {
	claims := report.Told(found.Verdict.Claims)
	text := fmt.Sprintf("said for VeriPB: %s\n", report.ClaimSentence(found.JS, claims[n-1])+found.About())
	text += fmt.Sprintf("%s: %s, %s\n", o.opb(), wording.Count(int(w.Variables), "variable"), wording.Count(int(w.Constraints), "constraint"))
	text += fmt.Sprintf("%s: %s\n", o.pbp(), wording.Count(int(w.Lines), "line"))
	if len(claims) > 1 {
		others := []string{}
		for k, c := range claims {
			if k != n-1 {
				others = append(others, fmt.Sprintf("--claim %d: %s", k+1, report.ClaimSentence(found.JS, c)))
			}
		}
		text += fmt.Sprintf("this is claim %d of %d; the others:\n  %s\n", n, len(claims), strings.Join(others, "\n  "))
	}
	_, err := fmt.Fprint(o.IO.Out, text)
	return usage.Output(err)
}
