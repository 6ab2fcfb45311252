// Mypolicy is a scheduler of one's own in a module of one's own, held against others: go run .
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"downbeat/cmd/bench"
	"downbeat/online"
)

// shortest hands out tasks of the job with the least time left first.
type shortest struct{}

func (shortest) Name() string        { return "shortest" }
func (shortest) Asks() online.Asking { return online.OnReady }

func (shortest) Heartbeat(v *online.View, o *online.Offer) {
	jobs := slices.Clone(v.Ready()) // giving tasks away changes the list
	slices.SortStableFunc(jobs, func(a, b *online.Job) int { return cmp.Compare(v.Remaining(a), v.Remaining(b)) })
	for _, j := range jobs {
		for g := o.Pick(j); g != nil; g = o.Pick(j) {
			o.Give(g)
		}
	}
}

func main() {
	policies, err := bench.Named("edf", "fifo")
	if err != nil {
		log.Fatal(err)
	}
	mine := bench.Policy{Name: "shortest", New: func(uint64) (online.Policy, error) { return shortest{}, nil }}
	b := bench.Bench{
		Policies:  append([]bench.Policy{mine}, policies...),
		Workloads: []string{"realtime:streams=4"},
		Sweep:     "utilisation=0.3,0.6",
		Seeds:     "1-40",
		Compare:   []string{"shortest", "edf"},
	}
	result, err := b.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	if err := result.WriteText(os.Stdout, 100, "hard-met", "mean-response"); err != nil {
		log.Fatal(err)
	}
	for _, f := range result.Figures() {
		if f.Against == "edf" && f.Measure == "mean-response" {
			fmt.Printf("\nat %s %g a job of shortest takes %+.1f ticks (%+.1f to %+.1f) beside edf, p = %.2g\n",
				f.Parameter, f.Level, f.Mean, f.Low, f.High, f.P)
		}
	}
}
