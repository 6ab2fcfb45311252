package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"downbeat/cmd/internal/bench/jobsets"
)

// Journal is a file that keeps records as they come: a line that identifies the
// bench, then a line per job set. A line that was being written when the
// program or the machine went down is dropped. A nil Journal holds nothing.
type Journal struct {
	mu     sync.Mutex
	file   *os.File
	synced time.Time
	held   map[string]*Record
}

// journalHeader is the first line.
type journalHeader struct {
	Journal string   `json:"journal"`
	Version int      `json:"version"`
	Digest  string   `json:"digest"`
	Config  identity `json:"config"`
}

const (
	journalName    = "downbeat bench"
	journalVersion = 1
	// syncPause is how much work a crash of the machine may cost.
	syncPause = time.Second
)

// JournalError says that a file is no journal of this bench. It is left as it was.
type JournalError struct{ Text string }

// Error implements error.
func (e *JournalError) Error() string { return e.Text }

// OpenJournal opens the journal of a bench, new or begun. It refuses one of
// another configuration with a *JournalError; other errors are the file system's.
func OpenJournal(path string, c *Config, sets []jobsets.Set) (*Journal, error) {
	id := c.identity(sets)
	// A device could be read for ever.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &JournalError{"a journal is a regular file"}
	}
	src, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	j := &Journal{held: map[string]*Record{}}
	whole, err := j.read(src, id)
	if err != nil {
		return nil, err
	}
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if err := j.start(whole, id); err != nil {
		j.file.Close()
		return nil, err
	}
	return j, nil
}

// start cuts the file to its whole lines and writes the first one if it is new.
func (j *Journal) start(whole int64, id identity) error {
	if err := j.file.Truncate(whole); err != nil {
		return err
	}
	if _, err := j.file.Seek(whole, 0); err != nil {
		return err
	}
	if whole > 0 {
		return nil
	}
	return j.write(journalHeader{journalName, journalVersion, id.digest(), id})
}

// read takes in the whole lines and returns the length of what is whole. The
// last line may be damaged, or have no end: it was being written. A file that
// does not begin as a journal is something else, to be left alone.
func (j *Journal) read(src []byte, id identity) (whole int64, err error) {
	for number := 1; len(src) > 0; number++ {
		line, rest, complete := bytes.Cut(src, []byte("\n"))
		if !complete {
			if number == 1 && !beginsAsJournal(line) {
				return 0, errNoJournal
			}
			return whole, nil
		}
		if err := j.line(number, line, id); err != nil {
			if number > 1 && len(rest) == 0 {
				return whole, nil
			}
			return 0, err
		}
		whole += int64(len(line)) + 1
		src = rest
	}
	return whole, nil
}

var errNoJournal = errors.New("the file is no journal of a bench")

// beginsAsJournal tells of a first line, whole or not.
func beginsAsJournal(line []byte) bool {
	n := min(len(line), len(headerStart))
	return string(line[:n]) == headerStart[:n]
}

// headerStart begins every journal.
const headerStart = `{"journal":"` + journalName + `"`

func (j *Journal) line(number int, text []byte, id identity) error {
	if number == 1 {
		return readHeader(text, id)
	}
	var rec Record
	if err := json.Unmarshal(text, &rec); err != nil || rec.Set == "" {
		return fmt.Errorf("line %d of the journal is damaged", number)
	}
	j.held[rec.Set] = &rec
	return nil
}

func readHeader(text []byte, id identity) error {
	var h journalHeader
	if err := json.Unmarshal(text, &h); err != nil || h.Journal != journalName {
		return errNoJournal
	}
	if h.Version != journalVersion {
		return &JournalError{fmt.Sprintf("the journal has version %d; this program reads version %d", h.Version, journalVersion)}
	}
	if part := id.differs(h.Config); part != "" {
		return &JournalError{"the journal is of another bench: the " + part + " differ; name another file, or repeat the flags of that bench"}
	}
	if h.Digest != id.digest() {
		return &JournalError{"the journal's first line was altered: its digest does not fit"}
	}
	return nil
}

// Len is the number of records that the journal held when it was opened.
func (j *Journal) Len() int { return len(j.held) }

func (j *Journal) find(set string) (*Record, bool) {
	if j == nil {
		return nil, false
	}
	rec, ok := j.held[set]
	return rec, ok
}

func (j *Journal) add(rec *Record) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.write(rec)
}

// write appends a line in one piece.
func (j *Journal) write(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(text, '\n')); err != nil {
		return err
	}
	if now := time.Now(); now.Sub(j.synced) >= syncPause {
		j.synced = now
		return j.file.Sync()
	}
	return nil
}

// Close makes sure that all is on disk.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return errors.Join(j.file.Sync(), j.file.Close())
}
