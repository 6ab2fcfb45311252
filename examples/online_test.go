package examples

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/policies"
)

// onlineLine is a claim on what an online policy makes of a job set, at
// worst-case times with seed 1.
var onlineLine = regexp.MustCompile(`(?m)^# online \((\S+)\): (.+)$`)

// Online policies do what the examples say.
func TestOnline(t *testing.T) {
	claims := 0
	for _, name := range files(t) {
		text := read(t, name)
		js := load(t, name, text)
		found := onlineLine.FindAllStringSubmatch(text, -1)
		if like := strings.Count(text, "\n# online"); like != len(found) {
			t.Errorf("%s: %d lines begin like claims on policies, %d are", name, like, len(found))
		}
		for _, m := range found {
			claims++
			p, err := policies.New(m[1], 1)
			if err != nil {
				t.Fatal(err)
			}
			out, err := online.Play(t.Context(), js, p, online.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := played(js, out); got != m[2] {
				t.Errorf("%s: under %s %s; the file says %s", name, m[1], got, m[2])
			}
		}
	}
	if claims == 0 {
		t.Error("no example says what a policy does")
	}
}

// played is an outcome in the words of the claims.
func played(js *model.JobSet, out *online.Outcome) string {
	var parts []string
	for i := range js.Jobs {
		job := &js.Jobs[i]
		switch late := job.Late(out.Finishes[i]); {
		case out.Finishes[i] == model.Never:
			parts = append(parts, job.Name+" rejected")
		case late > 0:
			parts = append(parts, fmt.Sprintf("%s late by %d", job.Name, late))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "all in time")
	}
	for _, o := range js.Goal() {
		parts = append(parts, fmt.Sprintf("%s %d", o, out.Value(o)))
	}
	return strings.Join(parts, ", ")
}
