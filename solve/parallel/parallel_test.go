package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"downbeat/solve/parallel"
)

// Whatever pieces take, they are begun and finished in one order, which the number of workers
// alone decides: with what those before the window came to, and no more at a time than workers.
func TestOrder(t *testing.T) {
	const n = 40
	for _, workers := range []int{1, 2, 3, 8} {
		var want, got []string
		window := parallel.Window(workers)
		for i := range n + window {
			if i >= window {
				want = append(want, fmt.Sprint("finish ", i-window))
			}
			if i < n {
				want = append(want, fmt.Sprint("begin ", i))
			}
		}
		var busy, most atomic.Int32
		done := make([]bool, n)
		err := parallel.Ordered(t.Context(), workers, n, func(i int) func(context.Context) error {
			got = append(got, fmt.Sprint("begin ", i))
			if i%7 == 3 {
				done[i] = true
				return nil
			}
			return func(context.Context) error {
				now := busy.Add(1)
				for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
				}
				time.Sleep(time.Duration(i*7919%5) * 100 * time.Microsecond)
				busy.Add(-1)
				done[i] = true
				return nil
			}
		}, func(i int) error {
			if !done[i] {
				t.Errorf("%d workers: piece %d is finished before it is done", workers, i)
			}
			got = append(got, fmt.Sprint("finish ", i))
			return nil
		})
		if err != nil || !slices.Equal(got, want) || int(most.Load()) > workers {
			t.Errorf("%d workers: %v, %d at a time\n%v\nwant %v", workers, err, most.Load(), got, want)
		}
	}
}

// Of several errors the first one counts, in the order of the pieces; the others are ended.
func TestErrors(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		ended, finished := atomic.Int32{}, 0
		err := parallel.Ordered(t.Context(), workers, 20, func(i int) func(context.Context) error {
			return func(ctx context.Context) error {
				switch {
				case i == 3:
					time.Sleep(time.Millisecond)
					return errors.New("3")
				case i == 4:
					return errors.New("4")
				case i > 4:
					<-ctx.Done()
					ended.Add(1)
				}
				return nil
			}
		}, func(int) error { finished++; return nil })
		if err == nil || err.Error() != "3" || finished != 3 {
			t.Errorf("%d workers: %v, %d finished", workers, err, finished)
		}
		if workers == 8 && ended.Load() == 0 {
			t.Error("none of the others was ended")
		}
	}
	slip := errors.New("a slip")
	if err := parallel.Ordered(t.Context(), 2, 3, func(int) func(context.Context) error { return nil }, func(i int) error {
		if i == 1 {
			return slip
		}
		return nil
	}); !errors.Is(err, slip) {
		t.Errorf("got %v", err)
	}
	if err := parallel.Ordered(t.Context(), 2, 0, nil, nil); err != nil {
		t.Error(err)
	}
}
