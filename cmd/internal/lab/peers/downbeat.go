package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/event"
)

// downbeat asks a process of its own, so that its times are of the same kind as
// those of the others.
func downbeat(self []string) func(context.Context, *Set, Options, *listener) (claim, error) {
	return func(ctx context.Context, set *Set, opt Options, l *listener) (claim, error) {
		args := append(slices.Clone(self[1:]), set.File, opt.Limit.String(), strconv.Itoa(opt.Workers))
		return converse(ctx, opt, nil, l, self[0], args...)
	}
}

// Answer plans one job set in this process and prints what it finds as it finds
// it: the other end of the command that [Find] was given. The process uses as
// many processors as it has workers, so that the runtime's own work counts.
func Answer(ctx context.Context, w io.Writer, js *model.JobSet, limit time.Duration, workers int) error {
	runtime.GOMAXPROCS(workers)
	out := json.NewEncoder(w)
	if err := out.Encode(message{Read: true}); err != nil {
		return err
	}
	var mu sync.Mutex
	var told, proved []int64
	r, err := solve.Plan(ctx, js, solve.Options{
		TimeLimit: limit, Seed: 1, Workers: workers, NoConflict: true,
		Events: func(p event.Event) {
			mu.Lock()
			defer mu.Unlock()
			var news message
			values, bounds := split(p.Objectives)
			if p.HavePlan && (told == nil || slices.Compare(values, told) < 0) {
				told, news.Values = values, values
			}
			if slices.Compare(bounds, proved) > 0 {
				proved, news.Bounds = bounds, bounds
			}
			if news.Values != nil || news.Bounds != nil {
				out.Encode(news) // the last line tells if nobody listens
			}
		},
	})
	if err != nil {
		return err
	}
	var last message
	for _, p := range r.Schedule {
		last.Plan = append(last.Plan, [4]int64{int64(p.Slave), int64(p.Beat), int64(p.Fetch), int64(p.Start)})
	}
	last.Status, last.Memory = r.Status.String(), memory()
	_, last.Bounds = split(r.Objectives)
	return out.Encode(last)
}

// memory is the most that this process has held, in bytes: what the system
// says where it is Linux, elsewhere 0.
func memory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "\nVmHWM:")
	var kilobytes int64
	fmt.Sscan(after, &kilobytes) // stays 0 where the line is missing
	return kilobytes << 10
}

// split parts values from bounds; bounds end with the first that is not claimed.
func split(objectives []model.ObjectiveValue) (values, bounds []int64) {
	values = []int64{}
	open := false
	for _, o := range objectives {
		values = append(values, o.Value)
		if open = open || o.Bound == nil; !open {
			bounds = append(bounds, *o.Bound)
		}
	}
	return values, bounds
}
