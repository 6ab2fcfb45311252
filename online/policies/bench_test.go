package policies_test

import (
	"context"
	"fmt"
	"testing"

	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/policies"
)

// BenchmarkSize runs every policy on a cluster's night: 1,000 slaves at most.
func BenchmarkSize(b *testing.B) {
	for _, tasks := range []int{1_000, 10_000, 100_000} {
		js := gen.Scale(tasks, 1)
		for _, name := range policies.Names() {
			b.Run(fmt.Sprintf("tasks=%d/policy=%s", tasks, name), func(b *testing.B) {
				for b.Loop() {
					p, err := policies.New(name, 1)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := online.Run(context.Background(), js, p, online.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
