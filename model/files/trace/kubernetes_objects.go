package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// The objects of the Kubernetes API, as far as they are read
// (https://kubernetes.io/docs/reference/kubernetes-api/, https://kueue.sigs.k8s.io/docs/reference/).

// kubeObject is any object; what its spec and status hold depends on its kind.
type kubeObject struct {
	Kind         Text
	Metadata     kubeMeta
	Spec, Status json.RawMessage
	at           Place
}

type kubeMeta struct {
	Name, Namespace     Text
	CreationTimestamp   kubeTime
	Labels, Annotations map[string]Text
	OwnerReferences     []struct{ Kind, Name Text }
}

// owner is the name of the owner of that kind, empty where there is none.
func (m *kubeMeta) owner(kind Text) string {
	for _, o := range m.OwnerReferences {
		if o.Kind == kind {
			return string(o.Name)
		}
	}
	return ""
}

// kubeTime is a point in time in milliseconds since 1970, 0 where it is not told.
type kubeTime int64

// UnmarshalJSON never fails.
func (t *kubeTime) UnmarshalJSON(src []byte) error {
	var text Text
	_ = text.UnmarshalJSON(src) // it never fails
	at, err := time.Parse(time.RFC3339, string(text))
	if *t = 0; err == nil && at.Year() >= 1970 {
		*t = kubeTime(at.UnixMilli())
	}
	return nil
}

// known is the time, or Unknown.
func (t kubeTime) known() int64 {
	if t == 0 {
		return Unknown
	}
	return int64(t)
}

type kubeQuantities map[string]quantity

type kubePodSpec struct {
	Containers, InitContainers []kubeContainer
	Overhead                   kubeQuantities
	Resources                  *kubeResources
	NodeName                   Text
	NodeSelector               map[string]Text
	Tolerations                []kubeToleration
	Affinity                   struct {
		NodeAffinity struct {
			Required struct {
				NodeSelectorTerms []kubeTerm
			} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
		}
		PodAffinity, PodAntiAffinity json.RawMessage
	}
	TopologySpreadConstraints []json.RawMessage
	PriorityClassName         Text
	ActiveDeadlineSeconds     Int
}

type kubeContainer struct {
	Resources     kubeResources
	RestartPolicy Text
}

type kubeResources struct{ Requests, Limits kubeQuantities }

type kubeToleration struct{ Key, Operator, Value, Effect Text }

type kubeTerm struct{ MatchExpressions, MatchFields []kubeRequirement }

type kubeRequirement struct {
	Key, Operator Text
	Values        []Text
}

type kubeJobSpec struct {
	Completions, Parallelism, ActiveDeadlineSeconds Int
	CompletionMode                                  Text
	Suspend                                         bool
	Template                                        kubeTemplate
}

type kubeTemplate struct {
	Metadata kubeMeta
	Spec     kubePodSpec
}

type kubeJobStatus struct {
	StartTime, CompletionTime kubeTime
	Conditions                []kubeCondition
}

type kubeCondition struct {
	Type, Status                          Text
	LastTransitionTime, LastHeartbeatTime kubeTime
}

type kubeCronSpec struct {
	Schedule, TimeZone, ConcurrencyPolicy Text
	Suspend                               bool
	JobTemplate                           struct {
		Metadata kubeMeta
		Spec     kubeJobSpec
	}
}

type kubePodStatus struct {
	Phase             Text
	StartTime         kubeTime
	ContainerStatuses []struct {
		State struct {
			Terminated *struct{ FinishedAt kubeTime }
		}
	}
	Conditions []kubeCondition
}

type kubeNodeSpec struct {
	Unschedulable bool
	Taints        []struct{ Key, Value, Effect Text }
}

type kubeNodeStatus struct {
	Allocatable, Capacity kubeQuantities
	Conditions            []kubeCondition
}

type kubeQueueSpec struct {
	Cohort, CohortName Text
	ResourceGroups     []struct {
		Flavors []struct {
			Resources []struct {
				Name                         Text
				NominalQuota, BorrowingLimit quantity
			}
		}
	}
}

type kubeLocalQueueSpec struct{ ClusterQueue Text }

type kubeWorkloadSpec struct {
	PriorityClassName Text
	PriorityClassRef  struct{ Name Text }
}

// kubeObjects reads the objects of a file, in JSON or YAML: a list with items, or objects one after
// the other. take gets each; what is none is counted.
func kubeObjects(in *Input, t *Trace, take func(*kubeObject) error) error {
	read := func(o *kubeObject) error {
		if o.Kind == "" || o.Metadata.Name == "" {
			t.Unusable.Add("objects without a kind and a name", Fault{Place: o.at, Message: "an object without a kind and a name", Advice: "save what kubectl get -o json prints"})
			return nil
		}
		return take(o)
	}
	if head := bytes.TrimLeft(in.Peek(512), " \t\r\n"); len(head) > 0 && head[0] != '{' && head[0] != '[' {
		return kubeYAML(in, t, read)
	}
	const advice = "save what kubectl get jobs,cronjobs,pods,nodes -o json prints"
	return in.Values(t, "Kubernetes object", advice, func(d *JSON) error {
		o := kubeObject{at: d.Place()}
		list := false
		err := d.Object("an object of the file", func(name string) error {
			switch name {
			case "items":
				list = true
				kind := strings.TrimSuffix(string(o.Kind), "List")
				return d.Array(name, func() error {
					item := kubeObject{at: d.Place()}
					err := d.Decode(&item)
					if item.Kind == "" {
						item.Kind = Text(kind) // lists of one kind leave it out
					}
					if err == nil {
						err = read(&item)
					}
					return t.PassOver("objects that cannot be used", err)
				})
			case "object": // of an event, as kubectl get --output-watch-events prints it
				return d.Decode(&o)
			case "kind":
				return d.Decode(&o.Kind)
			case "metadata":
				return d.Decode(&o.Metadata)
			case "spec":
				return d.Decode(&o.Spec)
			case "status":
				return d.Decode(&o.Status)
			}
			return d.Skip()
		})
		if err != nil || list {
			return err
		}
		return read(&o)
	})
}

// mostYAML is the largest file in YAML: it is in memory as a whole.
const mostYAML = 16 << 20

// kubeYAML reads objects from documents in YAML.
func kubeYAML(in *Input, t *Trace, read func(*kubeObject) error) error {
	var text bytes.Buffer
	for text.Len() <= mostYAML {
		part := in.Bytes(1 << 20)
		if len(part) == 0 {
			break
		}
		text.Write(part)
	}
	whole := Place{File: in.Name, Line: 1, Column: 1}
	switch err := in.Err(); {
	case err != nil:
		return err
	case text.Len() > mostYAML:
		return &Fault{Place: whole, Message: fmt.Sprintf("the file has more than %d MB of YAML", mostYAML>>20), Advice: "save it as JSON (-o json), which is read piece by piece"}
	}
	documents := yaml.NewDecoder(&text)
	for found := false; ; found = true {
		var doc yaml.Node
		switch err := documents.Decode(&doc); {
		case errors.Is(err, io.EOF) && found:
			return nil
		case errors.Is(err, io.EOF):
			f := in.Empty("Kubernetes object", "save what kubectl get jobs,cronjobs,pods,nodes -o yaml prints")
			return &f
		case err != nil:
			return &Fault{Place: whole, Message: "not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
		}
		if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
			continue // nothing between two lines of dashes
		}
		for _, n := range kubeItems(doc.Content[0]) {
			o := kubeObject{at: Place{in.Name, n.Line, n.Column}}
			if err := t.PassOver("objects that cannot be used", kubeNode(n, &o, read)); err != nil {
				return err
			}
		}
	}
}

// kubeItems are the items of a list, or the object itself.
func kubeItems(n *yaml.Node) []*yaml.Node {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == "items" && n.Content[i+1].Kind == yaml.SequenceNode {
			return n.Content[i+1].Content
		}
	}
	return []*yaml.Node{n}
}

// kubeNode reads an object from its YAML by way of JSON.
func kubeNode(n *yaml.Node, o *kubeObject, read func(*kubeObject) error) error {
	wrong := func(message string) error { return &WrongShape{Fault{Place: o.at, Message: message}} }
	var any map[string]any
	if err := n.Decode(&any); err != nil {
		_, reason, several := strings.Cut(err.Error(), "\n")
		if !several {
			reason = strings.TrimPrefix(err.Error(), "yaml: ")
		}
		return wrong("it is no object: " + document.Shorten(strings.TrimSpace(reason)))
	}
	text, err := json.Marshal(any)
	if err != nil {
		return wrong("it has keys that are no texts")
	}
	if err := Unmarshal(text, o); err != nil {
		return wrong(err.Error())
	}
	return read(o)
}

// part reads the spec or the status of an object.
func (o *kubeObject) part(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := Unmarshal(raw, v); err != nil {
		return &WrongShape{Fault{Place: o.at, Message: fmt.Sprintf("%s %s: %v", o.Kind, document.Shorten(string(o.Metadata.Name)), err)}}
	}
	return nil
}

// parts reads what the object is to be, and what it has come to.
func (o *kubeObject) parts(spec, status any) error {
	if err := o.part(o.Spec, spec); err != nil {
		return err
	}
	return o.part(o.Status, status)
}
