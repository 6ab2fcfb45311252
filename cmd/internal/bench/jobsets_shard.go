package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is one of several parts of the job sets of a bench, each of which a process of its
// own may work on. The zero value is all of them.
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

// Of are the shard's sets: every N-th, so that each level of a sweep is spread over all
// shards and they take about the same time.
func (s Shard) Of(sets []Set) []Set {
	if s.Count == 0 {
		return sets
	}
	var out []Set
	for i := s.Index - 1; i < len(sets); i += s.Count {
		out = append(out, sets[i])
	}
	return out
}
