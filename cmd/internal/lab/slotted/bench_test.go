//go:build unix

package slotted

import (
	"context"
	"flag"
	"fmt"
	"syscall"
	"testing"
	"time"
)

var full = flag.Bool("full", false, "run BenchmarkFigure3b at the paper's full scale")

// processor returns the processor time that this process has used: unlike
// elapsed time it says little about what else the machine was doing.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFigure3b runs the sweep behind Figure 3b on two workers, with a
// fiftieth of its slots (all of them with -full), and reports the processor
// time a task takes and the elapsed time that the whole figure would take at
// that rate: as measured, and with two processors for itself.
func BenchmarkFigure3b(b *testing.B) {
	sizes, err := Bins(FacebookBins())
	if err != nil {
		b.Fatal(err)
	}
	s := Figures(sizes, 1, 2)
	whole := s.Config.Warmup + s.Config.Slots
	if !*full {
		s.Config.Warmup /= 50
		s.Config.Slots /= 50
	}
	ran := s.Config.Warmup + s.Config.Slots
	tasks := int64(0)
	s.Done = func(r Result) { tasks += r.ArrivedTasks }
	before := processor(b)
	for b.Loop() {
		if _, err := s.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	used := processor(b) - before
	scale := float64(whole) / float64(ran) / float64(b.N)
	b.ReportMetric(float64(used)/float64(tasks), "cpu-ns/task")
	b.ReportMetric(b.Elapsed().Seconds()*scale, "s/figure")
	b.ReportMetric(used.Seconds()/2*scale, "s/figure-on-2-cpus")
}

// BenchmarkRun runs one load of the paper's cluster; naive fair sharing at 670
// has a growing backlog.
func BenchmarkRun(b *testing.B) {
	sizes, err := Bins(FacebookBins())
	if err != nil {
		b.Fatal(err)
	}
	for _, policy := range []Policy{MaxWeight, NaiveFair} {
		for _, load := range []float64{70, 350, 670} {
			b.Run(fmt.Sprintf("policy=%v/load=%g", policy, load), func(b *testing.B) {
				c := Paper(load, sizes)
				c.Policy, c.Warmup, c.Slots = policy, 0, 2000
				tasks := int64(0)
				before := processor(b)
				for b.Loop() {
					c.Seed++
					r, err := Run(context.Background(), c)
					if err != nil {
						b.Fatal(err)
					}
					tasks += r.ArrivedTasks
				}
				b.ReportMetric(float64(processor(b)-before)/float64(tasks), "cpu-ns/task")
			})
		}
	}
}
