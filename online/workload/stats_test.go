package workload

import (
	"math"
	"slices"
	"testing"
)

// fits fails unless the sample looks drawn from the continuous distribution:
// Kolmogorov and Smirnov's test at one in ten thousand.
func fits(t *testing.T, what string, sample []float64, distribution func(float64) float64) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(sample))
	n := float64(len(sorted))
	worst := 0.0
	for i, x := range sorted {
		p := distribution(x)
		worst = max(worst, p-float64(i)/n, float64(i+1)/n-p)
	}
	if limit := 2.23 / math.Sqrt(n); worst > limit {
		t.Errorf("%s: the empirical distribution of %d draws is off by %.4f, more than %.4f", what, len(sample), worst, limit)
	}
}

// alike fails unless two samples of equal size look drawn from one continuous
// distribution, at one in ten thousand.
func alike(t *testing.T, what string, a, b []float64) {
	t.Helper()
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	worst, i, j := 0.0, 0, 0
	for i < len(a) && j < len(b) {
		if a[i] <= b[j] {
			i++
		} else {
			j++
		}
		worst = max(worst, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	if limit := 2.23 * math.Sqrt(2/float64(len(a))); worst > limit {
		t.Errorf("%s: two samples of %d differ by %.4f, more than %.4f", what, len(a), worst, limit)
	}
}

// closeTo fails unless the mean of the sample is within five standard errors of
// what it should be.
func closeTo(t *testing.T, what string, sample []float64, want float64) {
	t.Helper()
	mean, square := 0.0, 0.0
	for _, x := range sample {
		mean += x / float64(len(sample))
	}
	for _, x := range sample {
		square += (x - mean) * (x - mean) / float64(len(sample)-1)
	}
	if limit := 5*math.Sqrt(square/float64(len(sample))) + 1e-9; math.Abs(mean-want) > limit {
		t.Errorf("%s: mean %.4f of %d draws, want %.4f ± %.4f", what, mean, len(sample), want, limit)
	}
}

func TestTruncatedNormal(t *testing.T) {
	const draws = 20_000
	r := Range{20, 160}
	counts := make([]float64, r.Hi+1)
	for i := range draws {
		x := truncatedNormal(stream(1, "test", i), 100, 60, r)
		if x < r.Lo || x > r.Hi {
			t.Fatalf("%d is outside %d..%d", x, r.Lo, r.Hi)
		}
		counts[x]++
	}
	total := 0.0
	weight := func(x int) float64 {
		z := (float64(x) - 100) / 60
		return math.Exp(-z * z / 2)
	}
	for x := r.Lo; x <= r.Hi; x++ {
		total += weight(x)
	}
	square := 0.0
	for x := r.Lo; x <= r.Hi; x++ {
		want := draws * weight(x) / total
		square += (counts[x] - want) * (counts[x] - want) / want
	}
	// Chi-square with 140 degrees of freedom: mean 140, deviation 17.
	if square > 140+5*17 {
		t.Errorf("chi-square %.1f against a cut normal distribution, want about 140", square)
	}
	for _, r := range []Range{{1, 1}, {200, 300}, {1, 2}} {
		for i := range 100 {
			if x := truncatedNormal(stream(2, "test", i), 1, 50, r); x < r.Lo || x > r.Hi {
				t.Fatalf("%d is outside %d..%d, far in the tail", x, r.Lo, r.Hi)
			}
		}
	}
}

func TestGeometric(t *testing.T) {
	for _, p := range []float64{0.2, 0.8, 1} {
		var draws, ones []float64
		for i := range 20_000 {
			x := geometricAt(stream(1, "test", i).Float64(), p)
			if x < 1 {
				t.Fatalf("p=%g: %d trials", p, x)
			}
			draws = append(draws, float64(x))
			ones = append(ones, 0)
			if x == 1 {
				ones[i] = 1
			}
		}
		closeTo(t, "trials", draws, 1/p)
		closeTo(t, "first trial succeeds", ones, p)
	}
	// Quantiles by hand: half of a fair coin's runs end at once, a quarter after two.
	for u, want := range map[float64]int{0: 1, 0.49: 1, 0.51: 2, 0.74: 2, 0.76: 3} {
		if got := geometricAt(u, 0.5); got != want {
			t.Errorf("quantile %g of p=0.5 is %d, want %d", u, got, want)
		}
	}
}

func TestSample(t *testing.T) {
	counts := make([]float64, 7)
	const rounds = 7000
	for i := range rounds {
		picked := sample(stream(3, "test", i).IntN, 7, 3)
		slices.Sort(picked)
		if len(slices.Compact(picked)) != 3 {
			t.Fatalf("picked %v of 7", picked)
		}
		for _, x := range picked {
			counts[x]++
		}
	}
	for x, n := range counts {
		if math.Abs(n-rounds*3/7) > 5*math.Sqrt(rounds*3./7*4/7) {
			t.Errorf("%d was picked %g times in %d rounds, want about %d", x, n, rounds, rounds*3/7)
		}
	}
}

// Streams of neighbouring seeds, items and names must look independent.
func TestStreams(t *testing.T) {
	var all []float64
	seen := map[float64]bool{}
	for seed := range uint64(10) {
		for _, what := range []string{"a", "b", "gap"} {
			for item := range 200 {
				x := stream(seed, what, item).Float64()
				if seen[x] {
					t.Fatalf("seed %d, %s %d: a stream starts like another", seed, what, item)
				}
				seen[x] = true
				all = append(all, x)
			}
		}
	}
	fits(t, "first draws of streams", all, func(x float64) float64 { return x })
	var sums []float64 // neighbours add up to a triangle if independent
	for i := 0; i+1 < len(all); i += 2 {
		sums = append(sums, all[i]+all[i+1])
	}
	fits(t, "sums of neighbours", sums, func(x float64) float64 {
		if x < 1 {
			return x * x / 2
		}
		return 1 - (2-x)*(2-x)/2
	})
}
