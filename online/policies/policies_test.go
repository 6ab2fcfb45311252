package policies

import (
	"slices"
	"strings"
	"testing"
)

// Every policy comes with its defaults, answers to its name, and is a value of
// its own each time.
func TestEveryPolicyComesByItsName(t *testing.T) {
	seen := map[string]bool{}
	for _, info := range List() {
		if seen[info.Name] {
			t.Errorf("%s is there twice", info.Name)
		}
		seen[info.Name] = true
		if info.About == "" || strings.HasSuffix(info.About, ".") {
			t.Errorf("%s: about is %q, want a line without a full stop", info.Name, info.About)
		}
		p, err := New(info.Name, 1)
		if err != nil {
			t.Errorf("New(%q): %v", info.Name, err)
			continue
		}
		if p.Name() != info.Name {
			t.Errorf("%s calls itself %s", info.Name, p.Name())
		}
		if again, _ := New(info.Name, 1); again == p {
			t.Errorf("New(%q) gave the same policy twice", info.Name)
		}
		for _, param := range info.Params {
			spec := info.Name + ":" + param.Name + "=" + param.Default
			if _, err := New(spec, 1); err != nil {
				t.Errorf("New(%q), which are the defaults: %v", spec, err)
			}
		}
	}
}

func TestNamesAreInOrder(t *testing.T) {
	names := Names()
	want := []string{"fifo", "fair", "edf", "llf", "wspt", "atc", "penn-edf-first", "penn-edf-best", "penn-llf-first"}
	if !slices.Equal(names[:len(want)], want) {
		t.Errorf("names begin %v, want %v", names[:len(want)], want)
	}
}

func TestFaultsNameWhatWasMeant(t *testing.T) {
	for spec, want := range map[string]string{
		"edv":        `unknown policy "edv", did you mean "edf"?`,
		"EDF":        `unknown policy "EDF", did you mean "edf"?`,
		"":           `unknown policy ""; there are: fifo, fair, edf, llf, wspt and `,
		"zzzzzzzzzz": `unknown policy "zzzzzzzzzz"; there are`,
		"fifo:":      `policy fifo: "" is not of the form parameter=value`,
		"fair:k=1":   `policy fair: it has no parameters, so none of the name "k"`,
		"edf:k=1":    `policy edf: unknown parameter "k"; there are: choice, feasible`,
		"atc:k=0":    `policy atc: k=0: want a number from 0.001 to 1000`,

		"maxweight:alpha=0.8":       `policy maxweight: alpha and gamma go together`,
		"maxweight:alpha=0,gamma=1": `policy maxweight: alpha=0: want a number from 1e-09 to 1e+09`,
		"maxweight:order=fiffo":     `policy maxweight: order=fiffo: want fair or fifo, did you mean "fifo"?`,

		"penn-swcet-bset":              `unknown policy "penn-swcet-bset", did you mean "penn-swcet-best"?`,
		"penn-densest-best:kk=1":       `policy penn-densest-best: unknown parameter "kk", did you mean "k"?`,
		"penn-density-best:delta=-0.1": `policy penn-density-best: delta=-0.1: want a number from 0 to 1e+09`,
	} {
		_, err := New(spec, 1)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.HasPrefix(want, "unknown policy") && strings.HasSuffix(want, "?") && err.Error() != want {
			t.Errorf("New(%q): %v\nwant it to begin with: %s", spec, err, want)
		}
	}
}

// trial is a policy of the test's own, with a parameter of each kind.
var trial = &Info{Name: "trial", Params: []Param{
	{Name: "share", Default: "0.5"}, {Name: "count", Default: "3"},
	{Name: "order", Default: "edf"}, {Name: "feedback", Default: "yes"},
}}

type trialValues struct {
	share    float64
	count    int
	order    string
	feedback bool
}

func readTrial(text string) (trialValues, error) {
	a := newArgs(trial, 1)
	if text != "" {
		a.read(text)
	}
	v := trialValues{a.real("share", 0, 1), a.whole("count", 1, 9), a.word("order", "edf", "fifo"), a.yesNo("feedback")}
	return v, a.err
}

func TestParameters(t *testing.T) {
	for text, want := range map[string]trialValues{
		"":                             {0.5, 3, "edf", true},
		"count=9":                      {0.5, 9, "edf", true},
		"feedback=no, order = fifo":    {0.5, 3, "fifo", false},
		"share=1e-1,count=1,order=edf": {0.1, 1, "edf", true},
	} {
		if got, err := readTrial(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"cuont=1":         `unknown parameter "cuont", did you mean "count"?`,
		"count=1,count=2": `count is given twice`,
		"count":           `"count" is not of the form parameter=value`,
		"count=10":        `count=10: want a whole number from 1 to 9`,
		"count=x":         `count=x: want a whole number from 1 to 9`,
		"share=NaN":       `share=NaN: want a number from 0 to 1`,
		"share=":          `share=: want a number from 0 to 1`,
		"order=fiffo":     `order=fiffo: want edf or fifo, did you mean "fifo"?`,
		"feedback=maybe":  `feedback=maybe: want yes or no`,
		"feedback=":       `feedback=: want yes or no`,
		"count=0,share=7": `share=7: want a number from 0 to 1`,
	} {
		if _, err := readTrial(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant: %s", text, err, want)
		}
	}
}
