package qp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"downbeat/online/qp"
)

// receding has the shape of a receding-horizon problem: per job and step two
// variables, progress tracked along the horizon, moves priced, one capacity row
// per step that binds, and a limit on each job's work.
func receding(r *rand.Rand, jobs, steps int) *qp.Problem {
	n := jobs * steps * 2
	p := &qp.Problem{H: mat.NewSymDense(n, nil), G: make([]float64, n)}
	at := func(j, i, kind int) int { return (j*steps+i)*2 + kind }
	for j := range jobs {
		size := 1 + 20*r.Float64()
		for i := range steps {
			v := mat.NewVecDense(n, nil) // progress until the end of step i
			for k := range i + 1 {
				v.SetVec(at(j, k, 0), 1/size)
				v.SetVec(at(j, k, 1), 1/size)
			}
			p.H.SymRankOne(p.H, 2, v)
			for kind := range 2 {
				m := mat.NewVecDense(n, nil) // the move at step i
				m.SetVec(at(j, i, kind), 1/size)
				if i > 0 {
					m.SetVec(at(j, i-1, kind), -1/size)
				}
				p.H.SymRankOne(p.H, 0.02, m)
			}
			for k := range i + 1 {
				p.G[at(j, k, 0)] -= 2 * r.Float64() / size
				p.G[at(j, k, 1)] -= 2 * r.Float64() / size
			}
		}
	}
	for i := range steps {
		row := make([]float64, n)
		for j := range jobs {
			row[at(j, i, 0)], row[at(j, i, 1)] = 1, 1
		}
		addRow(p, row, float64(jobs))
	}
	for j := range jobs {
		for kind := range 2 {
			row := make([]float64, n)
			for i := range steps {
				row[at(j, i, kind)] = 1
			}
			addRow(p, row, 1+10*r.Float64())
		}
	}
	return p
}

func BenchmarkSolve(b *testing.B) {
	for _, size := range []struct{ jobs, steps int }{{2, 3}, {20, 3}, {60, 3}} {
		b.Run(fmt.Sprintf("jobs=%d/steps=%d", size.jobs, size.steps), func(b *testing.B) {
			p := receding(rand.New(rand.NewPCG(1, 2)), size.jobs, size.steps)
			iterations := 0
			for b.Loop() {
				r := qp.Solve(p)
				if r.Status != qp.Optimal {
					b.Fatal(r.Status)
				}
				iterations = r.Iterations
			}
			b.ReportMetric(float64(iterations), "iterations")
			if err := evidence(p, qp.Solve(p)); err != nil {
				b.Fatal(err)
			}
		})
	}
}
