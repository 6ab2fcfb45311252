package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"downbeat/cmd/internal/files"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
)

// Load reads job sets: files as they are, and of folders the files that end in
// .yaml, .yml or .json, in the order of their names. A path like
// family:tight-40:1-5 stands for sets of package gen, here with seeds 1 to 5,
// which Load writes to the folder made.
func Load(paths []string, made string) ([]Set, error) {
	var sets []Set
	for _, path := range paths {
		found, err := filesOf(path, made)
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			js, err := load(file)
			if err != nil {
				return nil, err
			}
			name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			sets = append(sets, Set{Name: name, File: file, JobSet: js, digest: shortDigest(js)})
		}
	}
	return sets, nil
}

// shortDigest is enough to tell that a set is not the one it was.
func shortDigest(js *model.JobSet) string {
	return strings.TrimPrefix(js.Digest(), "sha256:")[:12]
}

// familyPrefix begins a path that stands for generated sets.
const familyPrefix = "family:"

// makeSets writes the sets of a path without its prefix: a family, and a seed
// or the first and the last of several.
func makeSets(what, dir string) ([]string, error) {
	name, seeds, _ := strings.Cut(what, ":")
	from, to, isRange := strings.Cut(seeds, "-")
	if !isRange {
		to = from
	}
	first, err := strconv.ParseUint(from, 10, 32)
	last, err2 := strconv.ParseUint(to, 10, 32)
	if err != nil || err2 != nil || first > last {
		return nil, fmt.Errorf("%s%s: write a family and its seeds, as in %stight-40:1-5", familyPrefix, what, familyPrefix)
	}
	var files []string
	for seed := first; seed <= last; seed++ {
		js, _, err := gen.Family(name, seed)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, js.Name+".yaml")
		if err := writeSet(js, file); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func writeSet(js *model.JobSet, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(jobfile.Write(f, js), f.Close())
}

// sized matches the name of a set from a family with a size in its name.
var sized = regexp.MustCompile(`^(.+)-(\d+)-\d+$`)

// traitOf parts "tight-40-3" into tight and 40. The size is 0 where the name
// has none.
func traitOf(name string) (trait string, size int) {
	m := sized.FindStringSubmatch(name)
	if m == nil {
		return name, 0
	}
	size, _ = strconv.Atoi(m[2]) // 0 beyond what a number can be
	return m[1], size
}

func filesOf(path, made string) ([]string, error) {
	if what, ok := strings.CutPrefix(path, familyPrefix); ok {
		return makeSets(what, made)
	}
	return files.JobSets(path)
}

func load(file string) (*model.JobSet, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return jobfile.Load(file, src)
}

// AnswerFile is [Answer] for the arguments that a process is given: a file, the
// limit and the number of workers.
func AnswerFile(ctx context.Context, w io.Writer, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("answer takes a file, a limit and a number of workers, got %q", args)
	}
	started := time.Now()
	limit, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	js, err := load(args[0])
	if err != nil {
		return err
	}
	// The limit is for all of it, but none at all would mean without end.
	return Answer(ctx, w, js, max(time.Millisecond, limit-time.Since(started)), workers)
}
