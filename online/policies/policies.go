// Package policies knows every online scheduler by its name on the command
// line, and makes them.
//
// A new one is an entry of laterEntries (later.go).
package policies

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model/near"
	"downbeat/online"
	"downbeat/online/external"
	"downbeat/online/horizon"
)

// Table lists the policies that there are with what they get from elsewhere. The zero
// Table has those that need nothing.
type Table struct {
	// Plan is what horizon plans with; nil: there is no horizon.
	Plan horizon.Planner
}

// List is [Table.List] of the zero Table.
func List() []Info { return Table{}.List() }

// Names is [Table.Names] of the zero Table.
func Names() []string { return Table{}.Names() }

// New is [Table.New] of the zero Table.
func New(spec string, seed uint64) (online.Policy, error) { return Table{}.New(spec, seed) }

// List describes all policies, in the order of [Table.Names].
func (t Table) List() []Info {
	var out []Info
	for _, e := range t.entries() {
		out = append(out, e.Info)
	}
	return out
}

// Names lists all policies: the simple ones first, then paper by paper.
func (t Table) Names() []string {
	var out []string
	for _, e := range t.entries() {
		out = append(out, e.Name)
	}
	return out
}

// UnknownError says that no policy has a name, and which ones there are.
type UnknownError struct {
	Name  string
	Known []string
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown policy %q%s", e.Name, near.Hint(e.Name, e.Known))
}

// New makes the policy that spec names, "name" or
// "name:param=value,param=value", fit for one run. seed is for policies that
// draw lots; the same seed gives the same policy. Errors, one of them
// [*UnknownError], say what is wrong with spec and name what may have been meant.
func (t Table) New(spec string, seed uint64) (online.Policy, error) {
	name, rest, colon := strings.Cut(spec, ":")
	all := t.entries()
	at := slices.IndexFunc(all, func(e entry) bool { return e.Name == name })
	if at < 0 {
		return nil, &UnknownError{name, t.Names()}
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

// entries lists all policies in the order in which to show them.
func (t Table) entries() []entry {
	return slices.Concat(
		basicEntries(),
		pennEntries(),
		rtmrEntries(),
		maxWeightEntries(),
		rdsEntries(),
		laterEntries(),
		t.horizonEntries(),
	)
}

// Split takes a list with commas between policies apart; the commas
// within a policy's parameters ("penn:delta=1,k=2") part none, nor those of a command,
// which goes on to the end ("fifo,exec:my policy 1,2"). Policies may have labels
// ("mine=exec:my policy"); what has no colon after a policy with parameters is one of these.
func Split(text string) []string {
	var out []string
	for rest, more := text, true; more; {
		var part string
		if _, spec := external.Label(strings.TrimSpace(rest)); strings.HasPrefix(spec, external.Prefix) {
			part, more = rest, false
		} else {
			part, rest, more = strings.Cut(rest, ",")
		}
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
