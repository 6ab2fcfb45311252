package export

import (
	"fmt"
	"io"
	"strings"

	"downbeat/cmd/internal/tasklabel"
	"downbeat/cmd/internal/version"
	"downbeat/model"
)

// kubeScript is what starts the Jobs of a plan. All that is put into it are names that are safe and
// whole numbers, but for what comments say.
const kubeScript = `#!/bin/sh
# Starts the Jobs of a plan, each at its time, or as soon after as those that it comes after are
# complete. For the job set {set}; made by {version}.
# KUBECTL is what is called in place of kubectl, such as "kubectl --context night".
set -eu
kubectl=${KUBECTL:-kubectl}{namespace}

# start TIME JOBS STAGES: TIME in seconds since 1970
start() {
  now=$(date +%s)
  if [ "$1" -gt "$now" ]; then sleep $(($1 - now)); fi
  for stage in $3; do
    $kubectl wait --for=condition=complete --timeout=-1s job -l "downbeat/job-set={set},downbeat/stage=$stage"
  done
  for job in $2; do
    {action}
  done
}

`

// kubeCleanup deletes what an earlier plan has left that will not run, or has failed.
const kubeCleanup = `# What waits of an earlier plan, or has failed.
$kubectl get job -l 'downbeat/job-set=%s,downbeat/plan!=%d' -o 'go-template={{range .items}}{{$name := .metadata.name}}{{if .spec.suspend}}{{$name}}{{"\n"}}{{end}}{{range .status.conditions}}{{if and (eq .type "Failed") (eq .status "True")}}{{$name}}{{"\n"}}{{end}}{{end}}{{end}}' |
  while read -r job; do $kubectl delete job "$job" --ignore-not-found; done

`

// Script writes a shell script that un-suspends the Jobs of a plan or, with kueue, gives them their
// queue. It runs until the last has been started.
func (k *Kubernetes) Script(w io.Writer, c Clock, kueue bool) error {
	groups := k.groups(c, kueue)
	namespace, action := "", `$kubectl patch job "$job" --type=merge --patch '{"spec":{"suspend":false}}'`
	if k.Namespace != "" {
		namespace = "\nkubectl=\"$kubectl --namespace " + k.Namespace + "\""
	}
	if kueue {
		action = `$kubectl label job "$job" "` + kueueQueueLabel + "=" + k.Queue + `" --overwrite`
	}
	var b strings.Builder
	b.WriteString(strings.NewReplacer("{set}", tasklabel.Short(k.Digest), "{version}", version.Made(), "{namespace}", namespace, "{action}", action).Replace(kubeScript))
	if k.Now > 0 {
		fmt.Fprintf(&b, kubeCleanup, tasklabel.Short(k.Digest), k.Now)
	}
	type key struct {
		at    model.Time
		after string
	}
	var order []key
	jobs := map[key][]string{}
	for _, g := range groups {
		of := key{g.first, strings.Join(g.stage.after, " ")}
		if kueue {
			if of.at = c.JS.Jobs[g.stage.job].Release; of.at == 0 && of.after == "" {
				continue // it has its queue
			}
		}
		if jobs[of] == nil {
			order = append(order, of)
		}
		jobs[of] = append(jobs[of], g.name)
	}
	for _, of := range order {
		fmt.Fprintf(&b, "start %d \"%s\" \"%s\" & # %s\n", c.At(of.at).Unix(), strings.Join(jobs[of], " "), of.after, k.stamp(c, of.at))
	}
	b.WriteString("wait\n")
	_, err := io.WriteString(w, b.String())
	return err
}
