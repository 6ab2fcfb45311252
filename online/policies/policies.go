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
		return nil, fmt.Errorf("unknown policy %q%s; there are: %s",
			name, near.Clause(name, Names()), strings.Join(Names(), ", "))
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
