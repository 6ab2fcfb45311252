package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"downbeat/cmd/internal/peers"
)

// comparison is what the command without a name is asked for.
type comparison struct {
	peers.Options
	solvers, python, csv, save string
	paths                      []string
}

func parseComparison(args []string, stderr io.Writer) (*comparison, error) {
	o := &comparison{}
	f := flags(stderr, "[flags] FOLDER|FILE|family:NAME:SEEDS…")
	f.DurationVar(&o.Limit, "limit", time.Minute, "time for a solver on a job set, start-up included")
	f.IntVar(&o.Workers, "workers", 1, "threads of a solver, where it can have several")
	f.IntVar(&o.Rounds, "rounds", 1, "runs of every solver on every set; the table shows the median one")
	f.IntVar(&o.Parallel, "parallel", 1, "runs side by side: no more than cores ÷ workers, or they disturb each other")
	f.BoolVar(&o.Drop, "drop", false, "ask a solver no more about larger sets of a trait, as in family:tight-40:1-5, once it has settled none of a size")
	f.StringVar(&o.solvers, "solvers", "", "only these, the first is what ratios refer to (default: all that are found)")
	f.StringVar(&o.python, "python", "python3", "Python that has OR-tools")
	f.StringVar(&o.csv, "csv", "", "add every run to this file as it ends; runs that are there already, with this limit and this many workers, are not made again")
	f.StringVar(&o.save, "save", "", "keep the sets of families in this folder")
	err := parse(f, args, func() []rule {
		return []rule{
			{f.NArg() == 0, "name a folder of job sets, files, or families as in family:tight-40:1-5"},
			{o.Limit <= 0, "-limit must be more than 0"},
			{o.Workers < 1, "-workers must be at least 1"},
			{o.Rounds < 1, "-rounds must be at least 1"},
			{o.Parallel < 1, "-parallel must be at least 1"},
		}
	})
	o.paths = f.Args()
	return o, err
}

func compare(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseComparison(args, stderr)
	if err != nil {
		return exitUsage
	}
	sets, forget, err := load(o.paths, o.save)
	if err != nil {
		return fail(stderr, err)
	}
	defer forget()
	all, err := o.find(ctx, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	runs, err := o.runAll(ctx, sets, all, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	return o.show(runs, all, stdout, stderr)
}

// load reads the sets. Those of families are in the folder that is named, or in
// one that forget removes.
func load(paths []string, save string) (sets []peers.Set, forget func(), err error) {
	forget = func() {}
	if save != "" {
		err = os.MkdirAll(save, 0o777)
	} else if save, err = os.MkdirTemp("", "peers"); err == nil {
		dir := save
		forget = func() { os.RemoveAll(dir) }
	}
	if err != nil {
		return nil, forget, err
	}
	if sets, err = peers.Load(paths, save); err != nil {
		forget()
	}
	return sets, forget, err
}

func (o *comparison) find(ctx context.Context, stderr io.Writer) ([]peers.Peer, error) {
	self, err := itself()
	if err != nil {
		return nil, err
	}
	all, missing, err := peers.Find(ctx, self, o.python)
	if err != nil {
		return nil, err
	}
	for _, m := range missing {
		fmt.Fprintln(stderr, "left out:", m)
	}
	if o.solvers != "" {
		return peers.Choose(all, strings.Split(o.solvers, ","))
	}
	return all, nil
}

// runAll makes the runs that are not in the file, and adds them to it.
func (o *comparison) runAll(ctx context.Context, sets []peers.Set, all []peers.Peer, stderr io.Writer) ([]*peers.Run, error) {
	var known []*peers.Run
	var failed error
	add := func(*peers.Run) {}
	if o.csv != "" {
		log, found, err := peers.OpenLog(o.csv, all, o.Options)
		if err != nil {
			return nil, err
		}
		defer log.Close()
		if known = found; len(known) > 0 {
			fmt.Fprintf(stderr, "%s has %d runs with this limit; what is wanted of them is taken from there\n", o.csv, len(known))
		}
		add = func(r *peers.Run) { failed = errors.Join(failed, log.Add(r)) }
	}
	n, total := 0, len(sets)*len(all)*o.Rounds
	runs := peers.Compare(ctx, sets, all, o.Options, known, func(r *peers.Run) {
		add(r)
		n++
		fmt.Fprintf(stderr, "%d of %d: %s, %s: %v in %.2fs\n", n, total, r.Set.Name, r.Peer, r.Status, r.Total.Seconds())
	})
	return runs, failed
}

// show prints the table and judges.
func (o *comparison) show(runs []*peers.Run, all []peers.Peer, stdout, stderr io.Writer) int {
	if err := peers.Table(stdout, runs, all, o.Options); err != nil {
		return fail(stderr, err)
	}
	code := exitDone
	for _, c := range peers.Contradictions(runs) {
		fmt.Fprintln(stderr, "contradiction:", c)
		code = exitNo
	}
	for _, r := range runs {
		if r.Fault != "" {
			code = exitNo
		}
	}
	return code
}
