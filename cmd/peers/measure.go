package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"downbeat/cmd/internal/peers"
)

// curve tabulates and draws the share of sets settled against their size.
func curve(_ context.Context, args []string, stdout, stderr io.Writer) int {
	by := []time.Duration{time.Minute}
	picture := ""
	f := flags(stderr, "curve [flags] RUNS.csv…")
	f.Func("by", "times that a set has to be settled by, each at most the limit of the runs (default 1m)", func(text string) (err error) {
		by, err = each(text, time.ParseDuration)
		return err
	})
	f.StringVar(&picture, "o", "", "draw the curves to this file: .svg or .png")
	if parse(f, args, func() []rule {
		return []rule{{f.NArg() == 0, "name files that were written with -csv"}}
	}) != nil {
		return exitUsage
	}
	c, err := peers.ReadCurve(f.Args()...)
	if err != nil {
		return fail(stderr, err)
	}
	if err := c.Table(stdout, by); err != nil || picture == "" {
		return fail(stderr, err)
	}
	return fail(stderr, writeFile(picture, func(w io.Writer) error {
		return c.Draw(w, strings.TrimPrefix(filepath.Ext(picture), "."), by)
	}))
}

// scale plans sets of growing size and writes scale.csv and scale.svg.
func scale(ctx context.Context, args []string, _, stderr io.Writer) int {
	sizes := []int{1000, 3000, 10000, 30000, 100000}
	opt := peers.Options{Grace: time.Minute}
	var seed uint64
	var dir string
	f := flags(stderr, "scale [flags]")
	f.Func("tasks", "sizes of the sets (default 1000,3000,10000,30000,100000)", func(text string) (err error) {
		if sizes, err = each(text, strconv.Atoi); err == nil {
			sizes, err = peers.SortedSizes(sizes)
		}
		return err
	})
	f.DurationVar(&opt.Limit, "limit", time.Minute, "time for a set, reading the file included")
	f.IntVar(&opt.Workers, "workers", 1, "searches side by side")
	f.Uint64Var(&seed, "seed", 1, "which sets")
	f.StringVar(&dir, "o", ".", "folder for scale.csv and scale.svg")
	if parse(f, args, func() []rule {
		return []rule{
			{f.NArg() > 0, "scale makes its own sets: it takes flags only"},
			{opt.Limit <= 0, "-limit must be more than 0"},
			{opt.Workers < 1, "-workers must be at least 1"},
		}
	}) != nil {
		return exitUsage
	}
	return fail(stderr, writeScale(ctx, sizes, seed, opt, dir, stderr))
}

func writeScale(ctx context.Context, sizes []int, seed uint64, opt peers.Options, dir string, stderr io.Writer) error {
	self, err := itself()
	if err != nil {
		return err
	}
	sets, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(sets)
	all, err := peers.Scale(ctx, self, sizes, seed, opt, sets, func(g *peers.Growth) {
		fmt.Fprintf(stderr, "%s: read in %.2fs, first plan after %.2fs, value %v, bound %v, %d MB\n",
			g.Set.Name, g.Read.Seconds(), g.First.Seconds(), g.Values, g.Bounds, g.Memory>>20)
	})
	if err != nil {
		return err
	}
	err = writeFile(filepath.Join(dir, "scale.csv"), func(w io.Writer) error { return peers.WriteScale(w, all, opt) })
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "scale.svg"), func(w io.Writer) error { return peers.DrawScale(w, "svg", all) })
}

// budget tabulates values against budgets of counted work.
func budget(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	budgets := []int64{100, 1000, 10000}
	f := flags(stderr, "budget [flags] FOLDER|FILE|family:NAME:SEEDS…")
	f.Func("budgets", "how much work, counted in constructions of a plan (default 100,1000,10000)", func(text string) (err error) {
		budgets, err = each(text, func(s string) (int64, error) {
			n, err := strconv.ParseInt(s, 10, 64)
			if err == nil && n < 1 {
				err = fmt.Errorf("%d is no amount of work", n)
			}
			return n, err
		})
		return err
	})
	if parse(f, args, func() []rule {
		return []rule{{f.NArg() == 0, "name a folder of job sets, files, or families as in family:misses-medium:1-3"}}
	}) != nil {
		return exitUsage
	}
	sets, forget, err := load(f.Args(), "")
	if err != nil {
		return fail(stderr, err)
	}
	defer forget()
	return fail(stderr, peers.Budgets(ctx, stdout, sets, budgets))
}

// each parses the parts between commas.
func each[T any](text string, parse func(string) (T, error)) ([]T, error) {
	var values []T
	for part := range strings.SplitSeq(text, ",") {
		v, err := parse(part)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// writeFile writes a file as a whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o666)
}
