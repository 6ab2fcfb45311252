package jobfile

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// bigSet writes a job set of 20 jobs with the given numbers of slaves and
// groups, each group made by the function.
func bigSet(slaves, groups int, group func(i int) string) []byte {
	const jobs = 20
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\ncluster:\n  heartbeat: 3\n  slaves:\n")
	fmt.Fprintf(&b, "    - {name: fast, count: %d, cores: 4}\n    - {name: slow, count: %d, map_slots: 2, reduce_slots: 1}\n", slaves/2, slaves-slaves/2)
	fmt.Fprintf(&b, "jobs:\n")
	for j := range jobs {
		fmt.Fprintf(&b, "  - name: job-%d\n    deadline: 5000\n    map:\n      wcet: {fast: 5, slow: 9}\n      transfer: {local: 1, remote: 4}\n      data: [fast]\n      tasks:\n", j)
		for g := range groups / jobs {
			fmt.Fprintf(&b, "        - %s\n", group(j*groups/jobs+g))
		}
	}
	return []byte(b.String())
}

func BenchmarkLoad(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	slave := func() string {
		return fmt.Sprintf("%s-%d", [...]string{"fast", "slow"}[rng.IntN(2)], 1+rng.IntN(500))
	}
	table := func(int) string {
		var parts []string
		for i := range 500 {
			parts = append(parts, fmt.Sprintf("fast-%d: %d, slow-%d: %d", i+1, 5+rng.IntN(5), i+1, 9+rng.IntN(5)))
		}
		return "{wcet: {" + strings.Join(parts, ", ") + "}}"
	}
	for _, c := range []struct {
		name          string
		groups, tasks int
		src           []byte
	}{
		{"groups=100/tasks=100000/slaves=1000", 100, 100_000, bigSet(1000, 100, func(i int) string {
			return fmt.Sprintf("{count: 1000, wcet: {fast: %d, slow: %d}}", 5+i, 9+i)
		})},
		{"groups=100000/tasks=100000/slaves=1000/own=data", 100_000, 100_000, bigSet(1000, 100_000, func(int) string {
			return fmt.Sprintf("{data: [%s, %s, %s]}", slave(), slave(), slave())
		})},
		{"groups=100000/tasks=100000/slaves=1000/own=wcet", 100_000, 100_000, bigSet(1000, 100_000, func(int) string {
			return fmt.Sprintf("{wcet: {fast: %d, %s: %d}, slaves: [fast, %s]}", 5+rng.IntN(9), slave(), 3+rng.IntN(9), slave())
		})},
		{"groups=1000/tasks=1000/slaves=1000/own=table", 1000, 1000, bigSet(1000, 1000, table)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.src)))
			b.ReportAllocs()
			for b.Loop() {
				js, err := Load("big.yaml", c.src)
				if err != nil {
					b.Fatal(err)
				}
				groups := 0
				for i := range js.Jobs {
					groups += len(js.Jobs[i].Stages[0].Groups)
				}
				if len(js.Tasks) != c.tasks || groups != c.groups {
					b.Fatalf("%d tasks in %d groups, want %d in %d", len(js.Tasks), groups, c.tasks, c.groups)
				}
			}
		})
	}
}

func BenchmarkDigest(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	js, err := Load("big.yaml", bigSet(1000, 100_000, func(int) string {
		return fmt.Sprintf("{data: [fast-%d, slow-%d]}", 1+rng.IntN(500), 1+rng.IntN(500))
	}))
	if err != nil {
		b.Fatal(err)
	}
	want := js.Digest()
	b.Run("groups=100000/slaves=1000", func(b *testing.B) {
		for b.Loop() {
			if js.Digest() != want {
				b.Fatal("the digest changed")
			}
		}
	})
}
