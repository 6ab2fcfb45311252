package policies

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"edf":                  {"edf"},
		"edf, llf":             {"edf", "llf"},
		"p:a=1,b=2,edf,q:c=3":  {"p:a=1,b=2", "edf", "q:c=3"},
		"edf,a=1":              {"edf", "a=1"},
		"edf, exec:a b=1,c ,d": {"edf", "exec:a b=1,c ,d"},
		"p:a=1,q:b=2,c=3,fifo": {"p:a=1", "q:b=2,c=3", "fifo"},
	} {
		if got := Split(text); !slices.Equal(got, want) {
			t.Errorf("%q gives %q", text, got)
		}
	}
}
