package workload

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"downbeat/model/near"
)

// maxColumn is how many values of a column there may be, and maxTable how long a table, in bytes.
const (
	maxColumn = 10_000_000
	maxTable  = 256 << 20
)

// byteOrderMark is what spreadsheets write before a table in UTF-8.
const byteOrderMark = "\ufeff"

// columns keeps the columns of tables that were read. Safe for concurrent use.
type columns struct {
	mu   sync.Mutex
	kept map[[2]string][]float64
}

// read gives the numbers of a column of a table; its path counts from the folder of the file that names it.
func (c *columns) read(from, file, column string) ([]float64, error) {
	path := beside(from, file)
	c.mu.Lock()
	defer c.mu.Unlock()
	key := [2]string{path, column}
	if values, known := c.kept[key]; known {
		return values, nil
	}
	values, err := readColumn(path, column)
	if err != nil {
		return nil, err
	}
	if c.kept == nil {
		c.kept = map[[2]string][]float64{}
	}
	c.kept[key] = values
	return values, nil
}

func readColumn(path, column string) ([]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, pathFault(path, err)
	}
	defer f.Close()
	in := bufio.NewReader(io.LimitReader(f, maxTable+1))
	if start, _ := in.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		in.Discard(len(byteOrderMark))
	}
	table := csv.NewReader(in)
	table.ReuseRecord = true
	heads, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: there is no line of headings", path)
	}
	if err != nil {
		return nil, tableFault(path, err)
	}
	heads = slices.Clone(heads)
	at := slices.Index(heads, column)
	if at < 0 {
		return nil, fmt.Errorf("%s:1: no column is called %q%s", path, column, near.Hint(column, heads))
	}
	var values []float64
	for {
		fields, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && table.InputOffset() > maxTable {
			err = fmt.Errorf("the table is longer than %d MB", maxTable>>20)
		}
		if err != nil {
			return nil, tableFault(path, err)
		}
		text := strings.TrimSpace(fields[at])
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			line, col := table.FieldPos(at)
			return nil, fmt.Errorf("%s:%d:%d: %q is no number", path, line, col, text)
		}
		if values = append(values, x); len(values) > maxColumn {
			return nil, fmt.Errorf("%s: column %s has more than %d values", path, column, maxColumn)
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%s: column %s has no value", path, column)
	}
	return values, nil
}

// tableFault is a fault of a table, at its line and column where that is known.
func tableFault(path string, err error) error {
	var at *csv.ParseError
	if errors.As(err, &at) {
		return fmt.Errorf("%s:%d:%d: %w", path, at.Line, max(1, at.Column), at.Err)
	}
	return pathFault(path, err)
}
