package external

import (
	"strings"
	"sync"
)

// Pool keeps programs that stay for more runs than one: those that say so in their first
// answer. The zero Pool is empty and ready. Safe for concurrent use.
type Pool struct {
	mu     sync.Mutex
	idle   map[string][]*process
	closed bool
}

// keyOf tells commands apart.
func keyOf(command []string) string { return strings.Join(command, "\x00") }

// take gives a program that has no run, nil where there is none.
func (p *Pool) take(command []string) *process {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := keyOf(command)
	list := p.idle[key]
	if len(list) == 0 {
		return nil
	}
	last := list[len(list)-1]
	p.idle[key] = list[:len(list)-1]
	return last
}

// put keeps a program whose run is over; false after Close.
func (p *Pool) put(command []string, child *process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.idle == nil {
		p.idle = map[string][]*process{}
	}
	key := keyOf(command)
	p.idle[key] = append(p.idle[key], child)
	return true
}

// Close ends the programs that have no run, and has others end with theirs.
func (p *Pool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	var ending sync.WaitGroup
	for _, list := range idle {
		for _, child := range list {
			ending.Go(func() { child.wait() }) // how it ends does not matter any more
		}
	}
	ending.Wait()
}
