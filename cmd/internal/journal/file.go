// Package journal keeps what commands have come to, so that they can go on after they were ended,
// and so that several processes can share the work: files of JSON lines to which a program adds
// as it works ([File]), which parts of the work a process does ([Shard]), and pieces of work that
// are kept by name ([Pieces]).
//
// Each line carries a checksum: what was cut off or altered since is told with its place, not
// taken for a result. A line is a JSON object whose last member is the checksum, the CRC-32C
// (Castagnoli) in eight hexadecimal digits of the line as it would be without that member:
//
//	{"set":"tiny:seed=1","jobs":2,"crc32c":"5a1c09fe"}
//
// Lines stand by themselves, so that files may be put together with cat. A line that was
// taken out as a whole leaves no trace: its work counts as not done.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"time"
)

// Line is one line as it was written.
type Line struct {
	// Number counts from 1.
	Number int
	// JSON is the object, its checksum included.
	JSON []byte
}

// Contents are the lines of a file.
type Contents struct {
	Lines []Line
	// Torn is the number of a last line that has no end, 0 if there is none: it was being
	// written when the program or the machine went down. It is not among Lines.
	Torn int
	// Rest is that line, as far as it goes.
	Rest []byte
	// whole is the length in bytes of the lines before it.
	whole int64
}

// Fault is a line that is not as it was written.
type Fault struct {
	File string
	Line int
	Text string
}

// Error is file:line: text.
func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text) }

// maxFaults is how many faults of a file are told.
const maxFaults = 20

// ErrNoFile says that a path leads to something that cannot be a journal: a device could be
// read for ever.
var ErrNoFile = errors.New("a journal is a regular file")

// Read reads a file. Its lines are those whose checksums fit; the error joins up to 20
// *Fault, is ErrNoFile, or the file system's.
func Read(path string) (Contents, error) {
	if info, err := os.Stat(path); err != nil {
		return Contents{}, err
	} else if !info.Mode().IsRegular() {
		return Contents{}, ErrNoFile
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return Contents{}, err
	}
	return parse(path, src)
}

// Mismatch says that a journal is not what it was taken for: it is of another call, or of
// another program. It is left as it was.
type Mismatch struct{ Text string }

// Error implements error.
func (m *Mismatch) Error() string { return m.Text }

// Take reads the journal of a command, the first member of whose first line, "journal", names it,
// and hands each line to take; of is what journals of the command are of, for people. Errors are
// those of Read, or a *Mismatch, or what take found as a *Fault with its place; a *Mismatch of
// take's gets its place.
func Take(path, command, of string, take func(line []byte) error) (Contents, error) {
	c, err := Read(path)
	start := `{"journal":"` + command + `"`
	var damage *Fault
	foreign := len(c.Lines) == 0 && errors.As(err, &damage) // not one line is ours
	if n := min(len(c.Rest), len(start)); len(c.Lines) == 0 && string(c.Rest[:n]) != start[:n] {
		foreign = true
	}
	switch {
	case errors.Is(err, ErrNoFile):
		return c, &Mismatch{path + ": " + err.Error()}
	case foreign:
		return c, &Mismatch{path + ": the file is no journal of " + of + ", or one of an older version"}
	case err != nil:
		return c, err
	}
	for _, line := range c.Lines {
		err := take(line.JSON)
		var mismatch *Mismatch
		switch {
		case errors.As(err, &mismatch):
			return c, &Mismatch{fmt.Sprintf("%s:%d: %s", path, line.Number, mismatch.Text)}
		case err != nil:
			return c, &Fault{File: path, Line: line.Number, Text: err.Error()}
		}
	}
	return c, nil
}

func parse(path string, src []byte) (Contents, error) {
	var c Contents
	var faults []error
	for number := 1; len(src) > 0; number++ {
		text, rest, complete := bytes.Cut(src, []byte("\n"))
		if !complete {
			c.Torn, c.Rest = number, text
			break
		}
		if !fits(text) {
			faults = append(faults, &Fault{path, number, "the line was cut off or altered: its checksum does not fit"})
			if len(faults) == maxFaults {
				break
			}
		} else {
			c.Lines = append(c.Lines, Line{number, text})
		}
		c.whole += int64(len(text)) + 1
		src = rest
	}
	return c, errors.Join(faults...)
}

// The member that a line ends with, around its digits.
const (
	sumStart = `,"crc32c":"`
	sumEnd   = `"}`
	sumSize  = len(sumStart) + 8 + len(sumEnd)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal puts the checksum on an object.
func seal(object []byte) []byte {
	digits := fmt.Sprintf("%08x", crc32.Checksum(object, castagnoli))
	return append(bytes.TrimSuffix(object, []byte("}")), sumStart+digits+sumEnd...)
}

// fits reports whether a line is as seal left it.
func fits(text []byte) bool {
	if len(text) < sumSize {
		return false
	}
	object := append(bytes.Clone(text[:len(text)-sumSize]), '}')
	return bytes.Equal(seal(object), text)
}

// File is a journal that is being written. A nil Journal takes everything and keeps nothing.
type File struct {
	mu     sync.Mutex
	file   *os.File
	synced time.Time
}

// Open opens a file to add to what was read from it, and makes it if there is none. A torn
// last line is cut off.
func Open(path string, c Contents) (*File, error) {
	// Each line goes to the end in one piece, also where two programs write at a time.
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	if c.Torn > 0 {
		if err := file.Truncate(c.whole); err != nil {
			file.Close()
			return nil, err
		}
	}
	return &File{file: file}, nil
}

// Encode is the line of a value that is an object in JSON with at least one member, with its
// end.
func Encode(v any) ([]byte, error) {
	object, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(seal(object), '\n'), nil
}

// syncPause is how much work a crash of the machine may cost.
const syncPause = time.Second

// Add adds the line of a value, see [Encode].
func (f *File) Add(v any) error {
	if f == nil {
		return nil
	}
	line, err := Encode(v)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.file.Write(line); err != nil {
		return err
	}
	if now := time.Now(); now.Sub(f.synced) >= syncPause {
		f.synced = now
		return f.file.Sync()
	}
	return nil
}

// Close makes sure that all is on disk.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	return errors.Join(f.file.Sync(), f.file.Close())
}
