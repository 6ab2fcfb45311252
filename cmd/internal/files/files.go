// Package files reads what a command is given and writes what it leaves.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/files/document"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/planfile"
	"downbeat/solve/memory"
)

// MaxInput, in bytes, is more than any reader of files accepts: beyond it the rest is
// left unread, so that /dev/zero fails as a file that is too large.
const MaxInput = planfile.MaxSize + 1

// read reads a file, or standard input for "-", and says what to call it.
func read(s *terminal.Streams, path string) (name string, src []byte, err error) {
	name, in := path, s.In
	if path == "-" {
		name = "<stdin>"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return "", nil, Error(path, err)
		}
		defer f.Close()
		in = f
	}
	src, err = io.ReadAll(io.LimitReader(in, MaxInput))
	if err != nil {
		return "", nil, Error(name, err)
	}
	return name, src, nil
}

// JobSets are the files with job sets that a path stands for: the path itself,
// or the .yaml, .yml and .json files in the folder that it names, or, where there are
// none, in the folders of that, in alphabetical order.
func JobSets(path string) ([]string, error) {
	endings := []string{".yaml", ".yml", ".json"}
	found, err := within(path, "job sets", endings...)
	if err == nil {
		return found, nil
	}
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if more, err := within(filepath.Join(path, e.Name()), "job sets", endings...); err == nil {
			found = append(found, more...)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, err
}

// Journals are the journals that a path stands for: the path itself, or the .jsonl files in the
// folder that it names.
func Journals(path string) ([]string, error) {
	return within(path, "journals", ".jsonl")
}

// within are the files in a folder that have one of these endings; a path to anything else
// stands for itself.
func within(path, noun string, endings ...string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, nil // whoever loads it says what is wrong
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if slices.Contains(endings, strings.ToLower(filepath.Ext(e.Name()))) && !e.IsDir() {
			found = append(found, filepath.Join(path, e.Name()))
		}
	}
	if len(found) == 0 {
		return nil, usage.Errorf("%s: no %s (%s) in this folder", path, noun, strings.Join(endings, ", "))
	}
	return found, nil
}

// Error is a fault of a file that the user named.
func Error(path string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return usage.Errorf("%s: %v", path, err)
}

// JobSet reads a job set from a file, or from standard input for "-", and passes notes
// on it to note, which may be nil. When ctx is done the answer is an error of package terminal.
func JobSet(ctx context.Context, s *terminal.Streams, path string, note func(format string, args ...any)) (*model.JobSet, error) {
	type noted struct {
		js    *model.JobSet
		notes []string
	}
	set, err := load(ctx, s, path, jobSetFile, func(name string, src []byte) (n noted, err error) {
		n.js, n.notes, err = jobfile.LoadNoted(name, src)
		return n, err
	})
	if note != nil {
		for _, n := range set.notes {
			note("%s", n)
		}
	}
	return set.js, err
}

// Plan reads a plan in the same way.
func Plan(ctx context.Context, s *terminal.Streams, path string) (*model.Plan, error) {
	return load(ctx, s, path, planFile, planfile.Read)
}

// Run reads what was executed of a job set in the same way.
func Run(ctx context.Context, s *terminal.Streams, path string, js *model.JobSet) (*planfile.Run, error) {
	return load(ctx, s, path, planFile, func(name string, src []byte) (*planfile.Run, error) { return planfile.ReadRun(name, src, js) })
}

func load[T any](ctx context.Context, s *terminal.Streams, path string, wanted kind, parse func(name string, src []byte) (T, error)) (T, error) {
	value, err := terminal.Until(ctx, func() (T, error) {
		name, src, err := read(s, path)
		if err != nil {
			var none T
			return none, err
		}
		value, err := parse(name, src)
		if err != nil {
			if other := mistaken(name, src, wanted); other != nil {
				err = other
			}
		}
		return value, Located(err)
	})
	return value, unread(path, err)
}

// unread names the file at which a limit ended the command.
func unread(path string, err error) error {
	if errors.As(err, new(terminal.TimeLimit)) || errors.As(err, new(memory.Reached)) {
		return fmt.Errorf("%s: %w before it was read", path, err)
	}
	return err
}

// Located makes what is wrong within a file a usage error; any other error
// stays what it is, an internal one.
func Located(err error) error {
	var faults *document.Faults
	if errors.As(err, &faults) {
		return usage.Located(faults)
	}
	return err
}

// CheckTarget says early, before a long search, that a file cannot be written:
// its folder does not exist or takes no new files, it is a folder itself, or it
// is the input.
func CheckTarget(s *terminal.Streams, path, input string) error {
	if path == standard {
		return usage.Errorf("- stands for standard output, which is taken; name a file")
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil {
		return Error(path, err)
	} else if !info.IsDir() {
		return usage.Errorf("%s: %s is not a folder", path, dir)
	}
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return usage.Errorf("%s is a folder", path)
		}
		in := s.InFile
		if input != "-" {
			in, _ = os.Stat(input) // nil where there is no such file
		}
		if in != nil && os.SameFile(info, in) {
			return usage.Errorf("%s is the input; name another file", path)
		}
		if !info.Mode().IsRegular() {
			return nil // see Write
		}
	}
	f, err := createBeside(target(path))
	if err != nil {
		return Error(path, err)
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return Error(path, err)
	}
	return nil
}

// target is the file behind a link, so that a link stays a link, also one to a file that
// is not there yet.
func target(path string) string {
	const most = 40 // links one after the other, as Linux has it
	for range most {
		behind, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(behind) {
			behind = filepath.Join(filepath.Dir(path), behind)
		}
		path = behind
	}
	return path
}

// standard is the name for standard input, and for standard output.
const standard = "-"

// ToStandard reports whether the result of a command that writes nothing else goes to standard
// output: no file is named, or -.
func ToStandard(path string) bool { return path == "" || path == standard }

// WriteResult writes the result of such a command to the file, or to standard output.
func WriteResult(s *terminal.Streams, path string, write func(io.Writer) error) error {
	if ToStandard(path) {
		return usage.Output(write(s.Out))
	}
	return Write(path, write)
}

// Write makes a file of what write writes, all of it or nothing: it
// goes to a new file in the same folder, which then takes the name. What is no file that could be
// replaced, such as /dev/null or a pipe, is written to as it is.
func Write(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeTo(path, write)
	}
	path = target(path)
	return writeAs(path, os.Rename, write)
}

// writeTo writes to a device or a pipe.
func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return Error(path, err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return Error(path, err)
	}
	return nil
}

// WriteOnce is Write where there is no such file yet; one that is there stays, which is no fault: of
// several processes one comes first.
func WriteOnce(path string, write func(io.Writer) error) error {
	return writeAs(path, func(from, to string) error {
		err := os.Link(from, to)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return os.Rename(from, to) // a file system without links
		}
		_ = os.Remove(from) // it is hidden, and taken for nothing
		return nil
	}, write)
}

// writeAs writes to a new file in the folder of path, which name then gives its name.
func writeAs(path string, name func(from, to string) error, write func(io.Writer) error) (err error) {
	f, err := createBeside(path)
	if err != nil {
		return Error(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return Error(path, err)
	}
	if err := f.Sync(); err != nil {
		return Error(path, err)
	}
	if err := f.Close(); err != nil {
		return Error(path, err)
	}
	if err := name(f.Name(), path); err != nil {
		return usage.Errorf("%s: %v", path, errors.Unwrap(err))
	}
	return nil
}

// createBeside makes a new file in the folder of path, with the permissions of
// any new file (os.CreateTemp would keep it from other users).
func createBeside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), try))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

// Stream has a file read as it comes, or standard input for "-"; what is wrong within it is a
// fault of the call. When ctx is done the answer is that of [terminal.Why], whether or not read
// heeds it.
func Stream[T any](ctx context.Context, s *terminal.Streams, path string, read func(context.Context, string, io.Reader) (T, error)) (T, error) {
	value, err := terminal.Until(ctx, func() (value T, err error) {
		name, in := "<stdin>", s.In
		if path != "-" {
			f, err := os.Open(path) // of a pipe that nobody writes to only when ctx is done
			if err != nil {
				return value, Error(path, err)
			}
			defer f.Close()
			name, in = path, f
		}
		if value, err = read(ctx, name, in); err != nil {
			err = usage.Located(err)
		}
		return value, err
	})
	if ctx.Err() != nil {
		var none T
		return none, unread(path, terminal.Why(ctx))
	}
	return value, err
}
