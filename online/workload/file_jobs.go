package workload

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"downbeat/model/files/document"
	"downbeat/model/files/jobfile"
)

// jobs are the jobs of the set: each of the list once, or, where jobs arrive, one of the kinds of the list for
// each arrival.
func (d *drawer) jobs(f document.Field, arrivals *document.Field) *yaml.Node {
	out := sequence(f.Value)
	for _, item := range d.List(f, "jobs", "a kind of jobs") {
		d.kind(item, arrivals != nil)
	}
	var process *process
	if arrivals != nil {
		process = d.process(*arrivals)
	}
	if !d.Sound() || arrivals != nil && process == nil {
		return out
	}
	if d.trial || arrivals == nil {
		for i := range d.kinds {
			k := &d.kinds[i]
			name := k.name
			var release *yaml.Node
			if arrivals != nil {
				name, release = k.jobName(1), scalar(k.at, "!!int", "0")
			}
			out.Content = append(out.Content, d.job(k, name, release, i))
		}
		return out
	}
	arrived := process.arrivals(d)
	if !d.Sound() {
		return out
	}
	for i, a := range arrived {
		if d.tasks > maxTasks || d.ctx.Err() != nil {
			break
		}
		k := &d.kinds[a.kind]
		out.Content = append(out.Content, d.job(k, k.jobName(i+1), a.release, i))
	}
	return out
}

// jobName is the name of the n-th job that arrives, one of the kind.
func (k *kind) jobName(n int) string { return fmt.Sprintf("%s-%d", k.name, n) }

// kind reads what kind a job of the list is.
func (d *drawer) kind(item document.Field, arrive bool) {
	known := jobfile.JobFields
	if arrive {
		known = slices.Concat([]string{"share"}, known)
	}
	o := d.Object(item, "a job", known...)
	if o == nil {
		return
	}
	k := kind{at: o.Node, fields: d.fieldsOf(o.Node), share: 1}
	if f := d.Require(o, "name", "name: small"); f != nil {
		k.name, _ = d.Name(*f)
		o.What = fmt.Sprintf("job %q", k.name)
	}
	if f := o.Get("share"); f != nil {
		x, ok := d.real(*f, "share", false)
		if ok && x < 0 {
			d.Fault(*f, fmt.Sprintf("share is %g", x), "write a number of at least 0; kinds are drawn in proportion to their shares")
		}
		k.share = x
	}
	for _, name := range []string{"release", "after"} {
		if f := o.Get(name); f != nil && arrive {
			d.FaultAt(f.Key, fmt.Sprintf("%s has %s, and jobs are released as they arrive", o.What, name), "leave out "+name+", or arrivals")
		}
	}
	if f := o.Get("deadline"); f != nil {
		if n := document.Deref(f.Value); n.Kind == yaml.MappingNode && !looksDrawn(n) && !d.misspelt(n) {
			d.Object(*f, "deadline", "factor")
		}
	}
	for _, name := range []string{"map", "reduce"} {
		if f := o.Get(name); f != nil {
			d.Object(*f, fmt.Sprintf("stage %q of %s", name, o.What), slices.Concat([]string{"draw"}, jobfile.StageFields)...)
		}
	}
	if f := o.Get("stages"); f != nil {
		d.checkStages(*f, o.What)
	}
	d.kinds = append(d.kinds, k)
}

// checkStages finds fields that stages have not.
func (d *drawer) checkStages(f document.Field, what string) {
	known := slices.Concat([]string{"draw"}, jobfile.NamedStageFields)
	if document.Deref(f.Value).Kind == yaml.MappingNode {
		d.shape(f, what)
		return
	}
	for _, item := range d.List(f, "stages", "one stage") {
		d.Object(item, "a stage of "+what, known...)
	}
}

// job is a job of a kind; item numbers its draws. Without a release it has that of its kind.
func (d *drawer) job(k *kind, name string, release *yaml.Node, item int) *yaml.Node {
	out := mapping(k.at)
	path := "job/" + k.name
	for _, p := range k.fields {
		switch field := document.Deref(p.Key).Value; field {
		case "share":
		case "name":
			add(out, p.Key, scalar(document.Deref(p.Value), "!!str", name))
		case "deadline":
			add(out, p.Key, d.deadline(p, name, path, item))
		case "hard":
			add(out, p.Key, d.hard(p, path, item))
		case "map", "reduce":
			if st := d.stage(p.Value, path+"/"+field, item, field == "reduce"); st != nil {
				add(out, p.Key, st)
			}
		case "stages":
			add(out, p.Key, d.stages(p, path+"/stages", item))
		default:
			value, _ := d.tree(p, figureKinds[field], path+"/"+field, item)
			add(out, p.Key, value)
		}
	}
	if release != nil {
		named(out, "release", release)
	}
	return out
}

// deadline draws a deadline in ticks, or one as a multiple of the time that the job takes alone, which is
// known when the job is.
func (d *drawer) deadline(f document.Field, name, path string, item int) *yaml.Node {
	n := document.Deref(f.Value)
	factor := field(n, "factor")
	if factor == nil {
		value, _ := d.tree(f, figureKinds["deadline"], path+"/deadline", item)
		return value
	}
	of := document.Field{Key: n.Content[0], Value: factor}
	x, ok := d.figure(of, "factor", figureKind{}, path+"/deadline", item)
	if ok && x <= 0 {
		d.Fault(of, fmt.Sprintf("factor is %g", x), "write a number above 0, or one to draw from that is")
	}
	d.factors[name] = x
	return scalar(n, "!!int", "1")
}

// hard draws whether a job is hard, by the share of those that are. A larger share keeps hard what was hard
// at a smaller one.
func (d *drawer) hard(f document.Field, path string, item int) *yaml.Node {
	n := document.Deref(f.Value)
	if n.Tag == "!!bool" || n.Kind != yaml.ScalarNode {
		return n
	}
	share, ok := d.real(f, "hard", false)
	if ok && (share < 0 || share > 1) {
		d.Fault(f, fmt.Sprintf("hard is %g", share), "write the share of jobs that are hard, from 0 to 1, or true or false")
	}
	return scalar(n, "!!bool", fmt.Sprint(stream(d.seed, path+"/hard", item).Float64() < share))
}

// stages are those of a list, or of a shape.
func (d *drawer) stages(f document.Field, path string, item int) *yaml.Node {
	n := document.Deref(f.Value)
	if n.Kind == yaml.MappingNode {
		return d.shaped(f, path, item)
	}
	out := sequence(n)
	for i, st := range document.Items(n) {
		if st := d.stage(st.Value, fmt.Sprintf("%s/%d", path, i), item, false); st != nil {
			out.Content = append(out.Content, st)
		}
	}
	return out
}

// drawnByTask are fields that each task of a stage draws by itself, unless the stage has draw: stage.
var drawnByTask = []string{"wcet", "transfer", "data"}

// stage is a stage with its figures drawn. One that may be empty is nil where it has no task.
func (d *drawer) stage(n *yaml.Node, path string, item int, empty bool) *yaml.Node {
	fields := d.fieldsOf(n)
	out := mapping(n)
	byTask := true
	if f := get(fields, "draw"); f != nil {
		word, _ := d.Word(*f, "draw", []string{"task", "stage"})
		byTask = word != "stage"
	}
	tasks := get(fields, "tasks")
	groups := tasks != nil && document.Deref(tasks.Value).Kind == yaml.SequenceNode
	var own []document.Field
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		switch {
		case name == "draw" || name == "tasks":
		case slices.Contains(drawnByTask, name) && (byTask || name == "data") && d.drawsByTask(p):
			own = append(own, p)
		default:
			value, _ := d.tree(p, figureKinds[name], path+"/"+name, item)
			add(out, p.Key, value)
		}
	}
	switch {
	case tasks == nil:
	case groups:
		list := sequence(tasks.Value)
		for i, g := range document.Items(document.Deref(tasks.Value)) {
			list.Content = append(list.Content, d.group(g, own, byTask, fmt.Sprintf("%s/tasks/%d", path, i), item)...)
		}
		add(out, tasks.Key, list)
	default:
		kind := figureKinds["tasks"]
		if empty {
			kind.least = 0
		}
		count, _ := d.tree(*tasks, kind, path+"/tasks", item)
		if empty && count.Value == "0" {
			return nil
		}
		if len(own) == 0 {
			d.counted(count)
			add(out, tasks.Key, count)
			return out
		}
		list := sequence(tasks.Value)
		list.Content = d.tasksOf(*tasks, count, nil, own, path, item)
		add(out, tasks.Key, list)
	}
	return out
}

// drawsByTask reports whether a field has something for tasks to draw.
func (d *drawer) drawsByTask(f document.Field) bool {
	return d.drawsBelow(f.Value) || replicas(f) != nil
}

// replicas is the number of slaves that hold the data, where it says how many and not which.
func replicas(f document.Field) *yaml.Node {
	if document.Deref(f.Key).Value != "data" {
		return nil
	}
	return field(document.Deref(f.Value), "replicas")
}

// group are the groups that a group of the list of tasks comes to; fields of the stage that tasks draw are its
// own where it has none.
func (d *drawer) group(g document.Field, stage []document.Field, byTask bool, path string, item int) []*yaml.Node {
	n := document.Deref(g.Value)
	fields := d.fieldsOf(n)
	if fields == nil {
		return []*yaml.Node{n} // which is a fault, and told as one of job sets
	}
	var rest, own []document.Field
	count := scalar(n, "!!int", "1")
	at := document.Field{Value: n}
	for _, p := range fields {
		name := document.Deref(p.Key).Value
		switch {
		case name == "count":
			at = p
			count, _ = d.tree(p, figureKinds[name], path+"/count", item)
		case slices.Contains(drawnByTask, name) && (byTask || name == "data") && d.drawsByTask(p):
			own = append(own, p)
		default:
			value, _ := d.tree(p, figureKinds[name], path+"/"+name, item)
			rest = append(rest, document.Field{Key: p.Key, Value: value})
		}
	}
	for _, p := range stage {
		if get(fields, document.Deref(p.Key).Value) == nil {
			own = append(own, p)
		}
	}
	return d.tasksOf(at, count, rest, own, path, item)
}

// counted counts tasks, and reports whether the workload may have them.
func (d *drawer) counted(n *yaml.Node) (tasks int, ok bool) {
	if n.Kind != yaml.ScalarNode || !document.IsPlainDecimal(n.Value) {
		return 0, false // which is a fault, and told as one of job sets
	}
	count := document.ParseDecimal(n.Value)
	if count < 1 {
		return 0, false
	}
	d.tasks = int(min(int64(d.tasks)+count, maxTasks+1))
	if d.tasks > maxTasks {
		d.FaultAt(n, fmt.Sprintf("the job set has more than %d tasks up to here", maxTasks), "let fewer jobs arrive, or have fewer tasks")
		return 0, false
	}
	return int(count), true
}

// tasksOf are so many tasks, in groups of those that have drawn the same.
func (d *drawer) tasksOf(at document.Field, count *yaml.Node, rest, own []document.Field, path string, item int) []*yaml.Node {
	n, ok := d.counted(count)
	if !ok || len(own) == 0 {
		return []*yaml.Node{groupOf(at, count, rest)}
	}
	var out []*yaml.Node
	var sizes []int
	places := map[string]int{}
	for k := range n {
		drawn := slices.Clone(rest)
		var texts []string
		for _, p := range own {
			value, text := d.byTask(p, path, item<<20|k)
			drawn = append(drawn, document.Field{Key: p.Key, Value: value})
			texts = append(texts, text)
		}
		text := strings.Join(texts, ";")
		place, known := places[text]
		if !known {
			place = len(out)
			places[text] = place
			out, sizes = append(out, groupOf(at, nil, drawn)), append(sizes, 0)
		}
		sizes[place]++
	}
	for i, g := range out {
		named(g, "count", scalar(count, "!!int", fmt.Sprint(sizes[i])))
	}
	return out
}

func groupOf(at document.Field, count *yaml.Node, fields []document.Field) *yaml.Node {
	out := mapping(at.Value)
	for _, p := range fields {
		add(out, p.Key, p.Value)
	}
	if count != nil {
		named(out, "count", count)
	}
	return out
}

// byTask draws a field for one task.
func (d *drawer) byTask(f document.Field, path string, item int) (*yaml.Node, string) {
	name := document.Deref(f.Key).Value
	path += "/" + name
	if n := replicas(f); n != nil {
		return d.holders(f, path, item)
	}
	return d.tree(f, figureKinds[name], path, item)
}

// holders draws the slaves that hold a task's data.
func (d *drawer) holders(f document.Field, path string, item int) (*yaml.Node, string) {
	n := document.Deref(f.Value)
	among := d.slaves
	for _, p := range d.fieldsOf(n) {
		switch name := document.Deref(p.Key).Value; name {
		case "replicas":
		case "on":
			among = d.among(p)
		default:
			d.FaultAt(p.Key, fmt.Sprintf("unknown field %q in data", name), d.DidYouMean(name, []string{"replicas", "on"}, "its fields are "))
		}
	}
	count, _ := d.tree(document.Field{Key: n.Content[0], Value: field(n, "replicas")}, figureKinds["replicas"], path+"/replicas", item)
	k, read := d.Integer(document.Field{Key: f.Key, Value: count}, "replicas", 1, int64(max(1, len(among))), "")
	if !read || len(among) == 0 {
		return n, ""
	}
	names := make([]string, 0, k)
	for _, i := range sample(stream(d.seed, path, item).IntN, len(among), int(k)) {
		names = append(names, among[i].name)
	}
	slices.Sort(names)
	text := strings.Join(names, ",")
	out := sequence(n)
	for _, name := range names {
		out.Content = append(out.Content, scalar(n, "!!str", name))
	}
	return d.one(n, text, out), text
}

// among are the slaves of names and classes.
func (d *drawer) among(f document.Field) []machine {
	var out []machine
	for _, item := range d.List(f, "on", "a slave or class") {
		name := document.Deref(item.Value).Value
		before := len(out)
		for _, m := range d.slaves {
			if m.name == name || m.class == name {
				out = append(out, m)
			}
		}
		if len(out) == before {
			var known []string
			for _, m := range d.slaves {
				known = append(known, m.class, m.name)
			}
			slices.Sort(known)
			d.Fault(item, fmt.Sprintf("on names %q, which is neither a slave nor a class", document.Shorten(name)), d.DidYouMean(name, slices.Compact(known), "there are "))
			return nil
		}
	}
	return out
}
