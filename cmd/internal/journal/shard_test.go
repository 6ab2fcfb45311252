package journal

import (
	"fmt"
	"slices"
	"testing"
)

// A shard is every N-th piece; all shards together are all pieces, each once.
func TestShards(t *testing.T) {
	all := []string{"a", "b", "c", "d", "e", "f", "g"}
	if (Shard{}).String() != "" || len(Part(Shard{}, all)) != 7 {
		t.Error("no shard is not all of them")
	}
	for n := 1; n <= 9; n++ {
		seen := map[string]int{}
		for i := 1; i <= n; i++ {
			s, err := ParseShard(fmt.Sprintf("%d/%d", i%n, n)) // 0/N is the last
			if want := fmt.Sprintf("%d/%d", i, n); err != nil || s.String() != want {
				t.Fatalf("%s is read as %v, %v", want, s, err)
			}
			part := Part(s, all)
			if len(part) != (len(all)+n-i)/n {
				t.Errorf("shard %v has %d pieces", s, len(part))
			}
			for _, name := range part {
				seen[name]++
			}
		}
		for _, name := range all {
			if seen[name] != 1 {
				t.Errorf("of %d shards, %d have %s", n, seen[name], name)
			}
		}
	}
	for _, bad := range []string{"", "1", "/2", "2/1", "4/3", "-1/2", "1/0", "a/2", "x", "1/2/3", "1/100001"} {
		if s, err := ParseShard(bad); err == nil {
			t.Errorf("%q is read as %v", bad, s)
		}
	}
	there := func(name string) bool { return name != "b" && name != "d" }
	if got := Missing(all, there, 2); !slices.Equal(got, []string{"shard 2/2: 2 of 3, the first is b"}) {
		t.Errorf("missing: %q", got)
	}
	if got := Missing(all, there, 0); !slices.Equal(got, []string{"2 of 7, the first is b"}) {
		t.Errorf("missing: %q", got)
	}
}
