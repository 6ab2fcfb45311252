// Package basic has the schedulers that everyone knows: FIFO, Fair, EDF, LLF, WSPT and ATC.
// Each ranks jobs by a key at every heartbeat and serves the first that has a task
// for the slave, a local one if it can, as Hadoop does. None leaves a slot free
// while something that is ready fits, unless its tasks choose their slaves ([Options.Best]).
package basic

import (
	"cmp"
	"fmt"
	"math/bits"

	"downbeat/model"
	"downbeat/online"
)

// Options are what policies with a key have in common; the zero value is the key alone.
type Options struct {
	// Feasible puts jobs last that cannot be in time any more, not even alone on the slaves
	// where they are quickest, in the order of the key: the test of feasible deadlines of
	// Abbott and Garcia-Molina (Scheduling Real-Time Transactions, ACM TODS 1992), which turn
	// such jobs away.
	Feasible bool
	// Best hands a task only to the slave on which it is estimated to finish earliest
	// (online.View.Estimate), of equals that with the lowest number. Until that one beats
	// the task waits.
	Best bool
}

// ranking is a policy that orders jobs by a key, smallest first; equals go by
// arrival.
type ranking struct {
	name    string
	jobs    *online.Ranking[key]
	options Options
	// rival is a slave that was better than another of late: the first to be asked about.
	rival model.SlaveID
	// arrival is set if the key is the order of arrival.
	arrival bool
	// moves says that giving a task away changes keys.
	moves bool
	// ages says that keys change with time; they are as at the first heartbeat of a tick,
	// rankedAt. prepare, if set, comes before they are worked out.
	ages     bool
	rankedAt model.Time
	prepare  func(v *online.View)
	// until says that keys are ticks, and that the trace shows the time until then.
	until bool
	// words says a key for the trace.
	words string
}

// ranked is a job in its place.
type ranked = online.Ranked[key]

// key is a fraction num/den, den > 0; those that are last come after all others.
type key struct {
	last     bool
	num, den int64
}

func (k key) compare(other key) int {
	switch {
	case k.last != other.last && k.last:
		return 1
	case k.last != other.last:
		return -1
	case k.num < 0 && other.num < 0:
		return compareProducts(-other.num, k.den, -k.num, other.den)
	case k.num < 0 || other.num < 0:
		return cmp.Compare(k.num, other.num)
	}
	return compareProducts(k.num, other.den, other.num, k.den)
}

// compareProducts compares a·b with c·d, all of them at least 0.
func compareProducts(a, b, c, d int64) int {
	high, low := bits.Mul64(uint64(a), uint64(b))
	otherHigh, otherLow := bits.Mul64(uint64(c), uint64(d))
	return cmp.Or(cmp.Compare(high, otherHigh), cmp.Compare(low, otherLow))
}

// by is the policy of this name with this key, called words in the trace.
func by(name, words string, options Options, k func(v *online.View, j *online.Job) key) *ranking {
	if options.Feasible {
		alone := k
		k = func(v *online.View, j *online.Job) key {
			key := alone(v, j)
			key.last = latest(v, j) < v.Now()
			return key
		}
	}
	return &ranking{name: name, words: words, options: options, ages: options.Feasible, rankedAt: -1, jobs: online.NewRanking(k, key.compare)}
}

// FIFO serves jobs in the order of their release, as Hadoop 1 did by default (its queue took
// priorities first, which jobs here do not have). Since YARN the default is the Capacity Scheduler.
func FIFO() online.Policy {
	r := by("fifo", "release", Options{}, func(_ *online.View, j *online.Job) key {
		return key{num: int64(j.Spec().Release), den: 1}
	})
	r.arrival = true
	return r
}

// EDF serves the job with the earliest absolute deadline; those without one
// come last.
func EDF(options Options) online.Policy {
	return by("edf", "due", options, func(_ *online.View, j *online.Job) key {
		return key{num: int64(j.Spec().Due()), den: 1}
	})
}

// LLF serves the job with the least laxity: time to its deadline less the least
// time that what is left of it must take. As time takes from all laxities alike,
// jobs are ranked by the tick at which theirs is used up.
func LLF(options Options) online.Policy {
	r := by("llf", "laxity", options, func(v *online.View, j *online.Job) key {
		return key{num: int64(latest(v, j)), den: 1}
	})
	r.until = true
	return r
}

// Fair serves the job with the fewest running tasks for its share, where
// shares are as the jobs' weights.
func Fair() online.Policy {
	r := by("fair", "running per share", Options{}, func(_ *online.View, j *online.Job) key {
		return key{num: int64(j.Running()), den: j.Spec().Weight}
	})
	r.moves = true
	return r
}

// latest is the tick until which a job can still wait: its deadline less what
// remains of it (online.View.Remaining). model.Never without a deadline.
func latest(v *online.View, j *online.Job) model.Time {
	due := j.Spec().Due()
	if due == model.Never {
		return model.Never
	}
	return due - v.Remaining(j)
}

// Name implements online.Policy.
func (r *ranking) Name() string { return r.name }

// Asks implements online.Policy. A task that waits for its slave is handed out when that beats, unless
// something happens before, for the reason that package penn gives.
func (r *ranking) Asks() online.Asking {
	if r.options.Best {
		return online.OnChange
	}
	return online.OnReady
}

// Heartbeat implements online.Policy.
func (r *ranking) Heartbeat(v *online.View, o *online.Offer) {
	if r.arrival && !o.Tracing() {
		serveInOrder(v, o)
		return
	}
	r.age(v)
	jobs := r.jobs.Jobs(v)
	for i := 0; i < len(jobs) && !o.Full(); {
		g := r.pick(v, o, jobs[i].Job)
		if g == nil {
			i++
			continue
		}
		if o.Tracing() {
			o.Consider(r.candidates(v, jobs[i:]))
		}
		o.Give(g)
		if r.moves {
			jobs, i = r.jobs.Jobs(v), 0
		}
	}
}

// age has all jobs ranked anew at a tick if keys change with time.
func (r *ranking) age(v *online.View) {
	if !r.ages || r.rankedAt == v.Now() {
		return
	}
	r.rankedAt = v.Now()
	if r.prepare != nil {
		r.prepare(v)
	}
	for _, j := range v.Ready() {
		r.jobs.Renew(v, j)
	}
}

// pick is what a job whose turn it is starts on the offer's slave, nil for nothing.
func (r *ranking) pick(v *online.View, o *online.Offer, j *online.Job) *online.Group {
	if !r.options.Best {
		return o.Pick(j)
	}
	groups, _ := o.Choices(j)
	for _, g := range groups {
		if r.best(v, g, o.Slave()) {
			return g
		}
	}
	return nil
}

// best reports whether a slave is the one on which a task of a group is estimated to finish earliest.
func (r *ranking) best(v *online.View, g *online.Group, s model.SlaveID) bool {
	_, own := v.Estimate(s, g)
	better := func(rival model.SlaveID) bool {
		_, finish := v.Estimate(rival, g)
		return finish < own || finish == own && rival < s
	}
	if better(r.rival) {
		return false
	}
	for rival := range model.SlaveID(len(v.Slaves())) {
		if better(rival) {
			r.rival = rival
			return false
		}
	}
	return true
}

// serveInOrder serves jobs by arrival until nothing fits.
func serveInOrder(v *online.View, o *online.Offer) {
	for i := 0; i < len(v.Ready()) && !o.Full(); {
		j := v.Ready()[i]
		b := o.Pick(j)
		if b == nil {
			i++
			continue
		}
		o.Give(b) // which takes j off the list with its last task
	}
}

func (r *ranking) candidates(v *online.View, jobs []*ranked) []online.Candidate {
	var out []online.Candidate
	for _, c := range jobs {
		if c.Job.ReadyTasks() == 0 {
			continue
		}
		out = append(out, c.Job.Candidate(r.say(v, c.Key)))
	}
	return out
}

// say is a key in words.
func (r *ranking) say(v *online.View, k key) string {
	num := k.num
	if r.until && num != int64(model.Never) {
		num -= int64(v.Now())
	}
	text := fmt.Sprintf("%s %d", r.words, num)
	switch {
	case num == int64(model.Never):
		text = r.words + " never"
	case k.den > 1:
		text = fmt.Sprintf("%s %d/%d", r.words, num, k.den)
	}
	if k.last {
		text += ", late in any case"
	}
	return text
}
