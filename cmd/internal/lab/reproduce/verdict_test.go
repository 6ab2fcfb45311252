package reproduce

import (
	"math"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
)

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name string
		is   criterion
		e    estimate
		want verdict
	}{
		{"all within a tenth", figure(1), estimate{0.95, 0.91, 0.99}, Holds},
		{"at the ends of it", figure(1), estimate{1, 0.9, 1.1}, Holds},
		{"reaching out of it", figure(1), estimate{0.95, 0.85, 1.05}, unsaid},
		{"too wide to say", figure(1), estimate{0.8, 0.3, 1.3}, unsaid},
		{"no interval", figure(1), sample{1, 1}.Mean(), unsaid},
		{"all beyond", figure(1), estimate{0.8, 0.75, 0.85}, fails},
		{"an effect of another size", effect(0.4, 0), estimate{0.2, 0.15, 0.25}, inShape},
		{"one of that size, or not", effect(0.4, 0), estimate{0.35, 0.3, 0.4}, inShape},
		{"one that may be none", effect(0.4, 0), estimate{0.02, -0.01, 0.06}, unsaid},
		{"none to speak of", effect(0.4, 0), estimate{0.02, 0.01, 0.03}, fails},
		{"the opposite", effect(0.4, 0), estimate{-0.2, -0.3, -0.1}, fails},
		{"a share below the whole", effect(0.5, 1), estimate{0.8, 0.75, 0.85}, inShape},
		{"the whole", effect(0.5, 1), exactly(1), fails},
		{"as large", atLeast(0.1), estimate{0.2, 0.1, 0.3}, Holds},
		{"maybe as large", atLeast(0.1), estimate{0.2, 0.05, 0.3}, inShape},
		{"not shown to be any", atLeast(0.1), estimate{0.2, -0.01, 0.4}, unsaid},
		{"none at all", atLeast(0.1), estimate{0, -0.005, 0.005}, fails},
		{"more", more(0), estimate{1, 0.1, 2}, Holds},
		{"no more", more(0), exactly(0), fails},
		{"less", more(0), estimate{-1, -2, -0.1}, fails},
		{"as good as equal", more(1), estimate{0.01, -0.02, 0.04}, fails},
		{"little more", more(1), estimate{0.03, 0.02, 0.04}, Holds},
		{"not known to be more", more(0), estimate{1, -0.1, 2}, unsaid},
	} {
		if got := c.is.judge(c.e); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if yes(true) != Holds || yes(false) != fails {
		t.Error("what is known exactly is not said")
	}
}

// filled is n times a value.
func filled(n int, v float64) sample {
	out := make(sample, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func TestAlways(t *testing.T) {
	for n, want := range map[int]verdict{2: unsaid, 20: unsaid, 100: Holds} {
		if got := always(filled(n, 1)); got != want {
			t.Errorf("%d of %d: %q, want %q", n, n, got, want)
		}
		if got := always(append(filled(n, 1), 0.99)); got != fails {
			t.Errorf("all but one of %d: %q", n, got)
		}
	}
}

func TestReduction(t *testing.T) {
	low, high := sample{}, sample{}
	for i := range 30 {
		low, high = append(low, float64(i)), append(high, float64(2*i))
	}
	if r := reduction(low, high); math.Abs(r.Value-0.5) > 1e-12 || r.fixed() {
		t.Errorf("halves of which no pair tells how far they are from it: %+v", r)
	}
	low[3]++
	if text := shareBelow(low, filled(30, 0)); text != "-" {
		t.Errorf("%q below nothing", text)
	}
}

// Pairs that are yes or no need not be many: a sign test tells the side.
func TestSigns(t *testing.T) {
	six := append(filled(6, 1), filled(50, 0)...)
	none := filled(56, 0)
	if got := larger(six, none); got != Holds {
		t.Errorf("six against none: %q", got)
	}
	if got := larger(none, six); got != fails {
		t.Errorf("none against six: %q", got)
	}
	six[0] = 2
	if got := larger(six, none); got != unsaid {
		t.Errorf("six that differ by what may be anything: %q", got)
	}
}

// truth is a claim with runs of which it is true or not.
type truth struct {
	name string
	// draw has n runs; the verdicts of wrong are false of them, and holds says whether it is true
	// by a margin that enough runs show.
	draw  func(r *rand.Rand, n int) verdict
	wrong []verdict
	shown bool
}

// truths have each kind of claim on figures at the border of being true, to either side,
// and well within.
func truths() []truth {
	normal := func(mean float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return mean * (1 + 0.3*r.NormFloat64()) }
	}
	skewed := func(mean float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() }
	}
	share := func(mean float64) func(*rand.Rand) float64 { // mostly whole
		return func(r *rand.Rand) float64 {
			if r.Float64() < 0.5 {
				return 1
			}
			return 1 - 4*(1-mean)*r.Float64()
		}
	}
	mean := func(c criterion, of func(*rand.Rand) float64) func(*rand.Rand, int) verdict {
		return func(r *rand.Rand, n int) verdict { return c.judge(draws(r, n, of).Mean()) }
	}
	var out []truth
	for kind, of := range map[string]func(float64) func(*rand.Rand) float64{"normal": normal, "skewed": skewed} {
		out = append(out,
			truth{kind + " figure, just beyond", mean(figure(1), of(1.101)), []verdict{Holds}, false},
			truth{kind + " figure, just within", mean(figure(1), of(0.901)), []verdict{fails}, false},
			truth{kind + " figure, as published", mean(figure(1), of(1)), []verdict{fails}, true},
			truth{kind + " effect, just beyond", mean(effect(1, 0), of(1.101)), []verdict{Holds, fails}, false},
			truth{kind + " effect, next to none", mean(effect(1, 0), func(r *rand.Rand) float64 { return of(1)(r) - 0.901 }), []verdict{Holds, inShape}, false},
			truth{kind + " difference, none", func(r *rand.Rand, n int) verdict {
				return larger(draws(r, n, of(1)), draws(r, n, of(1)))
			}, []verdict{Holds, fails}, false},
			truth{kind + " difference", func(r *rand.Rand, n int) verdict {
				return larger(draws(r, n, of(2)), draws(r, n, of(1)))
			}, []verdict{fails}, true},
			truth{kind + " reduction, just short", func(r *rand.Rand, n int) verdict {
				return atLeast(0.2).judge(reduction(draws(r, n, of(0.801)), draws(r, n, of(1))))
			}, []verdict{Holds}, false},
			truth{kind + " reduction", func(r *rand.Rand, n int) verdict {
				return atLeast(0.2).judge(reduction(draws(r, n, of(0.4)), draws(r, n, of(1))))
			}, []verdict{fails}, true},
		)
	}
	return append(out,
		truth{"share, just beyond", func(r *rand.Rand, n int) verdict {
			return figure(0.7).judge(draws(r, n, share(0.771)).Share())
		}, []verdict{Holds}, false},
		truth{"share, just within", func(r *rand.Rand, n int) verdict {
			return effect(0.9, 1).judge(draws(r, n, share(0.982)).Share())
		}, []verdict{fails}, false},
		truth{"share, whole but for one in ten", func(r *rand.Rand, n int) verdict {
			return effect(0.5, 1).judge(draws(r, n, func(r *rand.Rand) float64 {
				if r.Float64() < 0.1 {
					return 0.49
				}
				return 1
			}).Share())
		}, []verdict{Holds, fails}, false},
		truth{"share, as published", func(r *rand.Rand, n int) verdict {
			return figure(0.7).judge(draws(r, n, share(0.7)).Share())
		}, []verdict{fails}, true},
		truth{"all but one in twenty", func(r *rand.Rand, n int) verdict {
			return always(draws(r, n, func(r *rand.Rand) float64 {
				if r.Float64() < 0.05 {
					return 0
				}
				return 1
			}))
		}, []verdict{Holds}, false},
		truth{"yes in place of no, as often as the opposite", func(r *rand.Rand, n int) verdict {
			toss := func(r *rand.Rand) float64 { return float64(r.IntN(2)) }
			return larger(draws(r, n, toss), draws(r, n, toss))
		}, []verdict{Holds, fails}, false},
	)
}

func draws(r *rand.Rand, n int, of func(*rand.Rand) float64) sample {
	out := make(sample, n)
	for i := range out {
		out[i] = of(r)
	}
	return out
}

// Whatever the number of runs, five in a hundred verdicts are false at most; and what is true by a
// margin is said the more often the more runs there are, in the end nearly always.
func TestPower(t *testing.T) {
	testkit.OneGoroutine(t)
	trials := testkit.Sets(60, 200)
	for k, c := range truths() {
		before := 0.0
		for _, n := range []int{2, 4, 8, 20, 50, 200, 1600} {
			r := rand.New(rand.NewPCG(uint64(k), uint64(n)))
			count := map[verdict]int{}
			for range trials {
				count[c.draw(r, n)]++
			}
			for _, wrong := range c.wrong {
				if most := 0.05*float64(trials) + 3*math.Sqrt(0.05*0.95*float64(trials)); float64(count[wrong]) > most {
					t.Errorf("%s, %d runs: %q %d times of %d", c.name, n, wrong, count[wrong], trials)
				}
			}
			if !c.shown {
				continue
			}
			held := float64(count[Holds]) / float64(trials)
			if noise := 3 * math.Sqrt(0.25/float64(trials)); held < before-noise {
				t.Errorf("%s: holds in %.0f %% at %d runs, in %.0f %% with fewer", c.name, 100*held, n, 100*before)
			}
			before = max(before, held)
			if n == 2 && held > 0 {
				t.Errorf("%s: two runs hold", c.name)
			}
			if n == 1600 && held < 0.75 {
				t.Errorf("%s: holds in %.0f %% at %d runs", c.name, 100*held, n)
			}
		}
	}
}
