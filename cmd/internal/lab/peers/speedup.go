package peers

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"downbeat/model"
)

// SpeedupOptions say what [Speedup] is to try.
type SpeedupOptions struct {
	// Workers are numbers of workers; the first is what the others are held against.
	Workers []int
	Seeds   []uint64
	Effort  Effort
}

// Speedup tries every set with every seed and every number of workers, one trial after the other, with the
// numbers of workers in turn, so that other work of the machine hits all alike. Trials that are known
// are not made again, and tell hears of each new one. The answer is in the order of sets, workers and
// seeds; it is the trials so far when ctx ends or one fails.
func Speedup(ctx context.Context, self []string, sets []Set, opt SpeedupOptions, known []*Trial, tell func(*Trial)) ([]*Trial, error) {
	made := map[trialKey]*Trial{}
	for _, t := range known {
		made[t.key()] = t
	}
	var failed error
	for _, seed := range opt.Seeds {
		for i := range sets {
			for _, workers := range opt.Workers {
				t := &Trial{Set: &sets[i], Workers: workers, Seed: seed, Effort: opt.Effort}
				if old := made[t.key()]; old != nil {
					old.Set = t.Set
					continue
				}
				if failed != nil || ctx.Err() != nil {
					continue
				}
				if failed = t.try(ctx, self); failed != nil {
					failed = fmt.Errorf("%s with %d workers and seed %d: %w", t.Set.Name, workers, seed, failed)
					continue
				}
				made[t.key()] = t
				tell(t)
			}
		}
	}
	var all []*Trial
	for i := range sets {
		for _, workers := range opt.Workers {
			for _, seed := range opt.Seeds {
				t := &Trial{Set: &sets[i], Workers: workers, Seed: seed, Effort: opt.Effort}
				if t = made[t.key()]; t != nil {
					all = append(all, t)
				}
			}
		}
	}
	return all, errors.Join(ctx.Err(), failed)
}

// trialKey tells trials apart.
type trialKey struct {
	set, digest string
	workers     int
	seed        uint64
	effort      Effort
}

func (t *Trial) key() trialKey {
	return trialKey{t.Set.Name, t.Set.digest, t.Workers, t.Seed, t.Effort}
}

// trialColumns of a file of trials. Times are seconds, memory MB (2^20 bytes); a bound of 0 is none.
var trialColumns = []string{
	"jobset", "digest", "jobs", "tasks", "slaves", "workers", "seed", "limit_s", "after_s", "budget", "status", "proved",
	"value", "bound", "processor_s", "wall_s", "busy", "memory_mb", "calls", "conflicts", "restarts", "steps", "constructions",
}

// TrialLog is the journal of [Speedup].
type TrialLog struct{ *journal }

// OpenTrialLog opens a file of trials, or makes one, and returns the trials in it. A last line
// without an end is cut off.
func OpenTrialLog(path string) (*TrialLog, []*Trial, error) {
	j, lines, err := openJournal(path, trialColumns)
	if err != nil {
		return nil, nil, err
	}
	var known []*Trial
	for _, l := range lines {
		t, err := l.trial()
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: the trial of %s: %w", path, l["jobset"], err), j.Close())
		}
		known = append(known, t)
	}
	return &TrialLog{j}, known, nil
}

// Add writes a line.
func (l *TrialLog) Add(t *Trial) error {
	js := t.Set.JobSet
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	return l.write([]string{
		t.Set.Name, t.Set.digest, strconv.Itoa(len(js.Jobs)), strconv.Itoa(len(js.Tasks)), strconv.Itoa(len(js.Slaves)),
		strconv.Itoa(t.Workers), strconv.FormatUint(t.Seed, 10), exact(t.Effort.Processor), exact(t.Effort.Wall), count(t.Effort.Budget),
		t.Status.String(), strconv.FormatBool(t.Proved()), list(t.Values), list(t.Bounds), exact(t.Processor), exact(t.Wall),
		strconv.FormatFloat(t.Busy, 'f', 3, 64), megabytes(t.Memory), count(t.Calls), count(t.Conflicts), count(t.Restarts),
		count(t.Steps), count(t.Constructions),
	})
}

// trial reads the line back. The set has its name alone.
func (l line) trial() (*Trial, error) {
	t := &Trial{Set: &Set{Name: l["jobset"], digest: l["digest"]}}
	var errs []error
	number := func(column string) int64 {
		n, err := strconv.ParseInt(l[column], 10, 64)
		errs = append(errs, err)
		return n
	}
	fraction := func(column string) float64 {
		x, err := strconv.ParseFloat(l[column], 64)
		errs = append(errs, err)
		return x
	}
	duration := func(column string) time.Duration {
		d, err := parseSeconds(l[column])
		errs = append(errs, err)
		return d
	}
	values := func(column string) []int64 {
		v, err := parseList(l[column])
		errs = append(errs, err)
		return v
	}
	t.Workers, t.Seed = int(number("workers")), uint64(number("seed"))
	t.Effort = Effort{duration("limit_s"), duration("after_s"), number("budget")}
	t.Values, t.Bounds = values("value"), values("bound")
	t.Processor, t.Wall, t.Busy = duration("processor_s"), duration("wall_s"), fraction("busy")
	t.Memory = int64(fraction("memory_mb") * (1 << 20))
	t.Calls, t.Conflicts, t.Restarts = number("calls"), number("conflicts"), number("restarts")
	t.Steps, t.Constructions = number("steps"), number("constructions")
	var err error
	t.Status, err = model.ParseStatus(l["status"])
	return t, errors.Join(append(errs, err)...)
}

// SpeedupSets are 16 sets of families, of every kind, that one worker proves in 2 to 20 s.
func SpeedupSets() []string {
	weighted := familyPrefix + model.WeightedTardiness.String()
	return []string{
		"family:jobshop-10x10:1", "family:jobshop-12x10:2", "family:jobshop-15x8:1",
		"family:project-30:1", "family:project-30:11", "family:project-40:1",
		"family:misses-100:2", "family:misses-120:1", "family:misses-150:2",
		"family:tardiness-30:1", "family:tardiness-30:3", "family:tardiness-40:3",
		weighted + "-26:1", weighted + "-26:2",
		"family:jobshop-hard-15x12:1", "family:jobshop-hard-15x15:2",
	}
}
