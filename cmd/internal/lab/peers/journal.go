package peers

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// journal is a CSV file that grows by a line as a run ends, so that what was cut short can go on.
type journal struct{ file *os.File }

// openJournal opens a file with the given columns, or makes one, and returns its lines. A last
// line without an end is cut off.
func openJournal(path string, columns []string) (*journal, []line, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{file}
	lines, err := j.begin(columns)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return j, lines, nil
}

// begin reads what is there and leaves the file so that lines can be added.
func (j *journal) begin(columns []string) ([]line, error) {
	text, err := io.ReadAll(j.file)
	if err != nil {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if err := j.file.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	if _, err := j.file.Seek(int64(len(whole)), io.SeekStart); err != nil {
		return nil, err
	}
	if len(whole) == 0 {
		return nil, j.write(columns)
	}
	return readLines(bytes.NewReader(whole), columns)
}

func (j *journal) write(line []string) error {
	out := csv.NewWriter(j.file)
	out.Write(line) // a csv.Writer keeps its first error
	out.Flush()
	return out.Error()
}

// Close closes the file.
func (j *journal) Close() error { return j.file.Close() }

// line is a line of a file of runs, by column.
type line map[string]string

func readLines(r io.Reader, columns []string) ([]line, error) {
	in := csv.NewReader(r)
	if head, err := in.Read(); err != nil || !slices.Equal(head, columns) {
		return nil, errors.New("this is no file of runs, or one of another version: its columns are not those that are written now")
	}
	all, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, fields := range all {
		l := line{}
		for i, name := range columns {
			l[name] = fields[i]
		}
		lines = append(lines, l)
	}
	return lines, nil
}
