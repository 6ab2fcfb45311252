package strategy

import (
	"context"
	"sync"
)

// joint is how several workers have part in a strategy's slices: the first of them leads, those
// that come while it does help with what it is at.
type joint struct {
	mu sync.Mutex
	// changed is closed, and another one made, whenever something has changed.
	changed chan struct{}
	led     bool
	// help helps with what the leader is at, nil if it is at nothing; number counts what it was at.
	help   func(ctx context.Context)
	number int
}

// lead reports whether the caller is the first, who is to leave in the end.
func (j *joint) lead() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.led {
		return false
	}
	j.led, j.changed = true, make(chan struct{})
	return true
}

// leave ends what lead began.
func (j *joint) leave() { j.at(nil, false) }

// helped has the leader run something, with which others help from when it says that it has begun.
func (j *joint) helped(help func(ctx context.Context), run func(begun func())) {
	run(func() { j.at(help, true) })
	j.at(nil, true)
}

// at notes what the leader is at.
func (j *joint) at(help func(ctx context.Context), led bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.led, j.help = led, help
	j.number++
	close(j.changed)
	j.changed = make(chan struct{})
}

// follow helps with whatever the leader is at until it leaves, or ctx is done.
func (j *joint) follow(ctx context.Context) {
	for seen := -1; ; {
		j.mu.Lock()
		help, number, led, changed := j.help, j.number, j.led, j.changed
		j.mu.Unlock()
		switch {
		case !led || ctx.Err() != nil:
			return
		case help != nil && number != seen:
			seen = number
			help(ctx)
		default:
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}
