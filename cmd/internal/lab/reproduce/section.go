package reproduce

import "context"

// reportSection is a part of a reproduction that stands or falls as a whole.
type reportSection struct {
	// Name says for people what it has, in the middle of a sentence.
	Name  string
	Write func(ctx context.Context, d *document, o Options) error
}
