package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"downbeat/model"
)

// maxInput is more than any reader of files accepts: beyond it the rest is
// left unread, so that /dev/zero fails as a file that is too large.
const maxInput = 64<<20 + 1

// readInput reads a file, or standard input for "-", and says what to call it.
func (s *streams) readInput(path string) (name string, src []byte, err error) {
	name, in := path, s.in
	if path == "-" {
		name = "<stdin>"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return "", nil, fileError(path, err)
		}
		defer f.Close()
		in = f
	}
	src, err = io.ReadAll(io.LimitReader(in, maxInput))
	if errors.Is(err, errInterrupted) {
		return "", nil, err
	}
	if err != nil {
		return "", nil, fileError(name, err)
	}
	return name, src, nil
}

// fileError is a fault of a file that the user named.
func fileError(path string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return usagef("%s: %v", path, err)
}

// loadJobSet reads a job set from a file, or from standard input for "-".
func (s *streams) loadJobSet(path string) (*model.JobSet, error) {
	name, src, err := s.readInput(path)
	if err != nil {
		return nil, err
	}
	js, err := model.Load(name, src)
	return js, inputError(err)
}

// inputError makes the faults of a file a usage error; any other error stays
// what it is, an internal one.
func inputError(err error) error {
	var faults *model.Faults
	if errors.As(err, &faults) {
		return &usageError{faults}
	}
	return err
}

// checkTarget says early, before a long search, that a file cannot be written:
// its folder does not exist or takes no new files, it is a folder itself, or it
// is the input.
func (s *streams) checkTarget(path, input string) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil {
		return fileError(path, err)
	} else if !info.IsDir() {
		return usagef("%s: %s is not a folder", path, dir)
	}
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return usagef("%s is a folder", path)
		}
		in := s.inFile
		if input != "-" {
			in, _ = os.Stat(input) // nil where there is no such file
		}
		if in != nil && os.SameFile(info, in) {
			return usagef("%s is the input; name another file", path)
		}
	}
	f, err := createBeside(target(path))
	if err != nil {
		return fileError(path, err)
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return fileError(path, err)
	}
	return nil
}

// target is the file behind a link, so that a link stays a link.
func target(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// writeAtomically makes a file of what write writes, all of it or nothing: it
// goes to a new file in the same folder, which then takes the name.
func writeAtomically(path string, write func(io.Writer) error) (err error) {
	path = target(path)
	f, err := createBeside(path)
	if err != nil {
		return fileError(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return fileError(path, err)
	}
	if err := f.Sync(); err != nil {
		return fileError(path, err)
	}
	if err := f.Close(); err != nil {
		return fileError(path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return usagef("%s: %v", path, errors.Unwrap(err))
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
