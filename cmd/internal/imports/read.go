package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"downbeat/cmd/internal/usage"
	"downbeat/model/files/trace"
)

// Files are the files that paths stand for: each itself, or all in a folder and below it,
// in the order of their names with numbers in theirs. Hidden files, and those that Hadoop
// keeps beside others (.crc, _conf.xml, .summary), are none.
func Files(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if path == "-" || err != nil || !info.IsDir() {
			out = append(out, path)
			continue
		}
		var found []string
		err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			name := entry.Name()
			hidden := strings.HasPrefix(name, ".") && file != path
			switch {
			case err != nil:
				return err
			case entry.IsDir() && hidden:
				return fs.SkipDir
			case entry.IsDir(), hidden, beside(name):
				return nil
			}
			found = append(found, file)
			return nil
		})
		if err != nil {
			return nil, usage.Errorf("%s: %v", path, err)
		}
		if len(found) == 0 {
			return nil, usage.Errorf("%s: no files in this folder", path)
		}
		slices.SortFunc(found, naturally)
		out = append(out, found...)
	}
	return out, nil
}

// beside reports whether a file only goes with others.
func beside(name string) bool {
	for _, end := range []string{".crc", ".xml", ".summary", "README.md", "LICENSE", ".txt~", "_SUCCESS"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.HasPrefix(name, "appstatus_")
}

// naturally compares names with numbers in them: events_2 comes before events_10.
func naturally(a, b string) int {
	digits := func(s string) int {
		return len(s) - len(strings.TrimLeft(s, "0123456789"))
	}
	for a != "" && b != "" {
		if n, m := digits(a), digits(b); n > 0 && m > 0 {
			x, y := strings.TrimLeft(a[:n], "0"), strings.TrimLeft(b[:m], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[n:], b[m:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// Beginnings of files of our own, which need no import.
var (
	ownSet  = regexp.MustCompile(`(?m)^[ {]*"?cluster"?:`)
	ownPlan = regexp.MustCompile(`(?m)^[ {]*"?digest"?: "?sha256:`)
)

// unknownKind is the fault of a file whose kind is neither named nor known by its looks.
func unknownKind(name string, head []byte, kinds []Kind) error {
	switch {
	case ownSet.Match(head):
		return usage.Errorf("%s: this is a job set already; downbeat plan and the other commands read it as it is", name)
	case ownPlan.Match(head):
		return usage.Errorf("%s: this is a plan; downbeat show prints and draws it", name)
	}
	return usage.Errorf("%s looks like nothing that import knows; name its kind: %s", name, strings.Join(namesOf(kinds), ", "))
}

// Read reads files of a kind, or of the one that the first of them looks like where kind is
// nil, by the rules that readers need. Standard input is "-". Of several files those that
// cannot be read are counted; a single one is an error.
func Read(ctx context.Context, kind *Kind, files []string, stdin io.Reader, keep trace.Filter, r *Rules) (*trace.Trace, Kind, error) {
	return read(ctx, Kinds(), "import", kind, files, stdin, keep, r)
}

// read is Read among kinds, for the command of that name.
func read(ctx context.Context, kinds []Kind, command string, kind *Kind, files []string, stdin io.Reader, keep trace.Filter, r *Rules) (*trace.Trace, Kind, error) {
	t := trace.New(keep)
	var reader trace.Reader
	for _, path := range files {
		err := func() error {
			in, done, err := open(ctx, path, stdin)
			if err != nil {
				return err
			}
			defer done()
			guess, known := guess(kinds, in.Peek(HeadSize))
			switch {
			case kind == nil && !known:
				return unknownKind(in.Name, in.Peek(HeadSize), kinds)
			case kind == nil:
				kind = &guess
			}
			if reader == nil {
				reader = kind.reader(r)
				t.Filter.Ended = r.runs(*kind) == NextRuns
			}
			err = reader.Read(in, t)
			var fault *trace.Fault
			if len(files) > 1 && errors.As(err, &fault) {
				t.Unusable.Add("files that cannot be read, or not to their end", *fault)
				err = nil
			}
			if known && guess.Name != kind.Name {
				other := fmt.Sprintf("this looks like %s", guess.Title)
				advice := fmt.Sprintf("use: downbeat %s %s %s", command, guess.Name, in.Name)
				if err != nil && ctx.Err() == nil {
					return usage.Errorf("%s: %s; %s", in.Name, other, advice)
				}
				t.Remarks.Add("files that look like those of another kind", trace.Fault{Place: trace.Place{File: in.Name}, Message: other, Advice: advice})
			}
			return located(err)
		}()
		if err != nil {
			return nil, Kind{}, err
		}
	}
	reader.Close(t)
	return t, *kind, nil
}

// open opens a file.
func open(ctx context.Context, path string, stdin io.Reader) (in *trace.Input, done func() error, err error) {
	name, from := path, stdin
	done = func() error { return nil }
	if path == "-" {
		name = "<stdin>"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, fileError(path, err)
		}
		from, done = f, f.Close
	}
	in, err = trace.NewInput(ctx, name, from)
	if err != nil {
		done()
		return nil, nil, located(err)
	}
	return in, done, nil
}

func fileError(path string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return usage.Errorf("%s: %v", path, err)
}

// located makes a fault of a file one of the call.
func located(err error) error {
	var fault *trace.Fault
	if errors.As(err, &fault) {
		return usage.Located(fault)
	}
	return err
}

// Strict is the fault of a trace in which something could not be used; nil where all was.
func Strict(t *trace.Trace) error {
	if t.Unusable.Count() == 0 {
		return nil
	}
	var lines []string
	for _, k := range t.Unusable.Kinds {
		lines = append(lines, k.First.Error())
		if k.Count > 1 {
			lines = append(lines, fmt.Sprintf("%s: and %d more %s", k.First.File, k.Count-1, k.What))
		}
	}
	return usage.Located(errors.New(strings.Join(lines, "\n")))
}

// PodTemplates are those of the Jobs and CronJobs in a file of kubectl's, with notes of what could not
// be read.
func PodTemplates(ctx context.Context, path string) ([]trace.PodTemplate, []string, error) {
	in, done, err := open(ctx, path, nil)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	t := trace.New(trace.Everything)
	out, err := trace.PodTemplates(in, t)
	if err != nil {
		return nil, nil, located(err)
	}
	var notes []string
	for _, k := range t.Unusable.Kinds {
		notes = append(notes, fmt.Sprintf("left out: %s (%d); the first: %s", k.What, k.Count, k.First.String()))
	}
	return out, notes, nil
}
