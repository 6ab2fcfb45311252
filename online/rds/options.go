package rds

import (
	"fmt"

	"downbeat/model"
)

// Options are the figures of RDS. Where the paper gives none, the comment says
// that the default is ours.
type Options struct {
	// Interval is the control interval in ticks (10 minutes in the paper). 0
	// divides the relative deadline of the first job by H_p + 1, rounded up to
	// whole heartbeats, so that the controller sees to the end of jobs like it; in
	// the case study of §II-B that makes the paper's 10 minutes. If the first job
	// has no deadline, 200 heartbeats, 10 minutes at the usual 3 s. (Ours.)
	Interval model.Time

	// Order is n of Eq. 10, Window the number of past readings of the capacity
	// that its coefficients are fitted to (ours).
	Order, Window int
	// Coefficients are a_1 … a_n of Eq. 10 as fitted to earlier days, see [TrainOn]; nil
	// fits them to the readings in the window.
	Coefficients []float64
	// Declared takes capacity from the declared absences of the slaves instead
	// of predicting it. It shows what the prediction costs.
	Declared bool

	// Steps is H_p ≥ 1: progress is compared in intervals t … t+H_p. Capacity
	// is read in the first and predicted for the others.
	Steps int
	// P and Q price moves of map and reduce slots; their length is H_c + 1, at
	// most H_p + 1. The paper prints three figures each and not what they index;
	// read as the moves t … t+2 they say H_c = 2.
	P, Q []float64
	// PerInterval compares each interval's progress by itself. Otherwise what is
	// done since now is compared with what is due by then, so that an interval
	// can make up for the one before, which is what lets RDS wait for resources
	// to come. The paper can be read either way.
	PerInterval bool
	// Margin ≥ 0 is how many intervals before the deadline the reference has the
	// job done (ours; the paper's text has 0). Slots move only as tasks end, and
	// what the last interval is short of cannot be made up.
	Margin float64
	// DueWeight ≥ 0 is what W gains, as a multiple of a job's weight, in steps by
	// whose end the reference has the job done (ours; 0 is the paper's constant
	// W). A shortfall there is a miss, which is what Eq. 1 counts; before, it
	// can be made up.
	DueWeight float64
	// HardWeight > 0 multiplies the weight of hard jobs, which the paper has not
	// (ours).
	HardWeight float64
	// FreeWeight > 0 is the weight of jobs without a deadline, which the paper
	// has not; their reference is a tenth of what is left in each interval (ours).
	FreeWeight float64
	// MaxJobs bounds the jobs in one problem; those with the earliest deadlines
	// are in it, the others wait or go on as they are (ours).
	MaxJobs int

	// LagsY and LagsU are n_y and n_u of Eq. 5 (ours).
	LagsY, LagsU int
	// Rules is the trained progress model, see [TrainOn]; nil takes [DefaultRules].
	Rules []Rule
	// Discount is τ in (0, 1] (ours); Trust > 0 how readily the rules are adapted,
	// see [NewRLS] (ours).
	Discount, Trust float64

	// KeepWaiting lets waiting jobs wait for the controller even if slots are
	// free that no running job can use, as the paper has it. Otherwise they are
	// given those, earliest deadline first.
	KeepWaiting bool
	// QueueOnly takes §III-D by the letter: a short job that is due before the controller
	// looks again is moved to the running queue at once, and no more. Otherwise such
	// jobs, and those that the controller finds due before it looks again, are served first,
	// by deadline.
	QueueOnly bool
	// Even keeps a move as it is solved, a mean over the interval. Otherwise a move that lets a
	// job finish its maps or its reduces within the interval may take the same slot time at once.
	Even bool
	// FixedReference has y^ref as in the paper's example: the whole work in equal parts from the
	// arrival to the deadline, the same in each interval until all is done. Otherwise it is renewed
	// at each control from the work and the time that are left.
	FixedReference bool
	// OneWay reads Algorithm 1 by the letter: Δu falls with every task that is
	// handed out and does not rise again when one ends. Otherwise Δu is what a
	// job lacks of its slots now, so that a slot whose task ends goes back to
	// the job that the controller gave it to.
	OneWay bool
}

// AsPrinted are the paper's figures with what its text has where it has it: no margin, a
// constant W, each interval by itself, a reference that is fixed at arrival, waiting jobs that
// wait, a fast path into the running queue and no further, moves as they are solved, and Δu that
// falls with every task. What the paper leaves open is as in [Defaults].
func AsPrinted() Options {
	o := Defaults()
	o.Margin, o.DueWeight = 0, 0
	o.PerInterval, o.KeepWaiting, o.OneWay = true, true, true
	o.QueueOnly, o.Even, o.FixedReference = true, true, true
	return o
}

// Prices are the paper's P and Q, as many of their figures as so many steps have use for.
func Prices(steps int) (p, q []float64) {
	d := Defaults()
	n := min(len(d.P), steps+1)
	return d.P[:n], d.Q[:n]
}

// Defaults are the paper's figures and, where there are none, ours.
func Defaults() Options {
	return Options{
		Order: 3, Window: 24,
		Steps: 3, P: []float64{0.0107, 0.0096, 0.0132}, Q: []float64{0.0173, 0.0168, 0.0194},
		Margin: 1, DueWeight: 100, HardWeight: 10, FreeWeight: 0.01, MaxJobs: 20,
		LagsY: 1, LagsU: 1, Discount: 0.95, Trust: 0.1,
	}
}

// DefaultRules is a model for jobs of which nothing has been measured, the
// paper's own rules being unknown: one rule for a job that starts and one for a
// job under way, both of which say that a slot does in an interval what is
// declared. Adaptation tells them apart.
func DefaultRules(lagsY, lagsU int) []Rule {
	n := variables(lagsY, lagsU)
	coef := make([]float64, n+1)
	coef[n-3], coef[n-2] = 1, 1 // u^m(t) and u^r(t)
	starts, underWay := Rule{make([]Set, n), coef}, Rule{make([]Set, n), coef}
	if lagsY > 0 {
		starts.Sets[0] = Set{Centre: 0, Width: 1}
		underWay.Sets[0] = Set{Centre: 4, Width: 2}
	}
	return []Rule{starts.clone(), underWay.clone()}
}

func (o *Options) rules() []Rule {
	if o.Rules != nil {
		return o.Rules
	}
	return DefaultRules(o.LagsY, o.LagsU)
}

// Check says what is wrong with the options.
func (o *Options) Check() error {
	switch {
	case o.Interval < 0:
		return fmt.Errorf("the control interval is negative")
	case o.Order < 0 || o.Window < 1:
		return fmt.Errorf("capacity prediction needs an order of at least 0 and a window of at least 1")
	case o.Steps < 0 || len(o.P) < 1 || len(o.P) != len(o.Q) || len(o.P) > o.Steps+1:
		return fmt.Errorf("prices P and Q must be equally many, at least 1 and at most one more than the steps")
	case o.Margin < 0 || o.DueWeight < 0 || o.HardWeight <= 0 || o.FreeWeight <= 0 || o.MaxJobs < 1:
		return fmt.Errorf("margin and weights must not be negative, and at least one job in a problem")
	case o.LagsY < 0 || o.LagsU < 0 || o.Discount <= 0 || o.Discount > 1 || o.Trust <= 0:
		return fmt.Errorf("lags must not be negative, the discount in (0, 1], the trust positive")
	}
	for i := range o.P {
		if o.P[i] <= 0 || o.Q[i] <= 0 {
			return fmt.Errorf("prices P and Q must be positive")
		}
	}
	n := variables(o.LagsY, o.LagsU)
	for _, r := range o.rules() {
		if len(r.Sets) != n || len(r.Coef) != n+1 {
			return fmt.Errorf("rules must have %d sets and %d coefficients with these lags", n, n+1)
		}
	}
	if len(o.rules()) == 0 {
		return fmt.Errorf("a model needs a rule")
	}
	return nil
}
