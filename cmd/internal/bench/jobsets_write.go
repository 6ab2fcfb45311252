package bench

import (
	"fmt"
	"io"
	"strings"

	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// WriteSet writes the job set of a set as a file, the set's ID and what wrote it above it.
func WriteSet(w io.Writer, id string, js *model.JobSet) error {
	if _, err := fmt.Fprintf(w, "# %s\n# made by %s\n", strings.Join(strings.Fields(id), " "), version.Made()); err != nil {
		return err
	}
	return jobfile.Write(w, js)
}

// maxFileName, in bytes, leaves room for an ending within what file systems take.
const maxFileName = 200

// FileNames are names for the files of sets, made of their IDs, all different, in the order of sets.
func FileNames(sets []Set) []string {
	taken := map[string]bool{}
	var out []string
	for _, s := range sets {
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(s.ID, ".yaml"), ".yml"), ".json")
		base = strings.Map(func(r rune) rune {
			if r < 0x20 || strings.ContainsRune(`/\:*?"<>|`, r) {
				return '-'
			}
			return r
		}, base)
		base = base[:min(len(base), maxFileName)]
		base = strings.TrimLeft(strings.ToValidUTF8(base, ""), ".-")
		name := base
		for n := 2; taken[strings.ToLower(name)] || name == ""; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[strings.ToLower(name)] = true
		out = append(out, name+".yaml")
	}
	return out
}
