package journal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Shard is one of several parts of the work of a command, each of which a process of its own may
// do. The zero value is all of it.
type Shard struct {
	// Index is from 1 to Count.
	Index, Count int
}

// MaxShards is more than any engine runs in one array.
const MaxShards = 100_000

// ParseShard reads "I/N", I from 1 to N. 0/N is N/N, for engines that count from 0.
func ParseShard(text string) (Shard, error) {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || n < 1 || n > MaxShards || i < 0 || i > n {
		return Shard{}, fmt.Errorf("%q is no shard: write I/N with I from 1 to N, N at most %d, e.g. 3/8", text, MaxShards)
	}
	if i == 0 {
		i = n
	}
	return Shard{i, n}, nil
}

// String is "I/N", "" for all.
func (s Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// has reports whether a piece of the work is the shard's, counted from 0: every N-th is, so that
// what grows from piece to piece is spread over all shards.
func (s Shard) has(piece int) bool { return s.Count == 0 || piece%s.Count == s.Index-1 }

// Part has the shard's pieces of all, in their order.
func Part[T any](s Shard, all []T) []T {
	if s.Count == 0 {
		return all
	}
	var out []T
	for i := range all {
		if s.has(i) {
			out = append(out, all[i])
		}
	}
	return out
}

// Missing says which pieces of all are not there, a sentence to each shard that lacks something,
// where there are shards.
func Missing(all []string, there func(name string) bool, shards int) []string {
	var out []string
	for i := range max(1, shards) {
		part, name := all, ""
		if shards > 0 {
			s := Shard{Index: i + 1, Count: shards}
			part, name = Part(s, all), "shard "+s.String()+": "
		}
		gone := slices.DeleteFunc(slices.Clone(part), there)
		if len(gone) > 0 {
			out = append(out, fmt.Sprintf("%s%d of %d, the first is %s", name, len(gone), len(part), gone[0]))
		}
	}
	return out
}
