package strategy

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Those who follow help with each thing that the leader is at, once, also where it has begun before they
// come, and leave with the leader, or when their context ends.
func TestJoint(t *testing.T) {
	var j joint
	if !j.lead() || j.lead() {
		t.Fatal("one is to lead")
	}
	var wg sync.WaitGroup
	const followers, things = 3, 5
	ctx, cancel := context.WithCancel(t.Context())
	for range followers {
		wg.Go(func() { j.follow(t.Context()) })
	}
	left := make(chan bool)
	go func() { j.follow(ctx); left <- true }()
	cancel()
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Fatal("a follower stays after the end of its context")
	}
	var helps atomic.Int64
	for range things {
		j.helped(func(context.Context) { helps.Add(1) }, func(begun func()) {
			before := helps.Load()
			begun()
			for k := 0; helps.Load() < before+followers && k < 10_000; k++ {
				time.Sleep(time.Millisecond)
			}
		})
	}
	j.leave()
	wg.Wait()
	if helps.Load() != followers*things {
		t.Errorf("helped %d times, not %d", helps.Load(), followers*things)
	}
	if j.follow(t.Context()); !j.lead() {
		t.Error("nobody can lead after the first")
	}
	j.leave()
}
