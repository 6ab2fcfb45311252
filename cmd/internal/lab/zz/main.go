package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"downbeat/cmd/internal/schedulers"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/workload"
)

// zz SEEDS POLICY DUR WORKLOAD...
func main() {
	n, _ := strconv.Atoi(os.Args[1])
	d, _ := durations.Parse(os.Args[3])
	for _, spec := range os.Args[4:] {
		w, err := workload.Parse(spec)
		if err != nil {
			panic(err)
		}
		var mk, acc, suc, util, tot, task, red float64
		for s := 1; s <= n; s++ {
			js, err := w.Generate(uint64(s))
			if err != nil {
				panic(err)
			}
			p, err := schedulers.New(os.Args[2], uint64(s))
			if err != nil {
				panic(err)
			}
			out, err := online.Play(context.Background(), js, p, online.Options{Seed: uint64(s), Durations: d})
			if err != nil {
				panic(err)
			}
			m := online.Measure(out)
			mk += float64(m.Makespan) / float64(n)
			acc += m.AcceptRatio / float64(n)
			suc += m.SuccessRatio / float64(n)
			util += m.Utilization / float64(n)
			tot += m.TotalUtilization / float64(n)
			var a, b [2]float64
			for t := range js.Tasks {
				k := js.Tasks[t].Stage
				a[k] += float64(out.Ends[t] - js.Assigned(out.Schedule[t]))
				b[k]++
			}
			task += a[0] / b[0] / float64(n)
			red += a[1] / b[1] / float64(n)
		}
		fmt.Printf("%-60s mk %8.1f acc %.3f suc %.3f util %.3f total %.3f map %.0f red %.0f\n", strings.TrimPrefix(spec, "ec2:"), mk, acc, suc, util, tot, task, red)
	}
}
