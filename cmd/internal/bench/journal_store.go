package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"downbeat/cmd/internal/journal"
)

const (
	journalName    = "downbeat bench"
	journalVersion = 2
)

// header is the line that says what a journal is of.
type header struct {
	Journal    string     `json:"journal"`
	Version    int        `json:"version"`
	Conditions Conditions `json:"conditions"`
}

// request is the line that says what was asked for.
type request struct {
	Asked Asked `json:"asked"`
}

// CellStore is what journals hold, put together. It is a Keeper.
type CellStore struct {
	// conditions are nil until a journal has named them.
	conditions *Conditions
	asked      []Asked
	// Torn are the places, file:line, of last lines that were being written when their
	// program ended; the work is to be done again.
	Torn []string

	mu      sync.Mutex
	records map[string]*Record
	file    *journal.File // nil where nothing is to be kept
}

func newStore() *CellStore { return &CellStore{records: map[string]*Record{}} }

// ReadCells puts journals together. An error is a *journal.Mismatch, joins *journal.Fault, or is the file
// system's.
func ReadCells(paths []string) (*CellStore, error) {
	s := newStore()
	for _, path := range paths {
		if _, err := s.read(path); err != nil {
			return nil, err
		}
	}
	if s.conditions == nil {
		return nil, &journal.Mismatch{Text: strings.Join(paths, ", ") + ": no line says which bench this is of"}
	}
	return s, nil
}

// OpenCells opens the journal of a bench, new or begun, to go on with it: job sets, seeds and
// policies may be others than before. Errors are those of [ReadCells]; a journal of other
// conditions is a *journal.Mismatch.
func OpenCells(path string, conditions Conditions, asked Asked) (*CellStore, error) {
	s := newStore()
	contents, err := s.read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.conditions != nil {
		if part := s.conditions.Differs(conditions); part != "" {
			return nil, &journal.Mismatch{Text: path + ": the journal is of another bench: it differs in the " + part + "; name another file, or repeat the flags of that bench"}
		}
	}
	if source := asked.changed(s.asked); source != "" {
		return nil, &journal.Mismatch{Text: path + ": the journal is of another bench: " + source + " has changed since, and may draw other job sets; name another file, or bring back what it was"}
	}
	if s.file, err = journal.Open(path, contents); err != nil {
		return nil, err
	}
	if s.conditions == nil {
		err = s.file.Add(header{journalName, journalVersion, conditions})
	}
	if !slices.ContainsFunc(s.asked, asked.equal) {
		err = errors.Join(err, s.file.Add(request{asked}))
	}
	if err != nil {
		s.file.Close()
		return nil, err
	}
	s.conditions, s.asked = &conditions, append(s.asked, asked)
	return s, nil
}

// read takes in the lines of a file.
func (s *CellStore) read(path string) (journal.Contents, error) {
	c, err := journal.Take(path, journalName, "a bench", s.line)
	if err == nil && c.Torn > 0 {
		s.Torn = append(s.Torn, fmt.Sprintf("%s:%d", path, c.Torn))
	}
	return c, err
}

// line takes in one line.
func (s *CellStore) line(text []byte) error {
	var kind struct {
		Journal, Set string
		Asked        *Asked
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return err
	}
	switch {
	case kind.Journal != "":
		return s.header(text)
	case kind.Asked != nil:
		if source := kind.Asked.changed(s.asked); source != "" {
			return &journal.Mismatch{Text: "this journal and those before it are of different benches: " + source + " was changed in between, and may draw other job sets; repeat the benches of one of the two"}
		}
		s.asked = append(s.asked, *kind.Asked)
		return nil
	case kind.Set != "":
		rec := &Record{}
		if err := json.Unmarshal(text, rec); err != nil {
			return err
		}
		return s.hold(rec)
	}
	return errors.New("this is no line of a journal of bench")
}

func (s *CellStore) header(text []byte) error {
	var h header
	// Another version may have other fields.
	if err := json.Unmarshal(text, &struct {
		Journal *string
		Version *int
	}{&h.Journal, &h.Version}); err != nil {
		return err
	}
	if h.Journal != journalName || h.Version != journalVersion {
		return &journal.Mismatch{Text: fmt.Sprintf("the journal is of %q, version %d; this program reads %q, version %d", h.Journal, h.Version, journalName, journalVersion)}
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return err
	}
	if s.conditions != nil {
		if part := s.conditions.Differs(h.Conditions); part != "" {
			return &journal.Mismatch{Text: "this journal and those before it are of different benches: they differ in the " + part}
		}
	}
	s.conditions = &h.Conditions
	return nil
}

// hold adds a record to what is known.
func (s *CellStore) hold(rec *Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.records[rec.Set]
	if known == nil {
		s.records[rec.Set] = rec
		return nil
	}
	// Whoever has found the old one may be reading it.
	merged := *known
	merged.Cells = slices.Clone(known.Cells)
	if err := merge(&merged, rec); err != nil {
		return err
	}
	s.records[rec.Set] = &merged
	return nil
}

// Len is the number of job sets of which something is known.
func (s *CellStore) Len() int { return len(s.records) }

// Find implements Keeper.
func (s *CellStore) Find(set string) *Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records[set]
}

// Add implements Keeper.
func (s *CellStore) Add(rec *Record) error {
	if err := s.file.Add(rec); err != nil {
		return err
	}
	return s.hold(rec)
}

// Close makes sure that all is on disk.
func (s *CellStore) Close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}
