package jobfile

import (
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// maxPools and maxLevels keep a file from asking for more than can be planned.
const (
	maxPools  = 10_000
	maxLevels = 100_000
)

// poolsAdvice says how to write pools, levelsAdvice how to write amounts that change.
const (
	poolsAdvice  = "write amounts by name, like pools: {db: 4}"
	levelsAdvice = "write a number, like db: 4, or amounts from times on, like db: [{from: 0, amount: 4}, {from: 60, amount: 8}]"
)

// pools reads what tasks on all slaves share.
func (r *clusterReader) pools(f document.Field) {
	if n := document.Deref(f.Value); n.Kind != yaml.MappingNode {
		r.Fault(f, "pools is "+document.Describe(n), poolsAdvice)
		r.PoolsSure = false
		return
	}
	fields, _ := r.Mapping(f, "pools")
	levels := 0
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		if problem, advice := document.BadName(name); problem != "" {
			r.FaultAt(p.Key, "the name of a pool "+problem, advice)
			r.PoolsSure = false
			continue
		}
		pool := model.Pool{Name: name}
		var sure bool
		pool.Levels, sure = r.levels(p, document.Shorten(name))
		r.PoolsSure = r.PoolsSure && sure
		if levels += len(pool.Levels); len(r.JS.Pools) == maxPools || levels > maxLevels {
			r.FaultAt(p.Key, fmt.Sprintf("the cluster has more than %d pools, or amounts that change more than %d times", maxPools, maxLevels), "leave out what is never short")
			r.PoolsSure = false
			return
		}
		r.JS.Pools = append(r.JS.Pools, pool)
	}
}

// levels reads how much there is of a pool: an amount, or amounts from times on.
func (r *clusterReader) levels(f document.Field, name string) (out []model.Level, sure bool) {
	n := document.Deref(f.Value)
	switch {
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0:
	case n.Kind == yaml.ScalarNode && !document.IsNull(n):
		amount, ok := r.Integer(f, "the amount of pool "+name, 0, maxUnits, "")
		return []model.Level{{Amount: amount}}, ok
	default:
		r.Fault(f, fmt.Sprintf("pool %s is %s", name, document.Describe(n)), levelsAdvice)
		return []model.Level{{}}, false
	}
	sure = true
	for i, item := range document.Items(n) {
		level, ok := r.level(item, name, out)
		sure = sure && ok
		if !ok {
			continue
		}
		if i == 0 && level.From != 0 {
			c := clock.Of(r.JS)
			r.Fault(item, fmt.Sprintf("the first amount of pool %s is from %s on, and nothing says how much there is before", name, c.Point(level.From)),
				"begin with the amount from 0 on, like {from: 0, amount: 0}")
			sure = false
		}
		out = append(out, level)
	}
	if !sure {
		out = []model.Level{{}}
	}
	return out, sure
}

// level reads an amount from a time on, after those before.
func (r *clusterReader) level(f document.Field, name string, before []model.Level) (l model.Level, sure bool) {
	o := r.Object(f, "an amount of pool "+name, "from", "amount")
	if o == nil {
		return l, false
	}
	from, amount := r.Require(o, "from", "the time from which on it holds, like from: 0"), r.Require(o, "amount", "how much there is, like amount: 4")
	if from == nil || amount == nil {
		return l, false
	}
	what, after := fmt.Sprintf("from of pool %s", name), since{}
	if n := len(before); n > 0 {
		after = since{Tick: before[n-1].From, After: true}
	}
	var okFrom, okAmount bool
	l.From, okFrom = r.Point(*from, what, after)
	l.Amount, okAmount = r.Integer(*amount, "the amount of pool "+name, 0, maxUnits, "")
	if okFrom && after.After && l.From <= after.Tick {
		c := clock.Of(r.JS)
		r.Fault(*from, fmt.Sprintf("%s is %s, no later than the one before it at %s", what, c.Point(l.From), c.Point(after.Tick)), "let times rise")
		return l, false
	}
	return l, okFrom && okAmount
}

// takes reads what a task takes of pools; what is inherited is replaced.
func (r *profileReader) takes(o *document.Object, own *figureFields) {
	f := o.Get("pools")
	if f == nil {
		return
	}
	own.needs.Pools = [model.MaxTakes]model.PoolNeed{}
	if n := document.Deref(f.Value); n.Kind != yaml.MappingNode {
		advice := "write what a task takes by name, like pools: {db: 1}"
		if n.Kind == yaml.ScalarNode && !document.IsNull(n) && n.Tag == "!!str" {
			advice = fmt.Sprintf("write pools: {%s: 1}", quoteName(document.Shorten(n.Value)))
		}
		r.Fault(*f, "pools is "+document.Describe(n), advice)
		own.sure = false
		return
	}
	fields, ok := r.Mapping(*f, "pools")
	own.sure = own.sure && ok
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		units, ok := r.Integer(p, document.Shorten(name), 0, maxUnits, "")
		i := slices.IndexFunc(r.JS.Pools, func(pool model.Pool) bool { return pool.Name == name })
		switch {
		case i < 0 && r.PoolsSure:
			r.noPool(o, p.Key)
			own.sure = false
		case i < 0 || !ok:
			own.sure = false
		case units > 0 && !own.needs.TakePool(i, units):
			r.FaultAt(p.Key, fmt.Sprintf("%s takes of more than %d pools", o.What, model.MaxTakes), "leave out those that are never short")
			own.sure = false
		}
	}
}

func (r *profileReader) noPool(o *document.Object, key *yaml.Node) {
	name := document.Deref(key).Value
	advice := fmt.Sprintf("add it to the cluster, like pools: {%s: 4}", quoteName(document.Shorten(name)))
	if len(r.JS.Pools) > 0 {
		advice = r.DidYouMean(name, clusterNames(r.JS.Pools, func(p model.Pool) string { return p.Name }), "pools are ")
	}
	r.FaultAt(key, fmt.Sprintf("%s takes of pool %q, which the cluster does not have", o.What, document.Shorten(name)), advice)
}

// together reads what ties the tasks of a stage to each other: a cap, one start, slaves apart.
func (r *jobReader) together(o *document.Object, st *model.Stage, index int) {
	st.AtMost = r.cap(o)
	if f := o.Get("gang"); f != nil {
		st.Gang, _ = r.Boolean(*f, "gang")
	}
	if f := o.Get("apart"); f != nil {
		st.Apart, _ = r.Boolean(*f, "apart")
	}
	if r.stageAt == nil {
		r.stageAt = map[stagePlace]*document.Object{}
	}
	r.stageAt[stagePlace{model.JobID(len(r.JS.Jobs)), index}] = o
}

// cap reads how many tasks of a stage or job may be held at once, 0 where that is not bounded.
func (r *jobReader) cap(o *document.Object) int64 {
	f := o.Get("at_most")
	if f == nil {
		return 0
	}
	most, _ := r.Integer(*f, "at_most", 1, maxTasks, "write at least 1 or leave the entry out")
	return most
}

// stagePlace is a stage of a job, of the first instance where it recurs.
type stagePlace struct {
	job   model.JobID
	stage int
}

// misfits reports tasks that can never run, and whether the error says that there are some.
func (r *jobReader) misfits(err error) bool {
	var found *model.Misfits
	if !errors.As(err, &found) {
		return false
	}
	told := map[stagePlace]bool{}
	for _, m := range found.List {
		job := &r.JS.Jobs[m.Job]
		at := stagePlace{m.Job, int(m.Stage)}
		if job.Series != "" {
			at.job -= model.JobID(job.Instance - 1)
		}
		if told[at] {
			continue
		}
		told[at] = true
		o := r.stageAt[at]
		r.FaultAt(misfitNode(o, m.Of), o.What+" "+m.Problem, m.Advice)
	}
	return true
}

// misfitNode is where the file says what does not fit.
func misfitNode(o *document.Object, of model.MisfitOf) *yaml.Node {
	fields := []string{"gang", "apart"}
	switch of {
	case model.MisfitPool:
		fields = []string{"pools", "gang"}
	case model.MisfitSlaves:
		fields = []string{"apart", "gang"}
	}
	for _, name := range fields {
		if f := o.Get(name); f != nil {
			return f.At()
		}
	}
	return o.Node
}
