package jobfile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Jobs are found where they begin, in YAML and JSON; a text that is no job set has none.
func TestPlaces(t *testing.T) {
	for src, want := range map[string]map[string]int{
		"version: 1\njobs:\n  - name: a\n    map: {}\n  # b\n  - {map: {}, name: b}\n": {"a": 3, "b": 6},
		"{\"version\": 1, \"jobs\": [\n{\"name\": \"a\"},\n{\"name\": \"b\"}]}":        {"a": 2, "b": 3},
		"jobs: {a: 1}\n": {},
		"jobs: [":        {},
		"":               {},
	} {
		if diff := cmp.Diff(want, Places([]byte(src))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
	}
}
