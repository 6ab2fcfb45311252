package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"

	"downbeat/model/files/document"
)

// distribution draws the figures of a field of a workload file.
type distribution struct {
	draw func(rng *rand.Rand) float64
	// least and most cut it: what is outside of them is drawn again.
	least, most float64
}

// mostTries is how often a figure is drawn until it is between least and most: what is there in one draw of 100
// is missed once in 10^43 figures.
const mostTries = 10_000

// value draws a figure; ok is false where hardly any is between least and most.
func (d *distribution) value(rng *rand.Rand) (x float64, ok bool) {
	for range mostTries {
		if x = d.draw(rng); x >= d.least && x <= d.most {
			return x, true
		}
	}
	return 0, false
}

// cut says between what the figures are.
func (d *distribution) cut() string {
	switch {
	case math.IsInf(d.least, -1):
		return fmt.Sprintf("at most %g", d.most)
	case math.IsInf(d.most, 1):
		return fmt.Sprintf("at least %g", d.least)
	}
	return fmt.Sprintf("from %g to %g", d.least, d.most)
}

// parameter is a figure of a distribution.
type parameter struct {
	name string
	// length is one that is a time where the field is one.
	length bool
	// least is the least value; above tells that it is not one itself.
	least float64
	above bool
}

// family is a distribution by its name. Its make is given the parameters in their order.
type family struct {
	name   string
	params []parameter
	make   func(p []float64) func(rng *rand.Rand) float64
}

// families are the distributions that figures are drawn from, beside a range, a list of values and a column
// of a table: with cut ends, all of them.
var families = []family{
	{"exponential", []parameter{{"mean", true, 0, true}}, func(p []float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return p[0] * rng.ExpFloat64() }
	}},
	{"normal", []parameter{{"mean", true, math.Inf(-1), false}, {"sd", true, 0, false}}, func(p []float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return p[0] + p[1]*rng.NormFloat64() }
	}},
	{"lognormal", []parameter{{"median", true, 0, true}, {"sigma", false, 0, false}}, func(p []float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return p[0] * math.Exp(p[1]*rng.NormFloat64()) }
	}},
	{"loguniform", []parameter{{"low", true, 0, true}, {"high", true, 0, true}}, func(p []float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return p[0] * math.Pow(p[1]/p[0], rng.Float64()) }
	}},
	{"pareto", []parameter{{"scale", true, 0, true}, {"shape", false, 0, true}}, func(p []float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return p[0] * math.Pow(1-rng.Float64(), -1/p[1]) }
	}},
	{"weibull", []parameter{{"scale", true, 0, true}, {"shape", false, 0, true}}, func(p []float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return p[0] * math.Pow(rng.ExpFloat64(), 1/p[1]) }
	}},
	{"geometric", []parameter{{"mean", true, 1, false}}, func(p []float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return float64(geometricAt(rng.Float64(), 1/p[0])) }
	}},
}

// words for what is not a family: a list of values, and a column of a table.
const (
	valuesWord = "values"
	csvWord    = "csv"
)

// distributionNames are the words that a distribution begins with.
func distributionNames() []string {
	var out []string
	for _, f := range families {
		out = append(out, f.name)
	}
	return append(out, valuesWord, csvWord)
}

// rangeForm is LO..HI, with ends that are numbers or lengths of time.
var rangeForm = regexp.MustCompile(`^([^.\s]+(?:\.[0-9]+)?)\.\.([^.\s]+(?:\.[0-9]+)?)$`)

// numberForm is a number as workload files have it.
var numberForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// lengthForm is what may be meant as a length of time.
var lengthForm = regexp.MustCompile(`^-?[0-9].*[a-z]`)

// looksDrawn reports whether a value is a distribution: a range, or one name with what belongs to it.
func looksDrawn(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.ScalarNode:
		return n.Tag == "!!str" && rangeForm.MatchString(n.Value)
	case n.Kind == yaml.MappingNode && len(n.Content) == 2:
		return slices.Contains(distributionNames(), document.Deref(n.Content[0]).Value)
	}
	return false
}

// distribution reads what a field is drawn from; a plain number is drawn always. Whole figures come evenly
// from a range with whole ends, both of them among these. Nil after a fault.
func (d *drawer) distribution(f document.Field, what string, kind figureKind) *distribution {
	n := document.Deref(f.Value)
	if known, read := d.distributions[n]; read {
		return known
	}
	out := d.read(f, n, what, kind)
	d.distributions[n] = out
	return out
}

func (d *drawer) read(f document.Field, n *yaml.Node, what string, kind figureKind) *distribution {
	if m := rangeForm.FindStringSubmatch(n.Value); n.Kind == yaml.ScalarNode && m != nil {
		return d.readRange(f, m[1], m[2], what, kind)
	}
	if n.Kind != yaml.MappingNode {
		x, ok := d.real(f, what, kind.time)
		if !ok {
			return nil
		}
		return &distribution{func(*rand.Rand) float64 { return x }, math.Inf(-1), math.Inf(1)}
	}
	fields, ok := d.Mapping(f, what)
	if !ok {
		return nil
	}
	if len(fields) != 1 {
		d.Fault(f, fmt.Sprintf("%s has %s", what, document.Plural(len(fields), "distribution")), "write one, like {exponential: {mean: 40}}, or a range, like 3..9")
		return nil
	}
	of, name := fields[0], document.Deref(fields[0].Key).Value
	switch name {
	case valuesWord:
		return d.readValues(of, what, kind)
	case csvWord:
		return d.readColumn(of, what)
	}
	at := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if at < 0 {
		d.FaultAt(of.Key, fmt.Sprintf("%s is drawn from %q, which is no distribution", what, document.Shorten(name)),
			d.DidYouMean(name, distributionNames(), "there are "))
		return nil
	}
	return d.readFamily(&families[at], of, what, kind)
}

func (d *drawer) readRange(f document.Field, low, high, what string, kind figureKind) *distribution {
	end := func(text string) (float64, bool) {
		n := *document.Deref(f.Value)
		n.Value, n.Tag, n.Style = text, "!!str", 0
		return d.real(document.Field{Key: f.Key, Value: &n}, "an end of "+what, kind.time)
	}
	lo, ok1 := end(low)
	hi, ok2 := end(high)
	if !ok1 || !ok2 {
		return nil
	}
	if lo > hi {
		d.Fault(f, fmt.Sprintf("%s is the range %s..%s", what, low, high), fmt.Sprintf("write the smaller end first: %s..%s", high, low))
		return nil
	}
	draw := func(rng *rand.Rand) float64 { return lo + rng.Float64()*(hi-lo) }
	if whole := lo == math.Trunc(lo) && hi == math.Trunc(hi); kind.whole && whole && hi-lo < 1<<53 {
		draw = func(rng *rand.Rand) float64 { return lo + float64(rng.Int64N(int64(hi-lo)+1)) }
	}
	return &distribution{draw, lo, hi}
}

func (d *drawer) readFamily(of *family, f document.Field, what string, kind figureKind) *distribution {
	known := []string{"least", "most"}
	for _, p := range of.params {
		known = append(known, p.name)
	}
	o := d.Object(f, fmt.Sprintf("%s of %s", of.name, what), known...)
	if o == nil {
		return nil
	}
	var values []float64
	for _, p := range of.params {
		field := d.Require(o, p.name, p.name+": 2")
		if field == nil {
			return nil
		}
		x, ok := d.real(*field, p.name, kind.time && p.length)
		if ok && (x < p.least || p.above && x == p.least) {
			word := map[bool]string{false: "of at least", true: "above"}[p.above]
			d.Fault(*field, fmt.Sprintf("%s is %s", p.name, document.Deref(field.Value).Value), fmt.Sprintf("write a number %s %g", word, p.least))
			ok = false
		}
		if !ok {
			return nil
		}
		values = append(values, x)
	}
	out := &distribution{of.make(values), math.Inf(-1), math.Inf(1)}
	for name, end := range map[string]*float64{"least": &out.least, "most": &out.most} {
		if field := o.Get(name); field != nil {
			x, ok := d.real(*field, name, kind.time)
			if !ok {
				return nil
			}
			*end = x
		}
	}
	if out.least > out.most {
		d.FaultAt(o.Node, fmt.Sprintf("least is %g, above most, which is %g", out.least, out.most), "write the smaller one as least")
		return nil
	}
	return out
}

// evenly draws one of some values.
func evenly(values []float64) *distribution {
	return &distribution{func(rng *rand.Rand) float64 { return values[rng.IntN(len(values))] }, math.Inf(-1), math.Inf(1)}
}

func (d *drawer) readValues(f document.Field, what string, kind figureKind) *distribution {
	var values []float64
	for _, item := range d.List(f, "values of "+what, "one value") {
		x, ok := d.real(item, "a value of "+what, kind.time)
		if !ok {
			return nil
		}
		values = append(values, x)
	}
	if values == nil {
		return nil
	}
	return evenly(values)
}

// readColumn draws from a column of numbers of a table with commas and a line of headings.
func (d *drawer) readColumn(f document.Field, what string) *distribution {
	o := d.Object(f, "csv of "+what, "file", "column")
	if o == nil {
		return nil
	}
	var texts [2]string
	for i, name := range []string{"file", "column"} {
		field := d.Require(o, name, map[string]string{"file": "file: times.csv", "column": "column: seconds"}[name])
		if field == nil {
			return nil
		}
		n, ok := d.Scalar(*field, name, "a name")
		if !ok {
			return nil
		}
		texts[i] = n.Value
	}
	values, err := d.columns.read(d.path, texts[0], texts[1])
	if err != nil {
		d.FaultAt(o.Node, err.Error(), "name a table with commas, whose first line has the headings, and a column of numbers")
		return nil
	}
	return evenly(values)
}

// real reads a number, or, where a time may stand, a length of time, in ticks.
func (d *drawer) real(f document.Field, what string, time bool) (float64, bool) {
	expected := "a number, like 0.5"
	if time {
		expected = "a number of ticks, like 4.5, or a duration, like 90s"
	}
	n, ok := d.Scalar(f, what, expected)
	if !ok {
		return 0, false
	}
	if numberForm.MatchString(n.Value) && n.Style == 0 {
		if x, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return x, true
		}
	}
	if time && lengthForm.MatchString(n.Value) {
		t, ok := d.times.Time(f, what, 0, "")
		return float64(t), ok
	}
	d.Fault(f, fmt.Sprintf("%s is %s", what, document.Describe(n)), "write "+expected)
	return 0, false
}
