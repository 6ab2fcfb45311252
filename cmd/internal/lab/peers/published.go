package peers

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"downbeat/model"
	"downbeat/model/files/published"
)

// LoadPublished reads the sets of the literature in folders and all below them, in the formats of package
// published; passed are the files that are of none. The sets of a folder are a family: sets are called
// FAMILY/NAME, after the folders below the one that was given, and stand in that order. With ofEach > 0 there are
// at most so many of each family, evenly drawn over its names. Of sets that are there twice the first
// counts. What processes are to read is written to the folder made.
func LoadPublished(folders []string, ofEach int, made string) (sets []Set, passed []string, err error) {
	families := map[string][]*model.JobSet{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			name := filepath.Base(file)
			found, err := published.Load(strings.TrimSuffix(name, filepath.Ext(name)), src)
			if err != nil {
				passed = append(passed, fmt.Sprintf("%s (in %s)", err, file))
				return nil
			}
			family := familyOf(folder, file)
			families[family] = append(families[family], found...)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	for _, family := range slices.Sorted(maps.Keys(families)) {
		for _, js := range drawEvenly(families[family], ofEach) {
			set := Set{Name: family + "/" + js.Name, JobSet: js, digest: shortDigest(js)}
			set.File = filepath.Join(made, strings.ReplaceAll(set.Name, "/", "-")+".yaml")
			if err := writeSet(js, set.File); err != nil {
				return nil, nil, err
			}
			sets = append(sets, set)
		}
	}
	return sets, passed, nil
}

// familyOf are the folders of a file below the one that was given, or that one's own name.
func familyOf(folder, file string) string {
	below, err := filepath.Rel(folder, filepath.Dir(file))
	if err != nil || below == "." || below == ".." {
		full, _ := filepath.Abs(filepath.Dir(file)) // of a folder that was read
		return filepath.Base(full)
	}
	return filepath.ToSlash(below)
}

// drawEvenly has n of the sets, or all for n = 0, evenly over their names, where numbers in names count
// as numbers, and each name once.
func drawEvenly(sets []*model.JobSet, n int) []*model.JobSet {
	slices.SortStableFunc(sets, func(a, b *model.JobSet) int { return compareNames(a.Name, b.Name) })
	sets = slices.CompactFunc(sets, func(a, b *model.JobSet) bool { return a.Name == b.Name })
	if n <= 0 || n >= len(sets) {
		return sets
	}
	var drawn []*model.JobSet
	for i := range n {
		drawn = append(drawn, sets[i*len(sets)/n])
	}
	return drawn
}

// compareNames orders names, la2 before la10.
func compareNames(a, b string) int {
	for a != "" && b != "" {
		na, nb := digits(a), digits(b)
		if na > 0 && nb > 0 {
			x, y := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits is how many digits a text begins with.
func digits(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }

// configuration is who ran, and how.
type configuration struct{ solver, version, limit, workers string }

func (c configuration) compare(o configuration) int {
	return cmp.Or(compareNames(c.limit, o.limit), compareNames(c.workers, o.workers), cmp.Compare(o.solver, c.solver), compareNames(c.version, o.version))
}

// standing counts what a solver made of a family.
type standing struct{ sets, proved, best int }

// PublishedTable writes as Markdown, for each family in a file of runs of published sets and each who ran: how
// many sets it was asked about, proved, and of how many its plan is as good as the best in the file. Of the runs of
// a solver on a set with the same limit and number of workers the last in the file counts.
func PublishedTable(w io.Writer, file string) error {
	src, err := os.Open(file)
	if err != nil {
		return err
	}
	defer src.Close()
	lines, err := readLines(src, columns)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	type asked struct{ set, solver, limit, workers string }
	question := func(l map[string]string) asked {
		return asked{l["jobset"], l["solver"], l["limit_s"], l["workers"]}
	}
	best, last := map[string][]int64{}, map[asked]int{}
	values := make([][]int64, len(lines))
	for i, l := range lines {
		if values[i], err = parseList(l["value"]); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if set := l["jobset"]; values[i] != nil && (best[set] == nil || slices.Compare(values[i], best[set]) < 0) {
			best[set] = values[i]
		}
		last[question(l)] = i
	}
	families, all := map[string]standings{}, standings{}
	for i, l := range lines {
		if last[question(l)] != i {
			continue
		}
		family := path.Dir(l["jobset"])
		if families[family] == nil {
			families[family] = standings{}
		}
		run := standing{sets: 1}
		if l["proved"] == "true" {
			run.proved = 1
		}
		if values[i] != nil && slices.Equal(values[i], best[l["jobset"]]) {
			run.best = 1
		}
		families[family].add(configuration{l["solver"], l["version"], l["limit_s"], l["workers"]}, run)
		all.add(configuration{l["solver"], "", l["limit_s"], l["workers"]}, run)
	}
	fmt.Fprint(w, "| family | solver | seconds | workers | sets | proved | best plan |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, family := range slices.SortedFunc(maps.Keys(families), compareNames) {
		families[family].write(w, family)
	}
	return all.write(w, "all")
}

// standings are by who ran.
type standings map[configuration]standing

func (s standings) add(who configuration, run standing) {
	old := s[who]
	s[who] = standing{old.sets + run.sets, old.proved + run.proved, old.best + run.best}
}

func (s standings) write(w io.Writer, family string) (err error) {
	for _, who := range slices.SortedFunc(maps.Keys(s), configuration.compare) {
		_, err = fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %d | %d |\n", family, strings.TrimSpace(who.solver+" "+who.version),
			strings.TrimSuffix(who.limit, ".000"), who.workers, s[who].sets, s[who].proved, s[who].best)
	}
	return err
}
