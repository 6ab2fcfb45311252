package workload

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
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

// columns keeps the columns of tables that were read. Safe for concurrent use.
type columns struct {
	mu   sync.Mutex
	kept map[[2]string][]float64
}

// read gives the numbers of a column of a table; its path counts from the folder of the file that names it.
func (c *columns) read(from, file, column string) ([]float64, error) {
	path := file
	if !filepath.IsAbs(file) {
		path = filepath.Join(filepath.Dir(from), file)
	}
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
		var where *fs.PathError
		if errors.As(err, &where) {
			err = where.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	table := csv.NewReader(io.LimitReader(f, maxTable))
	table.ReuseRecord = true
	heads, err := table.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: there is no line of headings", path)
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
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
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
