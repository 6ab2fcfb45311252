package peers

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/model"
)

// Load reads job sets: files as they are, and of folders the files that end in
// .yaml, .yml or .json, in the order of their names.
func Load(paths []string) ([]Set, error) {
	var sets []Set
	for _, path := range paths {
		files, err := filesOf(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			js, err := load(file)
			if err != nil {
				return nil, err
			}
			name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			sets = append(sets, Set{Name: name, File: file, JobSet: js})
		}
	}
	return sets, nil
}

func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path) // sorted by name
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no job sets (.yaml, .yml or .json)", path)
	}
	return files, nil
}

func load(file string) (*model.JobSet, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return model.Load(file, src)
}

// AnswerFile is [Answer] for the arguments that a process is given: a file, the
// limit and the number of workers.
func AnswerFile(ctx context.Context, w io.Writer, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("answer takes a file, a limit and a number of workers, got %q", args)
	}
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
	return Answer(ctx, w, js, limit, workers)
}
