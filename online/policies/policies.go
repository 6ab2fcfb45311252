// Package policies knows every online scheduler by its name on the command
// line, and makes them.
//
// A new one is a line in [table].
package policies

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model/near"
	"downbeat/online"
	"downbeat/online/basic"
)

// List describes all policies, in the order of [Names].
func List() []Info {
	var out []Info
	for _, e := range table() {
		out = append(out, e.Info)
	}
	return out
}

// Names lists all policies: the simple ones first, then paper by paper.
func Names() []string {
	var out []string
	for _, e := range table() {
		out = append(out, e.Name)
	}
	return out
}

// New makes the policy that spec names, "name" or
// "name:param=value,param=value", fit for one run. seed is for policies that
// draw lots; the same seed gives the same policy. Errors say what is wrong
// with spec and name what may have been meant.
func New(spec string, seed uint64) (online.Policy, error) {
	name, rest, colon := strings.Cut(spec, ":")
	all := table()
	at := slices.IndexFunc(all, func(e entry) bool { return e.Name == name })
	if at < 0 {
		if meant := near.Clause(name, Names()); meant != "" {
			return nil, fmt.Errorf("unknown policy %q%s", name, meant)
		}
		return nil, fmt.Errorf("unknown policy %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	a := newArgs(&all[at].Info, seed)
	if colon {
		a.read(rest)
	}
	p := all[at].build(a)
	if a.err != nil {
		return nil, fmt.Errorf("policy %s: %w", name, a.err)
	}
	return p, nil
}

// table lists all policies in the order in which to show them.
func table() []entry {
	return slices.Concat(
		[]entry{
			plain("fifo", "jobs in the order of release, as Hadoop does by default", basic.FIFO),
			plain("fair", "the job with the fewest running tasks for its weight", basic.Fair),
			plain("edf", "the job with the earliest deadline", basic.EDF),
			plain("llf", "the job with the least laxity", basic.LLF),
		},
		pennEntries(),
		rtmrEntries(),
		maxWeightEntries(),
		rdsEntries(),
	)
}

// Split takes a list with commas between policies apart; the commas
// within a policy's parameters ("penn:delta=1,k=2") part none.
func Split(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		n := len(out)
		isParameter := strings.Contains(part, "=") && !strings.Contains(part, ":")
		if n > 0 && isParameter && strings.Contains(out[n-1], ":") {
			out[n-1] += "," + part
			continue
		}
		out = append(out, part)
	}
	return out
}
