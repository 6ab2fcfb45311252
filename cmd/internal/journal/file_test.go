package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

type note struct {
	Set  string `json:"set"`
	Jobs int    `json:"jobs"`
}

// written is a file of three lines.
func written(t *testing.T) (path string, src []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "j.jsonl")
	f, err := Open(path, Contents{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := f.Add(note{fmt.Sprint("s", i), i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	src, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, src
}

// The form of a line is what other programs rely on.
func TestForm(t *testing.T) {
	line, err := Encode(note{"a", 2})
	if want := `{"set":"a","jobs":2,"crc32c":"471b61e6"}` + "\n"; err != nil || string(line) != want {
		t.Errorf("%s, %v; want %s", line, err, want)
	}
	if _, err := Encode(note.String); err == nil {
		t.Error("what is no JSON is taken")
	}
}

func (n note) String() string { return n.Set }

// No change of one byte within a line goes unseen, be it lost, altered or added, and the place
// is told; a last line without its end is left out.
func TestEveryChangeIsSeen(t *testing.T) {
	path, src := written(t)
	lines := bytes.SplitAfter(src, []byte("\n"))
	second := len(lines[0])
	for at := second; at < second+len(lines[1])-1; at++ {
		for _, changed := range [][]byte{
			append(bytes.Clone(src[:at]), src[at+1:]...),
			append(append(bytes.Clone(src[:at]), src[at]^1), src[at+1:]...),
			append(append(bytes.Clone(src[:at]), ' '), src[at:]...),
		} {
			c, err := parse(path, changed)
			var fault *Fault
			if !errors.As(err, &fault) || fault.Line != 2 || fault.File != path || len(c.Lines) < 1 {
				t.Fatalf("byte %d of the second line: %v, %d lines", at-second, err, len(c.Lines))
			}
		}
	}
	for cut := range len(src) {
		c, err := parse(path, src[:cut])
		whole := bytes.Count(src[:cut], []byte("\n"))
		torn := 0
		if cut > 0 && src[cut-1] != '\n' {
			torn = whole + 1
		}
		if err != nil || len(c.Lines) != whole || c.Torn != torn {
			t.Fatalf("cut at %d: %d lines, torn %d, %v", cut, len(c.Lines), c.Torn, err)
		}
	}
}

// A torn line is cut off before the next one is added; damage is told with its place.
func TestOpenMends(t *testing.T) {
	path, src := written(t)
	if err := os.WriteFile(path, src[:len(src)-4], 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := Read(path)
	if err != nil || len(c.Lines) != 2 || c.Torn != 3 {
		t.Fatal(c, err)
	}
	f, err := Open(path, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Add(note{"s2", 2}), f.Close()); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, src) {
		t.Errorf("it holds %s, %v", now, err)
	}
	damaged := bytes.Replace(src, []byte("s1"), []byte("s7"), 1)
	if err := os.WriteFile(path, damaged, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Read(path)
	if want := path + ":2: the line was cut off or altered: its checksum does not fit"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// Of a file that is none of ours not every line is told.
func TestOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(path, bytes.Repeat([]byte("milk\n"), 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Read(path)
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != maxFaults {
		t.Errorf("got %v", err)
	}
	for _, path := range []string{t.TempDir(), os.DevNull} {
		if _, err := Read(path); !errors.Is(err, ErrNoFile) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none", "j"), Contents{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	var none *File
	if err := errors.Join(none.Add(note{}), none.Close()); err != nil {
		t.Error(err)
	}
}
