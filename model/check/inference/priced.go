package inference

import (
	"bytes"
	"slices"

	"downbeat/model"
)

// Bounds that keep sums within an int64, and checks within bounds.
const (
	mostWorth = 1 << 58
	mostTicks = 1 << 20
)

// multipliers are a line m: prices of what slaves have, and of what limits allow.
type multipliers struct {
	of       map[resource]priceList
	ofShared map[model.SharedID]priceList
	ofLimits limits
	worth    int64 // of all that slaves have, and share
	takes    largestTakes
	paid     int64 // by a task at most for what slaves share
	passes   []pass
	assigned []assignmentPass
	weights  []weight // ascending by task
	charges  []charge // ascending by of, then to
}

// SharedPrice is the word that the price of a pool or a cap begins with.
const SharedPrice = "pool"

type resource struct {
	model.SlaveID
	model.ResourceID
}

// priceList has the prices of a resource, ascending.
type priceList []price

// price is that of a unit in an interval: of a tick, or of a heartbeat of the slave where the
// resource is held for stays.
type price struct {
	in   model.Interval
	each int64
}

// readMultipliers reads a line of prices, R.S.A.B.V of what slaves have, pool.Q.A.B.V of what they
// share, or NAME.V, and of rewards, job.P.J.V, counted jobs, once.P.J, and splits, split.P.J.T and else.P; of those of
// assignments task.P.T.V, give.P.T and next.P; of weights of tasks, weigh.T.V; and of charges, charge.J.J.V.
func (st *state) readMultipliers() {
	id, m := st.nextID(), &multipliers{of: map[resource]priceList{}, ofShared: map[model.SharedID]priceList{}, takes: largestTakes{}}
	for st.more() {
		st.parts(func() {
			name, _, _ := bytes.Cut(st.left, []byte("."))
			switch o, is := limitOf(string(name)); {
			case is:
				st.word()
				m.ofLimits[o] = plus(m.ofLimits[o], st.number(1, mostWorth))
			case string(name) == SharedPrice:
				st.word()
				st.readSharedPrice(m)
			case string(name) == RewardWord:
				st.word()
				st.readReward(m)
			case string(name) == CountedWord:
				st.word()
				st.readCounted(m)
			case string(name) == SplitWord:
				st.word()
				st.readSplit(m)
			case string(name) == WeightWord:
				st.word()
				st.readWeight(m)
			case string(name) == ChargeWord:
				st.word()
				st.readCharge(m)
			case string(name) == ElseWord:
				st.word()
				st.readElse(m)
			case string(name) == TaskWord, string(name) == GiveWord, string(name) == NextWord:
				st.readAssigned(m, string(st.word()))
			default:
				st.readPrice(m)
			}
		})
	}
	if m.worth >= mostWorth || m.paid >= mostWorth {
		st.fail("all is worth too much, or a task may pay too much")
	}
	st.multipliers[id] = m
}

// readPrice reads the price of a resource on a slave in an interval.
func (st *state) readPrice(m *multipliers) {
	r, s := model.ResourceID(st.readArg('R')), model.SlaveID(st.readArg('S'))
	from := st.number(0, latest)
	to, each := st.number(from+1, latest), st.number(1, mostWorth)
	if st.err != nil {
		return
	}
	supplies := st.js.Supplies(s)
	k := slices.IndexFunc(supplies, func(has model.Supply) bool { return has.Resource == r })
	switch {
	case k < 0:
		st.fail("a price of what there is not: slave %d has no resource %d", s, r)
		return
	case supplies[k].Units == 0:
		return
	}
	of, p := m.of[resource{s, r}], price{model.Interval{Start: model.Time(from), End: model.Time(to)}, each}
	if r.Hold() == model.HoldStay {
		p.in = model.Interval{Start: st.beatFrom(s, p.in.Start), End: st.beatFrom(s, p.in.End)}
	}
	if n := len(of); n > 0 && p.in.Start < of[n-1].in.End {
		st.fail("prices of a resource of a slave that do not ascend")
	}
	m.worth = plus(m.worth, worth(st.js, s, &supplies[k], p.in, each))
	m.of[resource{s, r}] = append(of, p)
}

// readSharedPrice reads the price of a pool or a cap in an interval.
func (st *state) readSharedPrice(m *multipliers) {
	n := st.readArg('Q')
	from := st.number(0, latest)
	to, each := st.number(from+1, latest), st.number(1, mostWorth)
	if st.err != nil {
		return
	}
	id := st.sharedID(n)
	if id < 0 {
		st.fail("a price of a cap that there is not")
		return
	}
	of, p := m.ofShared[id], price{model.Interval{Start: model.Time(from), End: model.Time(to)}, each}
	if n := len(of); n > 0 && p.in.Start < of[n-1].in.End {
		st.fail("prices of a pool or a cap that do not ascend")
	}
	m.worth, m.paid = plus(m.worth, worthOf(st.js, id, p.in, each)), plus(m.paid, m.takes.dearest(st.js, id, p.in, each))
	m.ofShared[id] = append(of, p)
}

// sharedID is the number in the job set of what has one in proof files; -1 for a cap that no
// tasks can exceed.
func (st *state) sharedID(n int64) model.SharedID {
	all := st.js.Shared()
	for k := range all {
		if &all[k] == st.limits[n] {
			return model.SharedID(k)
		}
	}
	return -1
}

// Words that rewards, jobs that are counted from a pass on, splits before a pass, and passes with which the other part of a split
// begins, begin with.
const (
	RewardWord  = "job"
	CountedWord = "once"
	SplitWord   = "split"
	ElseWord    = "else"
)

// JobWords are those behind which the number of a job follows that of a pass.
var JobWords = []string{RewardWord, CountedWord, SplitWord}

// pass has what a job earns by running, by JobID, as in the pass before if nothing is said, and the jobs that are
// counted from it on. Before it what is left may be split: a job begins by a time; or the other part of the latest split begins,
// in which it begins later.
type pass struct {
	reward  map[model.JobID]int64
	counted []model.JobID
	split   *split
	other   bool
}

// split is by when a job begins, or else that it begins later.
type split struct {
	job model.JobID
	by  model.Time
}

// Words that rewards of tasks, cases of who does a task before a pass, and passes with which the next case begins, begin with.
const (
	TaskWord = "task"
	GiveWord = "give"
	NextWord = "next"
)

// assignmentPass has what tasks are worth, by their number here. Before it the next of the latest cases begins, and then those about who does
// some tasks, one after the other.
type assignmentPass struct {
	rewards map[int32]int64
	give    []int32
	next    bool
}

// readAssigned reads task.P.T.V, give.P.T or next.P.
func (st *state) readAssigned(m *multipliers, word string) {
	n := st.number(max(0, int64(len(m.assigned))-1), min(MostPasses, int64(len(m.assigned))))
	if int(n) == len(m.assigned) {
		m.assigned = append(m.assigned, assignmentPass{rewards: map[int32]int64{}})
	}
	l := &m.assigned[n]
	if word == NextWord {
		l.next = true
		return
	}
	t := int32(st.readArg('T'))
	if word == GiveWord {
		l.give = append(l.give, t)
		return
	}
	if l.rewards[t] += st.number(1, mostReward); l.rewards[t] > mostReward {
		st.fail("too high a reward")
	}
}

// passOf is a pass by the next field, the last one or one more.
func (st *state) passOf(m *multipliers) *pass {
	n := st.number(max(0, int64(len(m.passes))-1), min(MostPasses, int64(len(m.passes))))
	if int(n) == len(m.passes) {
		m.passes = append(m.passes, pass{})
	}
	return &m.passes[n]
}

// readReward reads job.P.J.V, readCounted once.P.J.
func (st *state) readReward(m *multipliers) {
	p, k := st.passOf(m), st.readArg('J')
	if v := st.number(1, mostReward); st.err == nil {
		id := st.jobs[k].job
		if p.reward == nil {
			p.reward = map[model.JobID]int64{}
		}
		if p.reward[id] += v; p.reward[id] > mostReward {
			st.fail("too high a reward")
		}
	}
}

func (st *state) readCounted(m *multipliers) {
	if p, k := st.passOf(m), st.readArg('J'); st.err == nil {
		p.counted = append(p.counted, st.jobs[k].job)
	}
}

// readSplit reads split.P.J.T, readElse else.P.
func (st *state) readSplit(m *multipliers) {
	p, k := st.passOf(m), st.readArg('J')
	by := model.Time(st.number(-1, latest))
	switch {
	case st.err != nil:
	case p.split != nil:
		st.fail("two splits before a pass")
	default:
		p.split = &split{st.jobs[k].job, by}
	}
}

func (st *state) readElse(m *multipliers) {
	if p := st.passOf(m); st.err == nil {
		p.other = true
	}
}
