package workload

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"downbeat/model/files/document"
	"downbeat/model/files/jobfile"
)

// maxStages is how many stages a shape may have.
const maxStages = 10_000

// shapeFields are, for each shape of a job's stages, what it has beside the fields of its stages.
var shapeFields = map[string][]string{
	"chain":     {"length"},
	"fork-join": {"width"},
	"layered":   {"layers", "width", "edges"},
}

var shapeNames = []string{"chain", "fork-join", "layered"}

// shape reads which shape stages have, and finds fields that it has not; "" after a fault.
func (d *drawer) shape(f document.Field, what string) string {
	o := d.Object(f, "stages of "+what, slices.Concat([]string{"shape", "length", "width", "layers", "edges", "draw", "slot"}, jobfile.StageFields)...)
	if o == nil {
		return ""
	}
	word := d.Require(o, "shape", "shape: chain (or fork-join, layered)")
	if word == nil {
		return ""
	}
	shape, ok := d.Word(*word, "shape", shapeNames)
	if !ok {
		return ""
	}
	for _, name := range []string{"length", "width", "layers", "edges"} {
		has := o.Get(name)
		switch takes := slices.Contains(shapeFields[shape], name); {
		case has != nil && !takes:
			d.FaultAt(has.Key, fmt.Sprintf("the shape %s has no %s", shape, name), "it has "+strings.Join(shapeFields[shape], ", "))
		case has == nil && takes && name != "edges":
			d.Require(o, name, name+": 2..4")
		}
	}
	return shape
}

// shaped are the stages of a shape, each with draws of its own.
func (d *drawer) shaped(f document.Field, path string, item int) *yaml.Node {
	n := document.Deref(f.Value)
	out := sequence(n)
	fields := d.fieldsOf(n)
	shape := get(fields, "shape")
	if shape == nil {
		return out
	}
	whole := func(name string) int { return d.shapeFigure(fields, name, path, item) }
	var after [][]int
	switch document.Deref(shape.Value).Value {
	case "chain":
		for i := range whole("length") {
			after = append(after, earlier(i))
		}
	case "fork-join":
		after = [][]int{nil}
		var middle []int
		for range whole("width") {
			middle = append(middle, len(after))
			after = append(after, []int{0})
		}
		after = append(after, middle)
	case "layered":
		after = d.layers(fields, path, item)
	}
	stage := mapping(n)
	for _, p := range fields {
		if name := document.Deref(p.Key).Value; name != "shape" && !slices.Contains([]string{"length", "width", "layers", "edges"}, name) {
			add(stage, p.Key, p.Value)
		}
	}
	for i, before := range after {
		st := d.stage(stage, fmt.Sprintf("%s/%d", path, i), item, false)
		named(st, "name", scalar(n, "!!str", stageName(i)))
		names := sequence(n)
		for _, b := range before {
			names.Content = append(names.Content, scalar(n, "!!str", stageName(b)))
		}
		named(st, "after", names)
		out.Content = append(out.Content, st)
	}
	return out
}

func stageName(i int) string { return fmt.Sprintf("s%d", i+1) }

// earlier is the stage before, none for the first.
func earlier(i int) []int {
	if i == 0 {
		return nil
	}
	return []int{i - 1}
}

// shapeFigure draws how many stages there are in one direction, 1 to maxStages; 1 after a fault.
func (d *drawer) shapeFigure(fields []document.Field, name, path string, item int) int {
	f := get(fields, name)
	if f == nil {
		return 1
	}
	n, ok := d.number(*f, figureKind{whole: true, least: 1}, path+"/"+name, item)
	if !ok {
		return 1
	}
	v, ok := d.Integer(document.Field{Key: f.Key, Value: n}, name, 1, maxStages, "")
	if !ok {
		return 1
	}
	return int(v)
}

// layers draws a graph in layers: each stage waits for one of the layer before it, and for each other of that
// layer with the probability edges, 0.5 where it is not given.
func (d *drawer) layers(fields []document.Field, path string, item int) [][]int {
	edges := 0.5
	if f := get(fields, "edges"); f != nil {
		x, ok := d.figure(*f, "edges", figureKind{}, path+"/edges", item)
		if ok && (x < 0 || x > 1) {
			d.Fault(*f, fmt.Sprintf("edges is %g", x), "write a probability, from 0 to 1")
		}
		edges = x
	}
	rng := stream(d.seed, path+"/graph", item)
	var after [][]int
	var before []int
	for layer := range d.shapeFigure(fields, "layers", path, item) {
		var here []int
		for range d.shapeFigure(fields, "width", path, item<<8|layer&0xff) {
			here = append(here, len(after))
			var waits []int
			if len(before) > 0 {
				sure := rng.IntN(len(before))
				for i, b := range before {
					if i == sure || rng.Float64() < edges {
						waits = append(waits, b)
					}
				}
			}
			if after = append(after, waits); len(after) > maxStages {
				d.FaultAt(get(fields, "shape").At(), fmt.Sprintf("a job would have more than %d stages", maxStages), "write fewer layers, or a smaller width")
				return nil
			}
		}
		before = here
	}
	return after
}
