package slotted

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a mean over a sample path with the half width of its 95 %
// confidence interval, from batch means and Student's t.
type Estimate struct {
	Mean float64
	Half float64 // NaN if there were fewer than two batches with observations
}

// batch sums what was observed in one of the equal parts of the measured slots.
type batch struct {
	slots        int64
	queue, jobs  float64 // summed over slots
	apart        float64 // summed over slots
	doneTasks    int64
	localTasks   int64 // of doneTasks, those served at rate Alpha
	doneJobs     int64
	taskDelay    float64 // summed over doneTasks
	jobDelay     float64 // summed over doneJobs
	arrivedTasks int64
	arrivedJobs  int64
}

// estimate returns the ratio of two sums over batches, with the usual interval
// for ratios: the residuals above - ratio·below are treated as independent,
// which holds once a batch is long beside the time over which the system
// forgets.
func estimate(batches []batch, above, below func(*batch) float64) Estimate {
	var a, b float64
	for i := range batches {
		a += above(&batches[i])
		b += below(&batches[i])
	}
	ratio := a / b
	n := float64(len(batches))
	if n < 2 || b == 0 {
		return Estimate{Mean: ratio, Half: math.NaN()}
	}
	squares := 0.0
	for i := range batches {
		r := above(&batches[i]) - ratio*below(&batches[i])
		squares += r * r
	}
	deviation := math.Sqrt(squares/(n*(n-1))) / (b / n)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return Estimate{Mean: ratio, Half: t * deviation}
}

// Result is what one run measured. Means are over the measured slots, and over
// the jobs and tasks that left in them.
type Result struct {
	Policy Policy
	Load   float64 // expected arrivals, tasks a slot
	Slots  int64   // measured

	Queue      Estimate // tasks in the system at the start of a slot, waiting or in service: the paper's ΣQ
	Jobs       Estimate // jobs in the system after the arrivals of a slot
	JobDelay   Estimate // slots from a job's arrival to the end of its last task, at least 1
	TaskDelay  Estimate // slots from a task's arrival to its end, at least 1
	Throughput Estimate // tasks that left in a slot
	Locality   Estimate // share of the tasks that left which were served at rate Alpha

	// Apart is the distance of the queues from being equal, the length of the paper's Q⊥
	// (Theorem 3): of the local queues of machines with data and of the common one at
	// the start of a slot. 0 unless Config.Apart is set, and under NaiveFair.
	Apart Estimate

	// Growth is the power of time with which the backlog grew: 0 if it is flat, 1 if it
	// grows evenly from an empty system, ½ on the edge itself. Trend is what that says.
	Growth Estimate
	Trend  Trend

	// Counts over the whole run, before and in the measured slots.
	// Invariant: Arrived = Finished + Left, for jobs and for tasks.
	ArrivedJobs, FinishedJobs, LeftJobs    int64
	ArrivedTasks, FinishedTasks, LeftTasks int64

	// JobsAt[i] is the number of jobs in the system after the arrivals of slot
	// i·Config.SampleEvery; empty if SampleEvery is 0.
	JobsAt []int32
}

// measures collects the observations of a run.
type measures struct {
	batches []batch
	before  batch  // observations before the measured slots, for the counts
	now     *batch // the one of the current slot
	samples []int32
}

// total sums over the whole run.
func (m *measures) total(of func(*batch) int64) int64 {
	sum := of(&m.before)
	for i := range m.batches {
		sum += of(&m.batches[i])
	}
	return sum
}

// result turns the observations into means.
func (m *measures) result(c *Config) Result {
	slots := func(b *batch) float64 { return float64(b.slots) }
	tasks := func(b *batch) float64 { return float64(b.doneTasks) }
	jobs := func(b *batch) float64 { return float64(b.doneJobs) }
	over := func(above, below func(*batch) float64) Estimate { return estimate(m.batches, above, below) }
	r := Result{
		Policy:        c.Policy,
		Load:          c.Arrivals.Mean(),
		Slots:         int64(c.Slots),
		Queue:         over(func(b *batch) float64 { return b.queue }, slots),
		Apart:         over(func(b *batch) float64 { return b.apart }, slots),
		Jobs:          over(func(b *batch) float64 { return b.jobs }, slots),
		JobDelay:      over(func(b *batch) float64 { return b.jobDelay }, jobs),
		TaskDelay:     over(func(b *batch) float64 { return b.taskDelay }, tasks),
		Throughput:    over(tasks, slots),
		Locality:      over(func(b *batch) float64 { return float64(b.localTasks) }, tasks),
		Growth:        growth(m.batches, c.Warmup),
		ArrivedJobs:   m.total(func(b *batch) int64 { return b.arrivedJobs }),
		FinishedJobs:  m.total(func(b *batch) int64 { return b.doneJobs }),
		ArrivedTasks:  m.total(func(b *batch) int64 { return b.arrivedTasks }),
		FinishedTasks: m.total(func(b *batch) int64 { return b.doneTasks }),
		JobsAt:        m.samples,
	}
	if c.load != 0 {
		r.Load = c.load
	}
	r.Trend = trendOf(r.Growth)
	return r
}
