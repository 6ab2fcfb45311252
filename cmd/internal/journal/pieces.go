package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
)

// Call is what pieces of work depend on beside their names.
type Call struct {
	// Command is that of the program: downbeat size.
	Command string
	// Program is the version of the program.
	Program string
	// Set is the digest of the job set with its changes, "" where there is none.
	Set string
	// Flags that matter, in the order in which they are told.
	Flags []Flag
}

// Flag is a flag with its value.
type Flag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// header is the first line of a journal.
type header struct {
	Journal string `json:"journal"`
	Version int    `json:"version"`
	Program string `json:"program"`
	Set     string `json:"digest,omitempty"`
	Flags   []Flag `json:"flags"`
}

const piecesVersion = 1

func (c *Call) header() header {
	return header{c.Command, piecesVersion, c.Program, c.Set, append([]Flag{}, c.Flags...)}
}

// differs names the first part in which the headers of two journals differ, "" if none.
func (h *header) differs(other *header) string {
	switch {
	case h.Journal != other.Journal || h.Version != other.Version:
		return fmt.Sprintf("it is of %q, version %d, and not of %q, version %d", other.Journal, other.Version, h.Journal, h.Version)
	case h.Program != other.Program:
		return fmt.Sprintf("it was written by version %s of the program, and this is %s", other.Program, h.Program)
	case h.Set != other.Set:
		return "it is of another job set, or of other changes to it"
	}
	value := func(of *header, name string) string {
		for _, f := range of.Flags {
			if f.Name == name {
				return f.Value
			}
		}
		return "not given"
	}
	for _, f := range slices.Concat(h.Flags, other.Flags) {
		if here, there := value(h, f.Name), value(other, f.Name); here != there {
			return fmt.Sprintf("--%s is %s there and %s here", f.Name, there, here)
		}
	}
	return ""
}

// task is a line that says which part of the work the journal is for.
type task struct {
	Shard string `json:"shard"`
}

// piece is a line that says what came of a piece of work.
type piece struct {
	Piece string          `json:"piece"`
	Value json.RawMessage `json:"value"`
}

// Pieces keeps what came of the pieces of work of a call, by their names. Its methods may be
// called from many goroutines at a time. A nil Pieces keeps nothing, and has all work done.
type Pieces struct {
	call  header
	shard Shard
	file  *File // nil where nothing is to be kept
	path  string
	// joined tells that the pieces are from the journals of others; without a file no more is
	// worked on then.
	joined bool
	// Torn are the places, file:line, of last lines that were being written when their program
	// ended; the work is to be done again.
	Torn []string

	mu sync.Mutex
	// said tells that the file that is read has said which call it is of.
	said bool
	// shards is how many the journals were for, 0 if they were for all.
	shards int
	held   map[string]json.RawMessage
	// names are those of all pieces, each once, in the order in which they were listed.
	names []string
}

// OpenPieces takes what the journals of joined hold, and opens another, new or begun, to go on with
// it; none where path is empty. Errors are a *Mismatch, join *Fault, or are the file system's.
func OpenPieces(path string, joined []string, call Call, shard Shard) (*Pieces, error) {
	p := &Pieces{call: call.header(), shard: shard, path: path, joined: len(joined) > 0, held: map[string]json.RawMessage{}}
	for _, name := range joined {
		if _, err := p.read(name); err != nil {
			return nil, err
		}
	}
	if path == "" {
		return p, nil
	}
	known := p.shards
	p.shards = 0
	contents, err := p.read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	asked := p.shards
	p.shards = max(known, asked)
	if p.file, err = Open(path, contents); err != nil {
		return nil, err
	}
	if len(contents.Lines) == 0 {
		err = p.file.Add(p.call)
	}
	if shard.Count > 0 && asked != shard.Count {
		err = errors.Join(err, p.file.Add(task{shard.String()}))
	}
	if err != nil {
		p.file.Close()
		return nil, err
	}
	return p, nil
}

// read takes in the lines of a file.
func (p *Pieces) read(path string) (Contents, error) {
	p.said = false
	c, err := Take(path, p.call.Journal, p.call.Journal, p.line)
	if err == nil && len(c.Lines) > 0 && !p.said {
		err = &Mismatch{path + ": no line says which call this is of"}
	}
	if err == nil && c.Torn > 0 {
		p.Torn = append(p.Torn, fmt.Sprintf("%s:%d", path, c.Torn))
	}
	return c, err
}

// line takes in one line.
func (p *Pieces) line(text []byte) error {
	var l struct {
		header
		task
		piece
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	switch {
	case l.Journal != "":
		if part := p.call.differs(&l.header); part != "" {
			return &Mismatch{"the journal is of another call: " + part + "; name another file, or repeat the flags of that call"}
		}
		p.said = true
	case l.Shard != "":
		s, err := ParseShard(l.Shard)
		if err != nil {
			return err
		}
		p.shards = max(p.shards, s.Count)
	case l.Piece != "":
		p.held[l.Piece] = l.Value
	default:
		return errors.New("this is no line of a journal of " + p.call.Journal)
	}
	return nil
}

// List tells which pieces of work there are, and gives the place of the first of them. They may be
// listed by and by.
func (p *Pieces) List(names []string) int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	first := len(p.names)
	p.names = append(p.names, names...)
	return first
}

// Len is the number of pieces of which something is known.
func (p *Pieces) Len() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held)
}

// Holds reports whether a piece is known.
func (p *Pieces) Holds(name string) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held[name] != nil
}

// Wanted reports whether a piece, by its place in what was listed, is to be worked on where it is
// not known: one of the shard's, or none where journals are joined and nothing is to be added.
func (p *Pieces) Wanted(place int) bool {
	return p == nil || p.shard.has(place) && (p.file != nil || !p.joined)
}

// Find reads what came of a piece into a value; false where that is not known.
func (p *Pieces) Find(name string, into any) (bool, error) {
	if p == nil {
		return false, nil
	}
	p.mu.Lock()
	text, known := p.held[name]
	p.mu.Unlock()
	if !known {
		return false, nil
	}
	return true, json.Unmarshal(text, into)
}

// Add keeps what came of a piece.
func (p *Pieces) Add(name string, value any) error {
	if p == nil {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := p.file.Add(piece{name, text}); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[name] = text
	return nil
}

// Known is how many of the listed pieces that are wanted are known, and how many are wanted.
func (p *Pieces) Known() (known, wanted int) {
	if p == nil {
		return 0, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, name := range p.names {
		if !p.shard.has(i) {
			continue
		}
		wanted++
		if p.held[name] != nil {
			known++
		}
	}
	return known, wanted
}

// Missing says in sentences which of all pieces are missing, shard by shard; empty if none is.
func (p *Pieces) Missing() []string {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	there := func(name string) bool { return p.held[name] != nil }
	gone := len(slices.DeleteFunc(slices.Clone(p.names), there))
	if gone == 0 {
		return nil
	}
	head := fmt.Sprintf("%d of %d pieces of the work are missing", gone, len(p.names))
	return append([]string{head}, Missing(p.names, there, p.shards)...)
}

// Left reports whether pieces are missing that are left to other processes.
func (p *Pieces) Left() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, name := range p.names {
		if p.held[name] == nil && !p.Wanted(i) {
			return true
		}
	}
	return false
}

// Close makes sure that all is on disk.
func (p *Pieces) Close() error {
	if p == nil {
		return nil
	}
	return p.file.Close()
}
