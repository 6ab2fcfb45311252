package options

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
	"downbeat/solve/certify"
)

// Proof is what commands take that prove their answers to others.
type Proof struct {
	// Path is the file to write, empty for none.
	Path string
	// Certify has the proof checked.
	Certify bool
	// Why has found out on what each claim rests.
	Why bool
}

// AddFlags registers the flags.
func (p *Proof) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.Path, "proof", "", "write the proof of what is answered to this file, step by step, for downbeat verify-proof; compressed where the name ends in .gz")
	f.BoolVar(&p.Certify, "certify", false, "check that proof, by code that shares nothing with the search")
	f.BoolVar(&p.Why, "why", false, "say what bounds rest on: why no plan does better; with --certify or --proof also on which jobs, machines and times each claim does")
}

// AddCertify registers --certify alone, of commands that ask about many job sets.
func (p *Proof) AddCertify(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.Certify, "certify", false, "check a proof of each thing that does not fit, by code that shares nothing with the search; what it does not agree to is open")
}

// CheckWhy tells where --why asks for nothing, of commands that say nothing else by it.
func (p *Proof) CheckWhy() error {
	if p.Why && !p.Wanted() {
		return usage.Errorf("--why says on what a proof rests; add --certify or --proof")
	}
	return nil
}

// Wanted tells that the search has to leave a proof.
func (p *Proof) Wanted() bool { return p.Path != "" || p.Certify }

// Check tells what cannot be written, or proved, before any time is spent.
func (p *Proof) Check(cmd *cobra.Command, o *Solver) error {
	if err := NotEmpty(cmd, "--proof", "proof"); err != nil {
		return err
	}
	switch err := p.CheckEngine(o); {
	case err != nil:
		return err
	case p.Path == "-":
		return usage.Errorf("--proof - : standard output is for the answer; name a file")
	case p.Path == "":
		return nil
	}
	return files.CheckTarget(o.IO, p.Path, o.File)
}

// CheckEngine tells of an engine that leaves no proofs.
func (p *Proof) CheckEngine(o *Solver) error {
	if p.Wanted() && o.engine.Value == "gini" {
		return usage.Errorf("gini leaves no proof that --proof and --certify could use; leave --engine gini out")
	}
	return nil
}

// Flags are those that pieces of an answer depend on: none where nothing is to be checked.
func (p *Proof) Flags() []journal.Flag {
	if !p.Certify {
		return nil
	}
	return []journal.Flag{{Name: "certify", Value: "true"}}
}

// Deliver writes the proof, has it checked and explained, as far as that is asked for; c may be nil,
// where there is nothing to prove. Unwritten is the fault of the file, err an internal one:
// that the checker refuses the proof.
func (p *Proof) Deliver(ctx context.Context, c *certify.Certificate, note func(string, ...any)) (unwritten, err error) {
	if c == nil {
		return nil, nil
	}
	c.Made = version.Made()
	switch {
	case p.Path == "":
		unwritten = c.Deliver(ctx, nil, p.Certify)
	case len(c.Claims) == 0:
		note("%s was not written: %s", p.Path, nothingClaimed(c))
	default:
		unwritten = WriteProof(p.Path, func(w io.Writer) error { return c.Deliver(ctx, w, p.Certify) })
	}
	if c.Proof != nil {
		err = c.Proof.Refused
	}
	if p.Why && err == nil {
		c.Explain(ctx)
	}
	return unwritten, err
}

// nothingClaimed says why there is no claim.
func nothingClaimed(c *certify.Certificate) string {
	if len(c.Open) > 0 {
		return "nothing of the answer could be proved in steps"
	}
	return "the answer claims nothing that needs a proof"
}
