package jobfile

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// maxLinks bounds the pairs of stages of which one waits for the other.
const maxLinks = 10_000_000

// afterNames reads the names that a stage or job comes after: a list, empty for none,
// or a single one.
func (r *jobReader) afterNames(f document.Field, example string) (names []document.Field, sure bool) {
	n := document.Deref(f.Value)
	items := []document.Field{f}
	switch {
	case n.Kind == yaml.SequenceNode:
		items = document.Items(n)
	case n.Kind == yaml.MappingNode || document.IsNull(n):
		r.Fault(f, "after is "+document.Describe(n), fmt.Sprintf("write a list of names, like after: [%s], or after: [] for none", example))
		return nil, false
	}
	seen := map[string]bool{}
	sure = true
	for _, item := range items {
		name, ok := r.Name(item)
		switch {
		case !ok:
			sure = false
		case seen[name]:
			r.Fault(item, fmt.Sprintf("after names %q twice", document.Shorten(name)), "leave out the second")
		default:
			seen[name] = true
			names = append(names, item)
		}
	}
	return names, sure
}

// stageAfter is what the file says of the stages that one comes after; said is false
// where it leaves that to the default.
type stageAfter struct {
	said, sure bool
	field      document.Field
	names      []document.Field
}

func (r *jobReader) stageAfter(o *document.Object) stageAfter {
	f := o.Get("after")
	if f == nil {
		return stageAfter{sure: true}
	}
	names, sure := r.afterNames(*f, "extract")
	return stageAfter{said: true, sure: sure, field: *f, names: names}
}

// linkStages resolves the names that stages of a job come after. Where namesSure is
// false the name of a stage is not known, and an unknown one no fault.
func (r *jobReader) linkStages(stages []model.Stage, afters []stageAfter, what string, namesSure bool) {
	index := map[string]int32{}
	names := make([]string, len(stages))
	for k := range stages {
		index[stages[k].Name], names[k] = int32(k), stages[k].Name
	}
	sure := namesSure
	for k, a := range afters {
		sure = sure && a.sure
		if !a.said {
			if k > 0 {
				stages[k].After = []int32{int32(k - 1)}
			}
			continue
		}
		stages[k].After = []int32{}
		for _, f := range a.names {
			name := document.Deref(f.Value).Value
			before, known := index[name]
			switch {
			case known:
				stages[k].After = append(stages[k].After, before)
			case namesSure:
				sure = false
				r.Fault(f, fmt.Sprintf("stage %q comes after %q, which is no stage of %s", stages[k].Name, document.Shorten(name), what),
					r.DidYouMean(name, names, "its stages are "))
			}
		}
		slices.Sort(stages[k].After)
		sure = r.countLinks(a.field, len(a.names)) && sure
	}
	if !sure {
		return
	}
	cycle := model.FindCycle(len(stages), func(k int32) []int32 { return stages[k].After })
	for _, k := range cycle { // one of them says so: the default points backward
		if afters[k].said {
			r.cycle(afters[k].field, "stages of "+what, clusterNames(cycle, func(k int32) string { return stages[k].Name }),
				"leave out one of these; a stage without after comes after the one before it")
			break
		}
	}
}

// cycle tells of things each of which comes before the next, and the last before the
// first.
func (r *jobReader) cycle(f document.Field, what string, names []string, advice string) {
	if len(names) == 1 {
		r.Fault(f, fmt.Sprintf("%q comes after itself", names[0]), "leave it out")
		return
	}
	const shown = 6
	var parts []string
	for i := range names {
		comes := ""
		if i == 0 {
			comes = "comes "
		}
		parts = append(parts, fmt.Sprintf("%q %safter %q", names[(i+1)%len(names)], comes, names[i]))
	}
	text := strings.Join(parts[:min(shown, len(parts))], ", ")
	if len(parts) > shown {
		text += fmt.Sprintf(", and so on through %d", len(parts))
	}
	r.Fault(f, fmt.Sprintf("%s wait for each other: %s", what, text), advice)
}

// jobAfter is what the file says of the jobs that one comes after.
type jobAfter struct {
	jobRef
	name  string
	field document.Field
	names []document.Field
}

// linkJobs resolves the names that jobs come after.
func (r *jobReader) linkJobs() {
	for i := range r.afters {
		r.linkJob(&r.afters[i])
	}
	if !r.jobNamesSure || !r.jobsWhole {
		return
	}
	jobs := r.JS.Jobs
	cycle := model.FindCycle(len(jobs), func(i model.JobID) []model.JobID { return jobs[i].After })
	if cycle == nil {
		return
	}
	for i := range r.afters {
		if a := &r.afters[i]; a.first <= cycle[0] && cycle[0] < a.end() {
			r.cycle(a.field, "jobs", clusterNames(cycle, func(i model.JobID) string { return jobs[i].Name }), "leave out one of these")
		}
	}
}

// linkJob resolves the names that a job comes after: between jobs that recur equally
// often they mean instance by instance, else all instances.
func (r *jobReader) linkJob(a *jobAfter) {
	for _, f := range a.names {
		name := document.Deref(f.Value).Value
		ref, known := r.jobNames[name]
		switch {
		case !known:
			r.jobsWhole = false
			r.unknownJob(f, a.name, name)
		case a.count > 0 && ref.count > 0 && a.count != ref.count:
			r.jobsWhole = false
			r.Fault(f, fmt.Sprintf("%q recurs %s and comes after %q, which recurs %s", a.name, document.Plural(a.count, "time"), name, document.Plural(ref.count, "time")),
				fmt.Sprintf("let both recur equally often, or name the instance that is meant, like %s", quoteName(instanceName(name, 1))))
		}
		for i := a.first; i < a.end() && r.jobsWhole; i++ {
			r.linkInstance(f, i, ref, a)
		}
	}
	for i := a.first; i < a.end() && r.jobsWhole; i++ {
		after := r.JS.Jobs[i].After
		slices.Sort(after)
		r.JS.Jobs[i].After = slices.Compact(after)
	}
}

// linkInstance lets job i, one of those of a, come after what a name stands for.
func (r *jobReader) linkInstance(f document.Field, i model.JobID, ref jobRef, a *jobAfter) {
	from, to := ref.first, ref.end()
	if a.count > 0 && ref.count > 0 {
		from += i - a.first
		to = from + 1
	}
	jobs := r.JS.Jobs
	if !r.countLinks(f, int(to-from)*ends(jobs[from].Stages)*begins(jobs[i].Stages)) {
		r.jobsWhole = false
		return
	}
	for k := from; k < to; k++ {
		jobs[i].After = append(jobs[i].After, k)
	}
}

func (r *jobReader) unknownJob(f document.Field, job, name string) {
	if !r.jobNamesSure {
		return
	}
	advice := ""
	if i := strings.LastIndexByte(name, '-'); i > 0 && document.IsDigits(name[i+1:]) {
		if ref := r.jobNames[name[:i]]; ref.count > 0 {
			advice = fmt.Sprintf("%s goes from %s to %s", name[:i], instanceName(name[:i], 1), instanceName(name[:i], ref.count))
		}
	}
	if advice == "" {
		advice = r.DidYouMean(name, r.entries, "jobs are ")
	}
	r.Fault(f, fmt.Sprintf("job %q comes after %q, which is no job", job, document.Shorten(name)), advice)
}

// countLinks counts pairs of stages of which one waits for the other, and reports
// whether there are too many.
func (r *jobReader) countLinks(f document.Field, n int) (fine bool) {
	before := r.links
	r.links += n
	if before <= maxLinks && r.links > maxLinks {
		r.Fault(f, fmt.Sprintf("more than %d pairs of stages wait for each other up to here", maxLinks), "put a stage or job between those that many wait for")
	}
	return r.links <= maxLinks
}

// begins counts the stages that come after no other one of the job.
func begins(stages []model.Stage) int {
	n := 0
	for k := range stages {
		if len(stages[k].After) == 0 {
			n++
		}
	}
	return n
}

// ends counts the stages that no other one of the job comes after.
func ends(stages []model.Stage) int {
	followed := make([]bool, len(stages))
	n := len(stages)
	for k := range stages {
		for _, before := range stages[k].After {
			if !followed[before] {
				followed[before] = true
				n--
			}
		}
	}
	return n
}
