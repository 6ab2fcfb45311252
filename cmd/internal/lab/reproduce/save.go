package reproduce

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"downbeat/cmd/internal/files"
)

// Save writes the files of a report into a folder, those with one of the endings in
// skip left out.
func Save(dir string, list []File, skip ...string) error {
	for _, f := range list {
		if slices.Contains(skip, filepath.Ext(f.Name)) {
			continue
		}
		if err := write(filepath.Join(dir, f.Name), f.Data); err != nil {
			return err
		}
	}
	return nil
}

func write(path string, data []byte) error {
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// SaveMatrix writes README.md of a folder of reports: the claims of all papers whose
// reports are in folders of it.
func SaveMatrix(dir string) error {
	var d document
	d.Heading(1, "What became of the papers' claims")
	d.Para("Each paper's experiments run on downbeat's own engines; the reports behind the lines have tables and figures with the published values marked. `downbeat reproduce PAPER --write %s` makes a report again and renews this page.", filepath.ToSlash(dir))
	d.Para("%s", ruleText)
	for _, p := range Papers() {
		src, err := os.ReadFile(filepath.Join(dir, p.Name, summaryFile))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		var s summary
		if err := json.Unmarshal(src, &s); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(p.Name, summaryFile), err)
		}
		d.Heading(2, s.Title)
		d.Para("[The report](%s/report.md); downbeat %s, %d seeds, scale %g.", p.Name, s.Program, s.Seeds, s.Scale)
		if len(s.Claims) > 0 {
			d.Matrix(s.Claims)
		}
	}
	list, err := d.Files()
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "README.md"), list[0].Data)
}

// Words lists names for people: "a, b and c".
func Words(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
