package heuristics

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"downbeat/model"
)

const horizon = 40

// TestStepsAgreeWithTicks compares a step function with an array of ticks, over
// random intervals that are added and taken away again.
func TestStepsAgreeWithTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.Int64Range(1, 3).Draw(t, "capacity")
		f := steps{{}}
		var ticks [horizon]int64
		var placed []model.Interval
		for range rapid.IntRange(1, 30).Draw(t, "operations") {
			if len(placed) > 0 && rapid.Bool().Draw(t, "remove") {
				i := rapid.IntRange(0, len(placed)-1).Draw(t, "which")
				iv := placed[i]
				placed = slices.Delete(placed, i, i+1)
				f = f.add(iv.Start, iv.End, -1)
				raise(&ticks, iv, -1)
			} else {
				start := model.Time(rapid.IntRange(0, horizon-10).Draw(t, "start"))
				iv := model.Interval{Start: start, End: start + model.Time(rapid.IntRange(0, 8).Draw(t, "length"))}
				if free(&ticks, iv.Start, iv.Len(), capacity) {
					placed = append(placed, iv)
					f = f.add(iv.Start, iv.End, 1)
					raise(&ticks, iv, 1)
				}
			}
			agree(t, f, &ticks, capacity)
		}
		for _, iv := range placed {
			f = f.add(iv.Start, iv.End, -1)
		}
		if !slices.Equal(f, steps{{}}) {
			t.Fatalf("all is taken away, but %v is left", f)
		}
	})
}

// TestDuring: intervals entered all at once are those entered one by one.
func TestDuring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.Int64Range(0, 2).Draw(t, "level")
		var intervals []model.Interval
		want, at := steps{{}}, model.Time(0)
		for range rapid.IntRange(0, 5).Draw(t, "intervals") {
			start := at + model.Time(rapid.IntRange(0, 3).Draw(t, "gap"))
			iv := model.Interval{Start: start, End: start + model.Time(rapid.IntRange(1, 3).Draw(t, "length"))}
			intervals, at = append(intervals, iv), iv.End+1
			want = want.add(iv.Start, iv.End, level)
		}
		if got := during(intervals, level); !slices.Equal(got, want) {
			t.Fatalf("%v with %d: %v, want %v", intervals, level, got, want)
		}
	})
}

func raise(ticks *[horizon]int64, iv model.Interval, delta int64) {
	for at := iv.Start; at < iv.End; at++ {
		ticks[at] += delta
	}
}

func free(ticks *[horizon]int64, from, length model.Time, capacity int64) bool {
	for at := from; at < from+length && at < horizon; at++ {
		if ticks[at] >= capacity {
			return false
		}
	}
	return true
}

// agree checks the form of f and every question against the ticks.
func agree(t *rapid.T, f steps, ticks *[horizon]int64, capacity int64) {
	for i := 1; i < len(f); i++ {
		if f[i].at <= f[i-1].at || f[i].level == f[i-1].level {
			t.Fatalf("steps out of order or needless: %v", f)
		}
	}
	for at := range model.Time(horizon) {
		if got := f[f.index(at)].level; got != ticks[at] {
			t.Fatalf("level at %d is %d, want %d: %v", at, got, ticks[at], f)
		}
	}
	from := model.Time(rapid.IntRange(0, horizon-10).Draw(t, "from"))
	length := model.Time(rapid.IntRange(1, 9).Draw(t, "for"))
	want := from
	for !free(ticks, want, length, capacity) {
		want++
	}
	if got := f.firstFree(from, length, capacity); got != want {
		t.Fatalf("first %d free ticks from %d: got %d, want %d: %v", length, from, got, want, f)
	}
	tl := timeline{first: model.Time(rapid.IntRange(0, 3).Draw(t, "first")), heartbeat: model.Time(rapid.IntRange(1, 4).Draw(t, "heartbeat"))}
	beat := tl.BeatAtOrAfter(from)
	if got := f.firstBeat(&tl, beat, length, capacity); got < horizon-length {
		for !free(ticks, beat, length, capacity) {
			beat += tl.heartbeat
		}
		if got != beat {
			t.Fatalf("first beat with %d free ticks from %d: got %d, want %d: %v", length, from, got, beat, f)
		}
	}
	latest := want + model.Time(rapid.IntRange(0, 9).Draw(t, "later"))
	last := latest
	for !free(ticks, last, length, capacity) {
		last--
	}
	if got := f.lastFree(latest, length, capacity); got != last {
		t.Fatalf("last %d free ticks up to %d: got %d, want %d: %v", length, latest, got, last, f)
	}
	full := model.Time(-1)
	for at := from; at < from+length; at++ {
		if ticks[at] >= capacity {
			for full = at + 1; ticks[full] >= capacity; full++ {
			}
		}
	}
	if got := f.fullUntil(from, from+length, capacity); got != full {
		t.Fatalf("full until, in [%d, %d): got %d, want %d: %v", from, from+length, got, full, f)
	}
}
