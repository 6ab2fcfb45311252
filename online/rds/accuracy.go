package rds

// Accuracy is how far predictions were from what came of them, over a run.
type Accuracy struct {
	// Capacity has by steps ahead, from one on, the predicted less the read capacity as
	// shares of the whole cluster (Table II); Last the same of the last reading taken
	// for the prediction.
	Capacity, Last [][]float64
	// Progress has the measured less the predicted work of jobs in an interval, in
	// slot-intervals, with the slots that they had and the rules as adapted by then.
	Progress []float64
	// Samples are what progress was predicted of, in the same order.
	Samples []Sample
}

// Accuracy is that of the run so far.
func (p *Policy) Accuracy() Accuracy {
	a := p.accuracy
	a.Samples = p.samples
	return a
}

// Predict is what rules say at the variables v, without adaptation.
func Predict(rules []Rule, v []float64) float64 {
	coef := blend(rules, v)
	y := coef[len(coef)-1]
	for k, x := range v {
		y += coef[k] * x
	}
	return y
}

// Untrained is that a slot does in an interval what is declared: the sum of the slots
// among the variables v.
func Untrained(v []float64) float64 { return v[len(v)-3] + v[len(v)-2] }

// note holds the capacity that is read now against what was predicted of it, and keeps
// the predictions from now on. ahead has the reading first.
func (p *Policy) note(ahead []float64, whole float64) {
	now := ahead[0]
	for step := 1; step < len(ahead); step++ {
		if len(p.accuracy.Capacity) < step {
			p.accuracy.Capacity = append(p.accuracy.Capacity, nil)
			p.accuracy.Last = append(p.accuracy.Last, nil)
		}
		if at := len(p.predicted) - step; at >= 0 {
			then := p.predicted[at]
			p.accuracy.Capacity[step-1] = append(p.accuracy.Capacity[step-1], (then[step]-now)/whole)
			p.accuracy.Last[step-1] = append(p.accuracy.Last[step-1], (then[0]-now)/whole)
		}
	}
	p.predicted = append(p.predicted, ahead)
}

// Predicted has by controls the capacity as it was read and then as it was predicted for
// the intervals after, in resource units.
func (p *Policy) Predicted() [][]float64 { return p.predicted }
