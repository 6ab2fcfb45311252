package trace

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// kubeNodeRecord is a Node.
type kubeNodeRecord struct {
	name   string
	at     Place
	told   bool
	labels map[string]Text
	taints []struct{ Key, Value, Effect Text }
	have   kubeNeeds
	held   kubeNeeds
	// problem says why it takes no pods.
	problem string
}

// kubeNeeds are amounts by the names of resources.
type kubeNeeds map[string]*big.Rat

// add adds amounts, so many times.
func (n kubeNeeds) add(of kubeQuantities) {
	for name, q := range of {
		if v := q.value(); v != nil {
			if n[name] == nil {
				n[name] = new(big.Rat)
			}
			n[name].Add(n[name], v)
		}
	}
}

// most takes the larger amount of each resource.
func (n kubeNeeds) most(of kubeNeeds) {
	for name, v := range of {
		if n[name] == nil || n[name].Cmp(v) < 0 {
			n[name] = v
		}
	}
}

// requested are the requests of a container: of a resource of which only a limit is told it.
func (r *kubeResources) requested() kubeQuantities {
	out := maps.Clone(r.Limits)
	if out == nil {
		return r.Requests
	}
	maps.Copy(out, r.Requests)
	return out
}

// podNeeds are the effective requests of a pod: those of its containers together, or of an init
// container while it runs if that is more, beside init containers that go on, and the overhead
// (https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers).
func podNeeds(spec *kubePodSpec) kubeNeeds {
	all, going, most := kubeNeeds{}, kubeNeeds{}, kubeNeeds{}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		if c.RestartPolicy == "Always" {
			going.add(c.Resources.requested())
			continue
		}
		now := kubeNeeds{}
		now.add(c.Resources.requested())
		now.merge(going)
		most.most(now)
	}
	for i := range spec.Containers {
		all.add(spec.Containers[i].Resources.requested())
	}
	all.merge(going)
	all.most(most)
	if spec.Resources != nil { // of the pod as a whole
		own := kubeNeeds{}
		own.add(spec.Resources.requested())
		maps.Copy(all, own)
	}
	all.add(spec.Overhead)
	return all
}

// merge adds other needs.
func (n kubeNeeds) merge(of kubeNeeds) {
	for name, v := range of {
		sum := new(big.Rat).Set(v)
		if n[name] != nil {
			sum.Add(sum, n[name])
		}
		n[name] = sum
	}
}

// inBytes reports whether a resource is counted in bytes.
func inBytes(resource string) bool {
	return resource == "memory" || resource == "ephemeral-storage" || resource == "storage" || strings.HasPrefix(resource, "hugepages-")
}

// kubePlacement says on which nodes a pod may be.
type kubePlacement struct {
	NodeName     Text
	NodeSelector map[string]Text
	Terms        []kubeTerm
	Tolerations  []kubeToleration
}

// mostShapes bounds what pods need and where they may be in different ways.
const mostShapes = 5000

// shape is what pods of a job need.
func (k *Kubernetes) shape(spec *kubePodSpec, j *kubeJob, t *Trace) *kubeShape {
	place := kubePlacement{spec.NodeName, spec.NodeSelector, spec.Affinity.NodeAffinity.Required.NodeSelectorTerms, spec.Tolerations}
	if !j.told && j.schedule == nil {
		place = kubePlacement{Tolerations: []kubeToleration{{Operator: "Exists"}}} // of a pod alone: it has its node
	}
	if len(spec.Affinity.PodAffinity) > 0 || len(spec.Affinity.PodAntiAffinity) > 0 || len(spec.TopologySpreadConstraints) > 0 {
		t.Remarks.Add("Jobs whose pods want to be near to or far from others, which a plan does not heed", Fault{Place: j.at, Message: "Job " + j.name})
	}
	needs := podNeeds(spec)
	resources := []kubeContainer{}
	resources = append(append(resources, spec.Containers...), spec.InitContainers...)
	for i := range resources {
		for name, q := range resources[i].Resources.requested() {
			if q.value() == nil {
				t.Unusable.Add("amounts that are none", Fault{Place: j.at, Message: fmt.Sprintf("%s asks for %q of %s", j.name, string(q), name), Advice: "write one like 250m, 2 or 1Gi"})
			}
		}
	}
	amounts := map[string]string{}
	for name, v := range needs {
		amounts[name] = v.RatString()
	}
	key := interned([]any{place, amounts})
	if s, known := k.shapes[key]; known {
		return s
	}
	s := &kubeShape{place: place, memory: Unknown}
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		v := needs[name]
		switch name {
		case "cpu":
			s.millis = times(v, 1000)
		case "memory":
			s.memory = times(v, 1)
		default:
			if units := times(v, 1); units > 0 {
				s.resources = append(s.resources, Amount{Name: name, Units: units, Bytes: inBytes(name)})
			}
		}
	}
	if len(k.shapes) < mostShapes {
		k.shapes[key] = s
	} else {
		s.place = kubePlacement{Tolerations: []kubeToleration{{Operator: "Exists"}}}
		t.Remarks.Add(fmt.Sprintf("Jobs beyond %d different kinds of pods, which may run on any node", mostShapes), Fault{Place: j.at, Message: "Job " + j.name})
	}
	return s
}

// cores are those of the trace that so many thousandths need: at least one.
func (k *Kubernetes) cores(millis int64) int64 { return max(1, (millis+k.Unit-1)/k.Unit) }

// nodeRecord is the node of that name.
func (k *Kubernetes) nodeRecord(name string, at Place) *kubeNodeRecord {
	n, known := k.byNode[name]
	if !known {
		n = &kubeNodeRecord{name: name, at: at, held: kubeNeeds{}}
		k.byNode[name] = n
		k.nodes = append(k.nodes, n)
	}
	return n
}

// hold takes what a pod requests from the node.
func (n *kubeNodeRecord) hold(needs kubeNeeds) { n.held.merge(needs) }

func (k *Kubernetes) node(o *kubeObject) error {
	var spec kubeNodeSpec
	var status kubeNodeStatus
	if err := o.parts(&spec, &status); err != nil {
		return err
	}
	n := k.nodeRecord(string(o.Metadata.Name), o.at)
	n.told, n.at, n.labels, n.problem = true, o.at, o.Metadata.Labels, ""
	n.have = kubeNeeds{}
	if n.have.add(status.Allocatable); len(n.have) == 0 {
		n.have.add(status.Capacity)
	}
	for _, c := range status.Conditions {
		k.see(c.LastHeartbeatTime, c.LastTransitionTime)
		if c.Type == "Ready" && c.Status != "True" {
			n.problem = "is not ready"
		}
	}
	if spec.Unschedulable {
		n.problem = "is unschedulable"
	}
	n.taints = nil
	for _, taint := range spec.Taints {
		if taint.Effect == "NoSchedule" || taint.Effect == "NoExecute" {
			n.taints = append(n.taints, taint)
		}
	}
	return nil
}

// machines hands the nodes to the trace.
func (k *Kubernetes) machines(t *Trace) {
	var kept []*kubeNodeRecord
	for _, n := range k.nodes {
		left := func(name string) *big.Rat {
			v := new(big.Rat)
			if n.have[name] != nil {
				v.Set(n.have[name])
			}
			if n.held[name] != nil {
				v.Sub(v, n.held[name])
			}
			return v
		}
		cores := whole(left("cpu"), 1000) / k.Unit
		switch {
		case !n.told:
			continue
		case n.problem == "" && cores < 1:
			n.problem = fmt.Sprintf("has less than %dm of cpu left", k.Unit)
		}
		if n.problem != "" {
			t.Unusable.Add("nodes that take no pods", Fault{Place: n.at, Message: fmt.Sprintf("node %s %s", n.name, n.problem)})
			continue
		}
		m := Machine{Name: Name(n.name), Cores: cores, Memory: whole(left("memory"), 1)}
		for _, name := range slices.Sorted(maps.Keys(n.have)) {
			if name != "cpu" && name != "memory" && name != "pods" {
				m.Resources = append(m.Resources, Amount{Name: name, Units: whole(left(name), 1), Bytes: inBytes(name)})
			}
		}
		if len(n.taints) > 0 {
			t.Remarks.Add("nodes with taints, on which only Jobs run that tolerate them", Fault{Place: n.at, Message: fmt.Sprintf("node %s has %s", n.name, n.taints[0].Key)})
		}
		t.AddMachine(m)
		kept = append(kept, n)
	}
	k.nodes = kept
}

// whole is so many of an amount, rounded down; 0 below 0.
func whole(of *big.Rat, n int64) int64 {
	if of.Sign() <= 0 {
		return 0
	}
	up := times(of, n)
	if new(big.Rat).SetInt64(up).Cmp(new(big.Rat).Mul(of, new(big.Rat).SetInt64(n))) > 0 {
		up--
	}
	return up
}

// places finds the nodes of each shape of the jobs.
func (k *Kubernetes) places(t *Trace) {
	for _, n := range k.nodes {
		t.Host(Name(n.name)) // in the order of the files
	}
	for _, s := range k.shapes {
		if len(k.nodes) == 0 {
			continue
		}
		var hosts []Host
		for _, n := range k.nodes {
			if s.place.takes(n) {
				hosts = append(hosts, t.Host(Name(n.name)))
			}
		}
		if s.nowhere = len(hosts) == 0; len(hosts) < len(k.nodes) {
			s.hosts = hosts
		}
	}
}

// takes reports whether pods may be on a node.
func (p *kubePlacement) takes(n *kubeNodeRecord) bool {
	if p.NodeName != "" && string(p.NodeName) != n.name {
		return false
	}
	for key, value := range p.NodeSelector {
		if got, has := n.labels[key]; !has || got != value {
			return false
		}
	}
	for _, taint := range n.taints {
		if !slices.ContainsFunc(p.Tolerations, func(o kubeToleration) bool {
			return (o.Effect == "" || o.Effect == taint.Effect) &&
				(o.Operator == "Exists" && (o.Key == "" || o.Key == taint.Key) || o.Operator != "Exists" && o.Key == taint.Key && o.Value == taint.Value)
		}) {
			return false
		}
	}
	return len(p.Terms) == 0 || slices.ContainsFunc(p.Terms, func(term kubeTerm) bool { return term.takes(n) })
}

// takes reports whether a node meets all requirements of a term; one without any meets none.
func (term *kubeTerm) takes(n *kubeNodeRecord) bool {
	for _, r := range term.MatchExpressions {
		value, has := n.labels[string(r.Key)]
		if !r.holds(value, has) {
			return false
		}
	}
	for _, r := range term.MatchFields {
		if r.Key != "metadata.name" || !r.holds(Text(n.name), true) {
			return false
		}
	}
	return len(term.MatchExpressions)+len(term.MatchFields) > 0
}

// holds reports whether a label meets the requirement.
func (r *kubeRequirement) holds(value Text, has bool) bool {
	in := slices.Contains(r.Values, value)
	switch r.Operator {
	case "In":
		return has && in
	case "NotIn":
		return !has || !in
	case "Exists":
		return has
	case "DoesNotExist":
		return !has
	}
	if len(r.Values) != 1 || !has {
		return false
	}
	a, badLabel := strconv.ParseInt(string(value), 10, 64)
	b, badValue := strconv.ParseInt(string(r.Values[0]), 10, 64)
	return badLabel == nil && badValue == nil && (r.Operator == "Gt" && a > b || r.Operator == "Lt" && a < b)
}
