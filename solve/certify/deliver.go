package certify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// Delivered is a proof that was written.
type Delivered struct {
	// Digest is "sha256:" and the hash of the text, Bytes its length.
	Digest string
	Bytes  int64
	// Checked is what the checker has found it to prove, all of the claims; nil where it was
	// not asked, or interrupted.
	Checked *inference.Verdict
	// Refused is what is wrong with the proof, a fault of the program; nil for nothing.
	Refused error
	// Took is how long writing and checking took.
	Took time.Duration
}

// Deliver writes the proof to w, which may be nil, and asks the checker about it, if check
// is set, while it is written; Proof tells of it then. Nothing is written if nothing is
// claimed. An error is that of w.
func (c *Certificate) Deliver(ctx context.Context, w io.Writer, check bool) error {
	if len(c.Claims) == 0 {
		return nil
	}
	began := time.Now()
	hash, size := sha256.New(), &counter{}
	to := []io.Writer{hash, size}
	if w != nil {
		to = append(to, w)
	}
	var checking *checking
	if check {
		checking = c.check(ctx)
		to = append(to, checking)
	}
	err := c.Write(io.MultiWriter(to...))
	out := &Delivered{Digest: fmt.Sprintf("sha256:%x", hash.Sum(nil)), Bytes: size.n}
	if check {
		verdict, fault := checking.end(err)
		switch {
		case err != nil || ctx.Err() != nil:
		case fault == nil && !c.proves(verdict):
			out.Refused = errors.New("a proof does not prove what it claims")
		case fault != nil:
			out.Refused = fmt.Errorf("a proof was refused by its checker: %w", fault)
		default:
			out.Checked = verdict
		}
	}
	out.Took, c.Proof = time.Since(began), out
	return err
}

// Agreed has the checker go through the proof, of which nothing is written, and reports whether all is proved that is claimed,
// and something is. An error is an internal one: the checker refuses it.
func (c *Certificate) Agreed(ctx context.Context) (bool, error) {
	if c == nil {
		return false, nil
	}
	err := c.Deliver(ctx, nil, true)
	if err == nil && c.Proof != nil {
		err = c.Proof.Refused
	}
	return err == nil && c.Proof != nil && c.Certified(), err
}

// proves reports whether the checker has found all claims, about the same slaves and jobs.
func (c *Certificate) proves(v *inference.Verdict) bool {
	if !slices.Equal(v.Without, c.Without) || !slices.Equal(v.LeftOut, c.LeftOut) {
		return false
	}
	for i := range c.Claims {
		claim := c.Stated(&c.Claims[i])
		same := func(o inference.Claim) bool {
			return claim.Infeasible == o.Infeasible && (claim.Jobs == nil || subset(o.Jobs, claim.Jobs)) && claim.Objective == o.Objective && claim.Least == o.Least && slices.Equal(claim.Given, o.Given)
		}
		if !slices.ContainsFunc(v.Claims, same) {
			return false
		}
	}
	return true
}

// subset reports whether all of some jobs are among others; both ascend.
func subset(some, of []model.JobID) bool {
	return !slices.ContainsFunc(some, func(i model.JobID) bool { _, in := slices.BinarySearch(of, i); return !in })
}

// checking is the checker at work on what is written to it.
type checking struct {
	*io.PipeWriter
	found chan found
}

type found struct {
	verdict *inference.Verdict
	err     error
}

// check has the checker read what is written.
func (c *Certificate) check(ctx context.Context) *checking {
	r, w := io.Pipe()
	out := &checking{w, make(chan found, 1)}
	go func() {
		v, err := inference.CheckFile(ctx, c.JS, r)
		io.Copy(io.Discard, r) // whoever writes goes on where the checker has stopped
		out.found <- found{v, err}
	}()
	return out
}

// end ends the text, or breaks it off with an error, and waits for the checker.
func (k *checking) end(err error) (*inference.Verdict, error) {
	k.CloseWithError(err)
	f := <-k.found
	return f.verdict, f.err
}

// counter counts bytes.
type counter struct{ n int64 }

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
