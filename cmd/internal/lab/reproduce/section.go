package reproduce

import "context"

// Section is a part of a reproduction that stands or falls as a whole.
type Section struct {
	// Name says for people what it has, in the middle of a sentence.
	Name  string
	Write func(ctx context.Context, d *Document, o Options) error
}
