package present

import (
	"fmt"
	"path"
	"strings"

	"downbeat/cmd/internal/version"

	"gopkg.in/yaml.v3"
)

// The few objects and fields of the Kubernetes API that a sweep needs
// (https://kubernetes.io/docs/reference/kubernetes-api/).

type object struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   metadata `yaml:"metadata"`
	Spec       any      `yaml:"spec"`
}

type metadata struct {
	Name string `yaml:"name"`
}

type claimSpec struct {
	AccessModes []string  `yaml:"accessModes"`
	Resources   resources `yaml:"resources"`
}

type resources struct {
	Requests map[string]string `yaml:"requests"`
}

type jobSpec struct {
	Completions          int            `yaml:"completions"`
	Parallelism          int            `yaml:"parallelism"`
	CompletionMode       string         `yaml:"completionMode"`
	Suspend              bool           `yaml:"suspend,omitempty"`
	BackoffLimit         *int           `yaml:"backoffLimit,omitempty"`
	BackoffLimitPerIndex *int           `yaml:"backoffLimitPerIndex,omitempty"`
	MaxFailedIndexes     int            `yaml:"maxFailedIndexes,omitempty"`
	PodReplacementPolicy string         `yaml:"podReplacementPolicy"`
	PodFailurePolicy     *failurePolicy `yaml:"podFailurePolicy,omitempty"`
	Template             podTemplate    `yaml:"template"`
}

type failurePolicy struct {
	Rules []failureRule `yaml:"rules"`
}

type failureRule struct {
	Action          string         `yaml:"action"`
	OnPodConditions []podCondition `yaml:"onPodConditions,omitempty"`
	OnExitCodes     *exitCodes     `yaml:"onExitCodes,omitempty"`
}

type podCondition struct {
	Type   string `yaml:"type"`
	Status string `yaml:"status"`
}

type exitCodes struct {
	Operator string `yaml:"operator"`
	Values   []int  `yaml:"values"`
}

type podTemplate struct {
	Spec podSpec `yaml:"spec"`
}

type podSpec struct {
	RestartPolicy   string      `yaml:"restartPolicy"`
	SecurityContext security    `yaml:"securityContext"`
	Containers      []container `yaml:"containers"`
	Volumes         []volume    `yaml:"volumes"`
}

type security struct {
	FSGroup int `yaml:"fsGroup"`
}

type container struct {
	Name         string    `yaml:"name"`
	Image        string    `yaml:"image"`
	Args         []string  `yaml:"args"`
	WorkingDir   string    `yaml:"workingDir"`
	Resources    resources `yaml:"resources"`
	VolumeMounts []mount   `yaml:"volumeMounts"`
}

type mount struct {
	Name      string `yaml:"name"`
	MountPath string `yaml:"mountPath"`
}

type volume struct {
	Name                  string `yaml:"name"`
	PersistentVolumeClaim claim  `yaml:"persistentVolumeClaim"`
}

type claim struct {
	ClaimName string `yaml:"claimName"`
}

const (
	// mounted is where containers have the volume.
	mounted = "/sweep"
	// retries is how often a shard may fail by itself.
	retries = 5
	// nobody is the user and the group of the image that Containerfile makes; the volume is to
	// be writable to the group.
	nobody = 65534
	// index is the variable with the number of a shard, from 0 on.
	index = "$(JOB_COMPLETION_INDEX)"
)

// story precedes the manifest.
const story = `# A bench of downbeat in {shards} shards: an Indexed Job, its volume, and the report, suspended.
# Made by {version}.
#
#   kubectl apply -f THIS
#   kubectl get --watch job/{name}      # until it is Complete, or Failed
#   kubectl patch job/{name}-report --patch '{"spec":{"suspend":false}}'
#   kubectl logs --follow job/{name}-report
#
# Each shard keeps a journal on the volume, which has to be one that all nodes can write; a pod
# that was killed or evicted goes on from there. The report tells what is missing, and its exit
# code is 3 then: delete both jobs, not the volume, and apply this again. Files that the bench
# reads have to be on the volume, by the same names.
`

// Kubernetes is the manifest of the sweep.
func (s *Script) Kubernetes() (string, error) {
	name := s.name()
	limit, none := retries, 0
	var b strings.Builder
	b.WriteString(strings.NewReplacer("{version}", version.Made(), "{shards}", fmt.Sprint(s.Shards), "{name}", name).Replace(story))
	out := yaml.NewEncoder(&b)
	out.SetIndent(2)
	for _, o := range []object{
		{"v1", "PersistentVolumeClaim", metadata{name}, claimSpec{
			AccessModes: []string{"ReadWriteMany"}, Resources: resources{map[string]string{"storage": "1Gi"}},
		}},
		{"batch/v1", "Job", metadata{name}, jobSpec{
			Completions: s.Shards, Parallelism: s.Shards, CompletionMode: "Indexed",
			BackoffLimitPerIndex: &limit, MaxFailedIndexes: s.Shards,
			// Never two pods at one journal.
			PodReplacementPolicy: "Failed",
			PodFailurePolicy: &failurePolicy{[]failureRule{
				{Action: "Ignore", OnPodConditions: []podCondition{{"DisruptionTarget", "True"}}},
				// Bad usage or input, or a fault of downbeat: it would be the same again.
				{Action: "FailIndex", OnExitCodes: &exitCodes{"In", []int{2, 70}}},
			}},
			Template: s.pod(append(append([]string{"bench"}, s.Bench...), fmt.Sprintf("--workers=%d", s.Workers)), s.Workers,
				fmt.Sprintf("--shard=%s/%d", index, s.Shards), "--resume=shard-"+index+".jsonl"),
		}},
		{"batch/v1", "Job", metadata{name + "-report"}, jobSpec{
			Completions: 1, Parallelism: 1, CompletionMode: "NonIndexed", Suspend: true, BackoffLimit: &none,
			PodReplacementPolicy: "Failed",
			Template:             s.pod(append([]string{"bench", "report"}, s.Report...), 1, "."),
		}},
	} {
		if err := out.Encode(o); err != nil {
			return "", err
		}
	}
	if err := out.Close(); err != nil {
		return "", err
	}
	return b.String(), nil
}

// pod runs downbeat with these arguments, and with some in which variables stand.
func (s *Script) pod(args []string, cpus int, variable ...string) podTemplate {
	var all []string
	for _, a := range args {
		all = append(all, strings.ReplaceAll(a, "$(", "$$(")) // else a variable
	}
	return podTemplate{podSpec{
		RestartPolicy:   "Never",
		SecurityContext: security{nobody},
		Containers: []container{{
			Name: "downbeat", Image: s.Image, Args: append(all, variable...), WorkingDir: mounted,
			Resources:    resources{map[string]string{"cpu": fmt.Sprint(cpus)}},
			VolumeMounts: []mount{{"sweep", mounted}},
		}},
		Volumes: []volume{{"sweep", claim{s.name()}}},
	}}
}

// name is that of the objects: letters, digits and dashes.
func (s *Script) name() string {
	base := strings.ToLower(path.Base(path.Clean(s.Folder)))
	base = strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, base), "-")
	if base == "" {
		return "downbeat"
	}
	return "downbeat-" + base[:min(len(base), 40)]
}
