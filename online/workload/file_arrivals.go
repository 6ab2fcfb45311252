package workload

import (
	"fmt"
	"math"

	"gopkg.in/yaml.v3"

	"downbeat/model/files/document"
)

// process is how jobs arrive.
type process struct {
	at document.Field
	// count is how many jobs arrive at most; they arrive before until.
	count int
	until float64
	// endless tells that the file gives no count.
	endless bool
	// Jobs arrive at given times, with gaps between them, or by rates over time.
	times []*yaml.Node
	gaps  *document.Field
	rates []rate
	// cycle is after how many ticks the rates begin again; 0: never.
	cycle float64
	// batch is how many jobs arrive at a time; nil: one.
	batch *document.Field
	// dealt tells that kinds are dealt like cards, not drawn.
	dealt bool
}

// rate is the number of jobs that arrive in a tick, on average, from a time on.
type rate struct{ from, perTick float64 }

// arrival is a job that arrives.
type arrival struct {
	release *yaml.Node
	kind    int
}

// process reads how jobs arrive; nil after a fault.
func (d *drawer) process(f document.Field) *process {
	o := d.Object(f, "arrivals", "count", "until", "at", "gaps", "poisson", "batch", "kinds")
	if o == nil {
		return nil
	}
	p := &process{at: f, count: maxJobs, until: math.Inf(1), endless: true, batch: o.Get("batch")}
	if f := o.Get("count"); f != nil {
		v, ok := d.Integer(*f, "count", 1, maxJobs, "")
		if !ok {
			return nil
		}
		p.count, p.endless = int(v), false
	}
	if f := o.Get("until"); f != nil {
		var ok bool
		if p.until, ok = d.real(*f, "until", true); !ok {
			return nil
		}
	}
	if f := o.Get("kinds"); f != nil {
		word, _ := d.Word(*f, "kinds", []string{"drawn", "dealt"})
		p.dealt = word == "dealt"
	}
	given := 0
	for _, name := range []string{"at", "gaps", "poisson"} {
		if o.Get(name) != nil {
			given++
		}
	}
	if given != 1 {
		d.FaultAt(o.Node, fmt.Sprintf("arrivals has %d of at, gaps and poisson", given), "write one: at: [0, 10], gaps: 30 (or a distribution), poisson: {rate: 0.1}")
		return nil
	}
	if f := o.Get("at"); f != nil {
		p.endless = false
		for _, item := range d.List(*f, "at", "one time") {
			p.times = append(p.times, document.Deref(item.Value))
		}
	}
	if f := o.Get("poisson"); f != nil && !d.poisson(*f, p) {
		return nil
	}
	p.gaps = o.Get("gaps")
	if p.times == nil && o.Get("count") == nil && o.Get("until") == nil && !o.Meant("count") && !o.Meant("until") {
		d.FaultAt(o.Node, "arrivals never end", "add count: 40, the number of jobs, or until: 1000, a time")
		return nil
	}
	if !d.sharesSound(p) || p.gaps != nil && d.distribution(*p.gaps, "gaps", gapKind) == nil || p.batch != nil && d.distribution(*p.batch, "batch", batchKind) == nil {
		return nil
	}
	return p
}

// The kinds of figures that arrivals draw.
var (
	gapKind   = figureKind{time: true}
	batchKind = figureKind{whole: true, least: 1}
)

// sharesSound finds shares by which no kind can be chosen.
func (d *drawer) sharesSound(p *process) bool {
	sum := 0.0
	for i := range d.kinds {
		k := &d.kinds[i]
		sum += k.share
		if p.dealt && (k.share != math.Trunc(k.share) || k.share > maxJobs) {
			d.FaultAt(k.at, fmt.Sprintf("job %q has the share %g, and kinds are dealt", k.name, k.share), "write a whole number: so many of each pack of jobs are of the kind")
			return false
		}
	}
	if sum == 0 && len(d.kinds) > 0 {
		d.Fault(p.at, "the shares of all kinds of jobs are 0", "write a share above 0")
		return false
	}
	return true
}

// poisson reads rates: a number, or a list of those from a time on.
func (d *drawer) poisson(f document.Field, p *process) bool {
	o := d.Object(f, "poisson", "rate", "per", "cycle")
	if o == nil {
		return false
	}
	per, ok := 1.0, true
	if f := o.Get("per"); f != nil {
		if per, ok = d.real(*f, "per", true); ok && per <= 0 {
			d.Fault(*f, "per is 0", "write a time: the rate is the number of jobs in so long")
			ok = false
		}
	}
	if f := o.Get("cycle"); f != nil && ok {
		if p.cycle, ok = d.real(*f, "cycle", true); ok && p.cycle <= 0 {
			d.Fault(*f, "cycle is 0", "write a time after which the rates begin again, or leave it out")
			ok = false
		}
	}
	rates := d.Require(o, "rate", "rate: 0.1")
	if !ok || rates == nil {
		return false
	}
	if document.Deref(rates.Value).Kind != yaml.SequenceNode {
		x, ok := d.rate(*rates, per)
		p.rates = []rate{{0, x}}
		return ok && d.ratesSound(*rates, p)
	}
	for _, item := range d.List(*rates, "rate", "a rate from a time on") {
		part := d.Object(item, "a rate", "from", "rate")
		if part == nil {
			return false
		}
		from, is := d.Require(part, "from", "from: 0"), d.Require(part, "rate", "rate: 0.1")
		if from == nil || is == nil {
			return false
		}
		t, ok1 := d.real(*from, "from", true)
		x, ok2 := d.rate(*is, per)
		if !ok1 || !ok2 {
			return false
		}
		if n := len(p.rates); n == 0 && t != 0 || n > 0 && t <= p.rates[n-1].from || p.cycle > 0 && t >= p.cycle {
			d.Fault(*from, fmt.Sprintf("a rate holds from %g", t), "write from: 0 for the first, then later and later times, all before the end of the cycle")
			return false
		}
		p.rates = append(p.rates, rate{t, x})
	}
	return len(p.rates) > 0 && d.ratesSound(*rates, p)
}

func (d *drawer) rate(f document.Field, per float64) (float64, bool) {
	x, ok := d.real(f, "rate", false)
	if ok && x < 0 {
		d.Fault(f, fmt.Sprintf("rate is %g", x), "write a number of at least 0")
		return 0, false
	}
	return x / per, ok
}

// ratesSound finds rates by which no job ever arrives.
func (d *drawer) ratesSound(f document.Field, p *process) bool {
	for _, r := range p.rates {
		if r.perTick > 0 {
			return true
		}
	}
	d.Fault(f, "by these rates no job arrives", "write a rate above 0")
	return false
}

// arrivals draws when jobs arrive, and of which kinds they are.
func (p *process) arrivals(d *drawer) []arrival {
	var out []arrival
	instant, kind := p.instants(d), p.chooser(d)
	for i := 0; len(out) < p.count; i++ {
		release, ok := instant(i)
		if !ok {
			return out
		}
		batch := 1
		if p.batch != nil {
			x, _ := d.figure(*p.batch, "batch", batchKind, "arrivals/batch", i)
			batch = int(min(max(1, math.Round(x)), maxJobs))
		}
		for range min(batch, p.count-len(out)) {
			out = append(out, arrival{release, kind(len(out))})
		}
	}
	if p.endless {
		d.Fault(p.at, fmt.Sprintf("more than %d jobs arrive", maxJobs), "write an earlier time as until, or add count")
	}
	return out
}

// instants gives the times of arrivals one after the other, as long as there are some.
func (p *process) instants(d *drawer) func(i int) (release *yaml.Node, ok bool) {
	if p.times != nil {
		return func(i int) (*yaml.Node, bool) {
			if i >= len(p.times) {
				return nil, false
			}
			return p.times[i], true
		}
	}
	t := 0.0
	return func(i int) (*yaml.Node, bool) {
		switch {
		case p.gaps == nil:
			t = p.after(t, stream(d.seed, "arrivals/poisson", i).ExpFloat64())
		case i > 0:
			x, _ := d.figure(*p.gaps, "gaps", gapKind, "arrivals/gaps", i)
			t += max(0, x)
		}
		if t >= p.until || math.IsInf(t, 1) {
			return nil, false
		}
		return scalar(p.at.Value, "!!int", fmt.Sprint(int64(min(math.Round(t), 1e15)))), true
	}
}

// after is the time at which so much has come together of the rates since t; +Inf where it never has.
func (p *process) after(t, amount float64) float64 {
	for {
		base := 0.0
		if p.cycle > 0 {
			base = math.Floor(t/p.cycle) * p.cycle
		}
		at := len(p.rates) - 1
		for p.rates[at].from > t-base {
			at--
		}
		next := math.Inf(1)
		if p.cycle > 0 {
			next = base + p.cycle
		}
		if at+1 < len(p.rates) {
			next = base + p.rates[at+1].from
		}
		here := p.rates[at].perTick
		if here > 0 && (next-t)*here >= amount {
			return t + amount/here
		}
		if math.IsInf(next, 1) || next <= t || next > 1e15 { // the last rate is 0, or time has no such fine parts
			return math.Inf(1)
		}
		amount -= (next - t) * here
		t = next
	}
}

// chooser gives the kinds of the jobs that arrive: drawn by their shares, or dealt like cards from a pack that
// has as many of each kind as its share, shuffled anew each time it is used up.
func (p *process) chooser(d *drawer) func(i int) int {
	sum := 0.0
	for i := range d.kinds {
		sum += d.kinds[i].share
	}
	if !p.dealt {
		return func(i int) int {
			x := stream(d.seed, "arrivals/kinds", i).Float64() * sum
			for at := range d.kinds {
				if x -= d.kinds[at].share; x < 0 {
					return at
				}
			}
			return len(d.kinds) - 1
		}
	}
	var pack []int
	for at := range d.kinds {
		for range int(d.kinds[at].share) {
			pack = append(pack, at)
		}
	}
	var order []int
	return func(i int) int {
		if i%len(pack) == 0 {
			order = stream(d.seed, "arrivals/kinds", i/len(pack)).Perm(len(pack))
		}
		return pack[order[i%len(pack)]]
	}
}
