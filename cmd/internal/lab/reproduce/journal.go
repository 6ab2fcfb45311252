package reproduce

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync"
)

// journal is a file that keeps results as they come: a line that tells of which
// reproduction, then a line for each piece of work. A last line that was being written
// when the program went down is dropped. A nil Journal holds nothing.
type journal struct {
	mu   sync.Mutex
	file *os.File
	held map[string]json.RawMessage
}

// identity is all that results hang on beside their keys.
type identity struct {
	Journal string  `json:"journal"`
	Version int     `json:"version"`
	Program string  `json:"program"`
	Paper   string  `json:"paper"`
	Seeds   int     `json:"seeds"`
	Scale   float64 `json:"scale"`
}

const (
	journalName    = "downbeat reproduce"
	journalVersion = 1
)

// journalLine is a result.
type journalLine struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// journalError says that a file is no journal of this reproduction. It is left as it
// was.
type journalError struct{ Text string }

// Error implements error.
func (e *journalError) Error() string { return e.Text }

// OpenJournal opens the journal of a paper's reproduction, new or begun. One of another
// paper, program or scale is refused with a *JournalError; other errors are the file
// system's.
func OpenJournal(path, paper string, o Options) (*journal, error) {
	id := identity{journalName, journalVersion, o.Program, paper, o.Seeds, o.Scale}
	src, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	j := &journal{held: map[string]json.RawMessage{}}
	whole, err := j.read(src, id)
	if err != nil {
		return nil, err
	}
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if err = j.file.Truncate(whole); err == nil {
		_, err = j.file.Seek(whole, 0)
	}
	if err == nil && whole == 0 {
		err = j.write(id)
	}
	if err != nil {
		j.file.Close()
		return nil, err
	}
	return j, nil
}

// read takes in the whole lines and returns their length.
func (j *journal) read(src []byte, id identity) (whole int64, err error) {
	for number := 1; len(src) > 0; number++ {
		line, rest, complete := bytes.Cut(src, []byte("\n"))
		if !complete && number > 1 {
			return whole, nil
		}
		if number == 1 {
			if err := id.check(line); err != nil {
				return 0, err
			}
		} else {
			var l journalLine
			if err := json.Unmarshal(line, &l); err != nil || l.Key == "" {
				return 0, &journalError{fmt.Sprintf("line %d of the journal is damaged", number)}
			}
			j.held[l.Key] = l.Value
		}
		whole += int64(len(line)) + 1
		src = rest
	}
	return whole, nil
}

// check holds the first line of a journal against what it should be.
func (id identity) check(line []byte) error {
	var other identity
	if err := json.Unmarshal(line, &other); err != nil || other.Journal != journalName {
		return &journalError{"the file is no journal of a reproduction"}
	}
	for _, part := range []struct {
		name        string
		here, there any
	}{
		{"format", id.Version, other.Version}, {"version of the program", id.Program, other.Program},
		{"paper", id.Paper, other.Paper}, {"--sets", id.Seeds, other.Seeds}, {"--scale", id.Scale, other.Scale},
	} {
		if part.here != part.there {
			return &journalError{fmt.Sprintf("the journal is of another run: %s is %v there and %v here; remove it, or name another folder", part.name, part.there, part.here)}
		}
	}
	return nil
}

// Len is the number of results that it holds.
func (j *journal) Len() int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.held)
}

func (j *journal) find(key string) json.RawMessage {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.held[key]
}

func (j *journal) add(key string, value any) error {
	if j == nil {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.held[key] = text
	return j.write(journalLine{key, text})
}

// write appends a line in one piece.
func (j *journal) write(v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		_, err = j.file.Write(append(text, '\n'))
	}
	return err
}

// Close makes sure that all is on disk.
func (j *journal) Close() error {
	if j == nil {
		return nil
	}
	return errors.Join(j.file.Sync(), j.file.Close())
}

// number is a float that may be none: NaN is null in JSON.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
