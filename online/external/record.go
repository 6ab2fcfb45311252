package external

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Record keeps what runs and their programs say to each other, a line of JSON to each line, as it comes. Safe
// for concurrent use; a nil Record keeps nothing.
type Record struct {
	mu    sync.Mutex
	to    io.Writer
	began time.Time
	runs  int
	err   error
}

// NewRecord keeps it in to.
func NewRecord(to io.Writer) *Record { return &Record{to: to, began: time.Now()} }

// Directions of lines.
const (
	toProgram   = "to"
	fromProgram = "from"
)

// begin numbers a run of a policy, from 1.
func (r *Record) begin(policy string) (run int) {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs++
	name, err := json.Marshal(policy)
	if err != nil {
		panic(err) // a string
	}
	r.write(fmt.Appendf(nil, `{"run":%d,"seconds":%.6f,"policy":%s}`+"\n", r.runs, time.Since(r.began).Seconds(), name))
	return r.runs
}

// keep keeps a line of a run. One that is no JSON stands as text.
func (r *Record) keep(run int, direction string, line []byte) {
	if r == nil {
		return
	}
	line = bytes.TrimSpace(line)
	if !json.Valid(line) {
		direction += "_text"
		line, _ = json.Marshal(string(line)) // a string
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(fmt.Appendf(nil, `{"run":%d,"seconds":%.6f,"%s":%s}`+"\n", run, time.Since(r.began).Seconds(), direction, line))
}

func (r *Record) write(line []byte) {
	if r.err == nil {
		_, r.err = r.to.Write(line)
	}
}

// Err is the first fault in writing; after it nothing is kept.
func (r *Record) Err() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
