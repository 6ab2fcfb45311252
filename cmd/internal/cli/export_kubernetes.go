package cli

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"downbeat/cmd/internal/export"
	"downbeat/cmd/internal/imports"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/files/document"
	"downbeat/model/files/trace"
)

// kubernetesForm is the form of Jobs of Kubernetes, or of Kueue.
type kubernetesForm struct {
	export.Kubernetes
	kueue, script bool
	origin        originFlag
	cpu           imports.CPUUnit
	memory        imports.Rules // of which the unit of memory
	resources     []string
	templates     []string // files
	killAfter     string
}

func (o *kubernetesForm) addFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.templates, "template", nil, "file of kubectl get jobs,cronjobs -o json: jobs run what the Job or CronJob of their name does; may be repeated")
	f.StringVar(&o.Image, "image", "", "container image of the tasks of other jobs")
	f.StringVar(&o.Command, "command", "", "what runs a task, in the shell's language, with the variables DOWNBEAT_JOB, DOWNBEAT_STAGE, DOWNBEAT_TASKS and JOB_COMPLETION_INDEX; the image's own entry point if not given")
	f.StringVar(&o.Namespace, "namespace", "", "namespace of the Jobs")
	f.Var(&o.cpu, "cpu-unit", "cpu that is a core, of Kubernetes: 1, or 100m where pods request parts of cores")
	o.memory.Memory = imports.DefaultRules().Memory
	f.Var(&imports.MemoryUnit{Rules: &o.memory}, "memory-unit", "unit of the resource memory, or none to leave memory out")
	f.StringArrayVar(&o.resources, "resource", nil, "what Kubernetes calls a resource, like gpu=nvidia.com/gpu; may be repeated. Those with a domain keep their names")
	f.StringArrayVar(&o.Tolerate, "tolerate", nil, "key of a taint that the pods tolerate; may be repeated")
	f.BoolVar(&o.script, "start-script", false, "write the shell script that starts the Jobs instead of the Jobs")
	if o.kueue {
		f.StringVar(&o.Queue, "queue", "", "the LocalQueue of the Jobs")
	} else {
		f.StringVar(&o.killAfter, "kill-after", "", "end Jobs that take so many times as long as planned, like 2x (activeDeadlineSeconds)")
	}
	o.origin.addFlags(f)
}

var (
	dnsLabel     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	timesForm    = regexp.MustCompile(`^([0-9]{1,3}(?:\.[0-9]{1,2})?)x$`)
	taintKey     = regexp.MustCompile(`^([a-z0-9][-a-z0-9.]*/)?[A-Za-z0-9][-A-Za-z0-9_.]*$`)
	resourceForm = regexp.MustCompile(`^([^=]+)=([a-z0-9][-a-z0-9.]*/[A-Za-z0-9][-A-Za-z0-9_.]*)$`)
)

func (o *kubernetesForm) check() error {
	const name = "small letters, digits and dashes, at most 63"
	switch {
	case o.Image == "" && o.templates == nil && !o.script:
		return usage.Errorf("--image is needed, the container image of the tasks, or --template")
	case o.Namespace != "" && !dnsLabel.MatchString(o.Namespace):
		return usage.Errorf("--namespace %q is no name: %s", o.Namespace, name)
	case o.kueue && o.Queue == "":
		return usage.Errorf("--queue is needed: the LocalQueue of the Jobs")
	case o.kueue && !dnsLabel.MatchString(o.Queue):
		return usage.Errorf("--queue %q is no name: %s", o.Queue, name)
	}
	if o.killAfter != "" {
		m := timesForm.FindStringSubmatch(o.killAfter)
		if m != nil {
			o.KillAfter, _ = strconv.ParseFloat(m[1], 64)
		}
		if o.KillAfter < 1 {
			return usage.Errorf("--kill-after %q is no factor of at least 1; write 2x", o.killAfter)
		}
	}
	for _, key := range o.Tolerate {
		if !taintKey.MatchString(key) {
			return usage.Errorf("--tolerate %q is no key of a taint; write one like nvidia.com/gpu", key)
		}
	}
	o.CPU, o.Memory, o.Resources = o.cpu.Millis(), o.memory.Memory, map[string]string{}
	for _, text := range o.resources {
		m := resourceForm.FindStringSubmatch(text)
		if m == nil {
			return usage.Errorf("--resource %q is no resource with its name; write gpu=nvidia.com/gpu", text)
		}
		o.Resources[m[1]] = m[2]
	}
	return o.origin.check()
}

func (o *kubernetesForm) write(w io.Writer, p *exportedPlan) error {
	when, err := export.ClockOf(p.summary(), o.origin.at)
	if err != nil {
		return err
	}
	for name := range o.Resources {
		if !slices.Contains(p.js.Named, name) {
			return usage.Errorf("--resource: the job set has no resource %q", name)
		}
	}
	if err := o.read(p); err != nil {
		return err
	}
	o.Digest, o.Now = p.declared.Digest(), p.plan.Now
	o.tell(p)
	switch {
	case o.script:
		return o.Script(w, when, o.kueue)
	case o.kueue:
		return o.WriteKueue(w, when)
	}
	return o.Kubernetes.Write(w, when)
}

// read reads the templates of pods.
func (o *kubernetesForm) read(p *exportedPlan) error {
	o.Templates = map[string]trace.PodTemplate{}
	for _, file := range o.templates {
		of, notes, err := imports.PodTemplates(p.ctx, file)
		if err != nil {
			return err
		}
		for _, n := range notes {
			p.note("%s", n)
		}
		for _, one := range of {
			o.Templates[one.Name], o.Templates[one.Namespace+"/"+one.Name] = one, one
		}
	}
	for i := range p.js.Jobs {
		if name := p.js.Jobs[i].Name; o.Image == "" && !o.script && !o.Knows(name) {
			return usage.Errorf("--template: no Job and no CronJob of the name %q, and no --image for such", name)
		}
	}
	return nil
}

// tell notes what of the plan Kubernetes is not told, or does not take.
func (o *kubernetesForm) tell(p *exportedPlan) {
	if !o.kueue {
		odd := slices.IndexFunc(p.js.Slaves, func(s model.Slave) bool { return !hostLabel.MatchString(s.Name) })
		if odd >= 0 {
			p.note("%q is no name that a node can have, and kubectl apply will refuse its Jobs; call slaves as nodes are called", p.js.Slaves[odd].Name)
		}
	}
	o.tellNamespaces(p)
	var told []string
	if slices.ContainsFunc(p.js.Jobs, func(j model.Job) bool {
		return slices.ContainsFunc(j.Stages, func(st model.Stage) bool { return st.IsGang() })
	}) {
		told = append(told, "gangs")
	}
	if len(p.js.Pools) > 0 {
		told = append(told, "pools")
	}
	if len(told) > 0 {
		p.note("Kubernetes is not told of %s, as the head of the file says", strings.Join(told, " and "))
	}
	out := 0
	for _, line := range p.summary().Jobs {
		if line.Out() != "" {
			out++
		}
	}
	if out > 0 {
		p.note("%s without a task in the plan left out", document.Plural(out, "job"))
	}
}

// tellNamespaces notes jobs whose template is of another namespace than the one that all Jobs go to:
// what their pods name, secrets and accounts, is not there.
func (o *kubernetesForm) tellNamespaces(p *exportedPlan) {
	here, others, first := o.Namespace, 0, ""
	for i := range p.js.Jobs {
		name := p.js.Jobs[i].Name
		switch of := o.NamespaceOf(name); of {
		case "", here:
		default:
			if here == "" {
				here = of
				continue
			}
			if others++; others == 1 {
				first = fmt.Sprintf("%s is of %s", name, of)
			}
		}
	}
	if others > 0 {
		p.note("%s with a template of another namespace than %s, which all Jobs of the plan go to; the first: %s; leave them out by plan --drop, or import one namespace at a time", document.Plural(others, "job"), here, first)
	}
}

var hostLabel = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
