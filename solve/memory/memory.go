// Package memory bounds a search by the memory that it takes. Like a deadline a
// ceiling travels in the context. It is kept in two ways: a method that would take
// more than its share is not begun ([Allows]), and should the program come to the
// ceiling all the same, the context is done, as at any other limit ([With]).
package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fixed, in bytes, is the ceiling where answers are to be the same on every machine.
const Fixed int64 = 2_000_000_000

// shares: a method may take one part of so many, for others run beside it, and the
// job set with its plans needs room as well.
const shares = 4

// ceiling is what may be taken, in bytes.
type ceiling struct {
	bytes int64
	// share is what a single method may take of it.
	share int64

	mu   sync.Mutex
	left []string
}

type key struct{}

// besideKey is for how many searches share a ceiling.
type besideKey struct{}

// Beside tells that so many searches go on side by side, so that the methods of each may
// take so much less of the ceilings that are put on ctx from here on.
func Beside(ctx context.Context, searches int) context.Context {
	return context.WithValue(ctx, besideKey{}, beside(ctx)*int64(searches))
}

func beside(ctx context.Context) int64 {
	if n, ok := ctx.Value(besideKey{}).(int64); ok {
		return n
	}
	return 1
}

func of(ctx context.Context) *ceiling {
	c, _ := ctx.Value(key{}).(*ceiling)
	return c
}

// ErrCeiling is the cause of the end of a context whose ceiling was reached.
var ErrCeiling = errors.New("the memory ceiling was reached")

// Reached is an ErrCeiling that tells of how many bytes the ceiling was.
type Reached int64

// Error is a sentence for people.
func (r Reached) Error() string {
	return fmt.Sprintf("the memory ceiling of %s was reached", Text(int64(r)))
}

// Is has it be an ErrCeiling.
func (r Reached) Is(target error) bool { return target == ErrCeiling }

// With gives ctx a ceiling of bytes > 0. With watch it is done, by [ErrCeiling], when
// the program comes to it, which is looked at ten times a second; without, methods
// are chosen alone, so that answers repeat.
func With(ctx context.Context, bytes int64, watch bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, key{}, &ceiling{bytes: bytes, share: bytes / shares / beside(ctx)}))
	if watch {
		go func() {
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				select {
				case <-tick.C:
					if Taken() > bytes {
						cancel(Reached(bytes))
					}
				case <-ctx.Done():
				}
			}
		}()
	}
	return ctx, func() { cancel(nil) }
}

// Taken is what the program holds of the machine, in bytes.
func Taken() int64 {
	of := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(of)
	return int64(of[0].Value.Uint64() - of[1].Value.Uint64())
}

// Share is what a single method may take under the ceiling of ctx, in bytes, or
// otherwise where ctx has none.
func Share(ctx context.Context, otherwise int64) int64 {
	if c := of(ctx); c != nil {
		return c.share
	}
	return otherwise
}

// Allows reports whether a method that takes so many bytes, about, may begin under
// the ceiling of ctx. One that may not is remembered for [Notes].
func Allows(ctx context.Context, method string, bytes int64) bool {
	c := of(ctx)
	if c == nil || bytes <= c.share {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.left, method) {
		c.left = append(c.left, method)
	}
	return false
}

// Notes are remarks for people on what the ceiling of ctx has kept from being done.
func Notes(ctx context.Context) []string {
	c := of(ctx)
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	if len(c.left) > 0 {
		slices.Sort(c.left) // workers come in any order
		out = append(out, fmt.Sprintf("left out for want of memory: %s (the ceiling is %s)", strings.Join(c.left, ", "), Text(c.bytes)))
	}
	if errors.Is(context.Cause(ctx), ErrCeiling) {
		out = append(out, Reached(c.bytes).Error()+", which ended the search")
	}
	return out
}

// Text is a number of bytes for people.
func Text(bytes int64) string {
	for _, u := range units {
		if bytes >= u.bytes {
			return strconv.FormatFloat(float64(bytes)/float64(u.bytes), 'g', 3, 64) + " " + u.name
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// Parse reads a number of bytes as people write it: 2GB, 512 MB, 1.5GiB, 4096.
func Parse(text string) (int64, error) {
	number := strings.TrimRight(text, "BbKkMmGgTti ")
	unit := strings.TrimSpace(strings.ToLower(text[len(number):]))
	factor, known := factors[strings.TrimSuffix(unit, "b")]
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !known || !(v >= 0 && v*factor <= 1e18) {
		return 0, fmt.Errorf("%q is no amount of memory; write 2GB or 512MB", text)
	}
	return int64(v * factor), nil
}

// factors are the units that Parse knows, without their B.
var factors = map[string]float64{
	"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
}

// units of memory, the greatest first.
var units = []struct {
	name  string
	bytes int64
}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}

// Default is the ceiling where none is named: half of what the machine has, or its
// container if that is less (cgroup v1 and v2), or the process (ulimit -v); 0, for none, where none
// of them tells. root is the file system.
func Default(root fs.FS) int64 {
	least := int64(0)
	take := func(bytes int64, ok bool) {
		if ok && bytes > 0 && (least == 0 || bytes < least) {
			least = bytes
		}
	}
	take(total(root))
	take(addresses(root))
	for _, file := range limitFiles(root) {
		text, err := fs.ReadFile(root, file)
		bytes, bad := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		take(bytes, err == nil && bad == nil) // "max" is no number
	}
	return least / 2
}

// total is the memory of the machine.
func total(root fs.FS) (int64, bool) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10, true
		}
	}
	return 0, false
}

// reserved is how much of its addresses a program of Go takes and does not use, about.
const reserved = 1 << 30

// addresses is the memory that the process may take by the number of its addresses, if that is
// limited.
func addresses(root fs.FS) (int64, bool) {
	text, err := fs.ReadFile(root, "proc/self/limits")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		var bytes int64
		if n, _ := fmt.Sscanf(line, "Max address space %d", &bytes); n == 1 {
			return max(bytes-reserved, 1), true
		}
	}
	return 0, false
}

// limitFiles are where the limits of the program's groups stand, if there are any.
func limitFiles(root fs.FS) []string {
	const v1, v2 = "sys/fs/cgroup/memory", "sys/fs/cgroup"
	files := []string{v1 + "/memory.limit_in_bytes", v2 + "/memory.max"}
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return files
	}
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		switch group := strings.Trim(part[2], "/"); {
		case group == "":
		case part[1] == "":
			files = append(files, v2+"/"+group+"/memory.max")
		case slices.Contains(strings.Split(part[1], ","), "memory"):
			files = append(files, v1+"/"+group+"/memory.limit_in_bytes")
		}
	}
	return files
}
