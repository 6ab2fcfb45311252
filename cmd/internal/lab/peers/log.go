package peers

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"downbeat/model"
)

// columns of a file of runs. Times are seconds; what did not happen is empty.
var columns = []string{
	"jobset", "digest", "jobs", "tasks", "slaves", "solver", "version", "round", "limit_s", "workers", "status", "proved",
	"value", "bound", "first_plan_s", "best_plan_s", "proof_s", "total_s", "search_s", "fault",
}

// Log is the journal of a comparison.
type Log struct {
	*journal
	opt Options
	// versions are those of the peers.
	versions map[string]string
}

// OpenLog opens a file of runs, or makes one, and returns the runs in it that
// were made with the same limit, number of workers and versions of solvers. A
// last line without an end is cut off.
func OpenLog(path string, peers []Peer, opt Options) (*Log, []*Run, error) {
	l := &Log{opt: opt, versions: map[string]string{}}
	for i := range peers {
		l.versions[peers[i].Name] = peers[i].Version
	}
	journal, lines, err := openJournal(path, columns)
	if err != nil {
		return nil, nil, err
	}
	l.journal = journal
	known, err := l.known(lines)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), l.Close())
	}
	return l, known, nil
}

func (l *Log) known(lines []line) ([]*Run, error) {
	var known []*Run
	for _, line := range lines {
		if line["limit_s"] != exact(l.opt.Limit) || line["workers"] != strconv.Itoa(l.opt.Workers) ||
			line["version"] != l.versions[line["solver"]] {
			continue
		}
		run, err := line.run()
		if err != nil {
			return nil, err
		}
		known = append(known, run)
	}
	return known, nil
}

// Add writes a line.
func (l *Log) Add(r *Run) error {
	js, search := r.Set.JobSet, ""
	if r.Search > 0 {
		search = exact(r.Search)
	}
	return l.write([]string{
		r.Set.Name, r.Set.digest, strconv.Itoa(len(js.Jobs)), strconv.Itoa(len(js.Tasks)), strconv.Itoa(len(js.Slaves)),
		r.Peer, l.versions[r.Peer], strconv.Itoa(r.Round + 1), exact(l.opt.Limit), strconv.Itoa(l.opt.Workers),
		r.Status.String(), strconv.FormatBool(r.Proved()), list(r.Values), list(r.Bounds),
		exact(r.First), exact(r.Best), exact(r.Proof()), exact(r.Total), search, r.Fault,
	})
}

// run reads the line back. The set has its name alone, and a plan that came is
// known by its values.
func (l line) run() (*Run, error) {
	r := &Run{
		Set: &Set{Name: l["jobset"], digest: l["digest"]}, Peer: l["solver"], Planned: l["first_plan_s"] != "", Fault: l["fault"],
	}
	var errs [8]error
	r.Round, errs[0] = strconv.Atoi(l["round"])
	r.Round--
	r.Status, errs[1] = model.ParseStatus(l["status"])
	r.Values, errs[2] = parseList(l["value"])
	r.Bounds, errs[3] = parseList(l["bound"])
	r.First, errs[4] = parseSeconds(l["first_plan_s"])
	r.Best, errs[5] = parseSeconds(l["best_plan_s"])
	r.Total, errs[6] = parseSeconds(l["total_s"])
	if l["search_s"] != "" {
		r.Search, errs[7] = parseSeconds(l["search_s"])
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("the run of %s on %s: %w", r.Peer, r.Set.Name, err)
	}
	return r, nil
}

// exact writes a time in seconds, and nothing for Never.
func exact(d time.Duration) string {
	if d == Never {
		return ""
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
}

func parseSeconds(text string) (time.Duration, error) {
	if text == "" {
		return Never, nil
	}
	s, err := strconv.ParseFloat(text, 64)
	return time.Duration(s * float64(time.Second)), err
}

func list(values []int64) string { return strings.TrimPrefix(numbers(values), "-") }

func parseList(text string) ([]int64, error) {
	if text == "" {
		return nil, nil
	}
	var values []int64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}
