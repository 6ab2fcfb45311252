package certify

import (
	"bytes"
	"context"

	"downbeat/model/check/inference"
)

// What is spent on finding out what a claim rests on, a few seconds: how long its proof may be,
// in bytes, and how many steps of it the checker goes through while it is trimmed.
const (
	mostExplained = 1 << 25
	explainWork   = 300_000
)

// Explain finds out on what each claim rests: its proof alone is trimmed. That is left open of a
// proof that is too long or does not follow, and where ctx is done.
func (c *Certificate) Explain(ctx context.Context) {
	c.Bases = make([]*Basis, len(c.Claims))
	for i := range c.Claims {
		alone := *c
		alone.Claims = c.Claims[i : i+1]
		c.Bases[i] = alone.basis(ctx)
	}
}

// basis is what all claims rest on.
func (c *Certificate) basis(ctx context.Context) *Basis {
	text := &bounded{most: mostExplained}
	if err := c.Write(text); err != nil {
		return nil
	}
	whole, err := ReadFile(&text.Buffer)
	if err != nil {
		return nil
	}
	follows := func(f *File) bool {
		var text bytes.Buffer
		if err := f.Write(&text); err != nil {
			return false
		}
		_, err := inference.CheckFile(ctx, c.JS, &text)
		return err == nil
	}
	left := whole.Trim(c.JS, explainWork, follows)
	if !follows(left) {
		return nil
	}
	return left.Basis(c.JS)
}

// bounded is a text that becomes no longer than some length.
type bounded struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		return 0, bytes.ErrTooLarge
	}
	return b.Buffer.Write(p)
}
