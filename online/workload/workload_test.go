package workload

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
)

// smallTrace is a made-up trace for tests that need one.
const smallTrace = "" +
	"a\t10\t10\t5000000000\t0\t1000000\n" +
	"b\t12\t2\t40000000000\t30000000000\t20000000000\n" +
	"c\t12\t0\t1000\t1000\t1000\n" +
	"d\t100\t88\t9000000000000\t800000000000\t0\n"

// traceFile writes smallTrace to a file and returns its path.
func traceFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.tsv")
	if err := os.WriteFile(path, []byte(smallTrace), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func parse(t *testing.T, spec string) Workload {
	t.Helper()
	w, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func generate(t *testing.T, w Workload, seed uint64) *model.JobSet {
	t.Helper()
	js, err := w.Generate(seed)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// everyWorkload is each workload of the catalog as it stands, and some
// variations that use other code.
func everyWorkload(t *testing.T) []Workload {
	t.Helper()
	file := ":file=" + quote(traceFile(t))
	specs := []string{
		"rtmr1:platform=guarantee", "rtmr2:jobs=30,maxreduces=30,replicas=0", "maxweight:service=geometric,jobs=30",
		"rds:poisson=yes,hard=0.5", "realtime:offsets=yes,uneven=0.5,reduces=0..2,fifo=yes,cores=2", "ec2:placement=remote,jobs=2,ratio=3",
		"swim" + file + ",anywhere=yes,jobs=2", "rds-case:grain=5",
	}
	for _, i := range List() {
		spec := i.Name
		if spec == "swim" {
			spec += file
		}
		specs = append(specs, spec)
	}
	var out []Workload
	for _, s := range specs {
		out = append(out, parse(t, s))
	}
	return out
}

// written is a workload's text form with every parameter, from which Parse makes an
// equal one.
func written(w Workload) string {
	parts := []string{fmt.Sprintf("seed=%d", w.seed)}
	for _, p := range w.gen.params() {
		if !p.preset {
			parts = append(parts, p.name+"="+quote(p.value.String()))
		}
	}
	return w.name + ":" + strings.Join(parts, ",")
}

// quote is the inverse of what split does to a value.
func quote(value string) string {
	if strings.ContainsAny(value, ",\"") || strings.TrimSpace(value) != value {
		return strconv.Quote(value)
	}
	return value
}

func TestSameTextAndSeedSameSet(t *testing.T) {
	for _, w := range everyWorkload(t) {
		digests := map[uint64]string{}
		for _, seed := range []uint64{1, 2, 3} {
			digests[seed] = generate(t, w, seed).Digest()
		}
		// In another order, from several goroutines, and from the text that the
		// workload writes of itself.
		again := parse(t, written(w))
		if written(again) != written(w) {
			t.Errorf("%s\nis read as\n%s", written(w), written(again))
		}
		var all sync.WaitGroup
		for _, seed := range []uint64{3, 1, 2} {
			all.Go(func() {
				js, err := again.Generate(seed)
				if err != nil || js.Digest() != digests[seed] {
					t.Errorf("%s: two different sets of seed %d (%v)", written(w), seed, err)
				}
			})
		}
		all.Wait()
		fixed := strings.HasPrefix(w.name, "rds-") || strings.Contains(written(w), "placement=remote")
		if (digests[1] == digests[2]) != fixed {
			t.Errorf("%s: seeds 1 and 2: %s, %s", written(w), digests[1], digests[2])
		}
		own, err := w.JobSet()
		if err != nil || w.seed != 1 || own.Digest() != digests[1] || own.Name != w.name+"-1" {
			t.Errorf("%s: its own set is %q, seed %d (%v)", written(w), own.Name, w.seed, err)
		}
	}
}

// A changed digest means that results published with a workload's name and
// seed can no longer be repeated. Those of model/gen are that package's affair.
func TestDigestsStayAsTheyAre(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("elsewhere the last bit of a logarithm may round a tick the other way")
	}
	for spec, want := range map[string]string{
		"rtmr1":                       "sha256:58b21ed09a1ea90fc0c90aa0c0fd8f3d460192a4e2d181afebc134c4f942fc6b",
		"rtmr1:platform=guarantee":    "sha256:d572830327031193e6fe4419ef8c5bcd1f4c878444a76c514ada6dc7ccc379c2",
		"rtmr2":                       "sha256:3f88bc7e166bb16b5a7e68b2a04507a594dc7c25e720569f077b9002f78ec3c0",
		"maxweight":                   "sha256:40b653c5fdb86de0b140b350c35bc216e4c96ace1b485493d611f4abe0a709c1",
		"maxweight:service=geometric": "sha256:b4ea466aeaf8517dc7a6d2f951dd992cde00be72a6f1e311d2a2de94ff1def6d",
		"rds":                         "sha256:9bed12423290044da03d5f3a96c107a82357e0d57ed1cd2bdb3dcab110816b77",
		"rds-case":                    "sha256:74d1fc4df0cdbfbd4cfeaf1d379850df02da035b848c6eb80150bc11915f3bde",
		"rds-overload":                "sha256:bdeeec4edac59a1afdbd4a6780b51483539f450b0a541d23c7328786e615ab65",
		"realtime":                    "sha256:c47f8678b51ffbb5a1761b1dab4cc8c0ab691f75c6077090e793f3b20b1a891e",
		"periodic":                    "sha256:1b18f528f40dc6eca3bfd3b5a592bb40322bc6af3204078923e67ec6b842c222",
		"ec2":                         "sha256:dac3c0b2a7c71ebbd8de2e5aeefce97c84de742f2085cf532dca6bf0ec80ee0d",
	} {
		if got := generate(t, parse(t, spec), 1).Digest(); got != want {
			t.Errorf("%q: %q,", spec, got)
		}
	}
}

// Every set can be written, read back, and planned by list scheduling with a
// plan that breaks no rule.
func TestEverySetIsSound(t *testing.T) {
	for _, w := range everyWorkload(t) {
		seeds := testkit.Sets[uint64](1, 3)
		if w.name == "rds" || w.name == "ec2" {
			seeds = 1 // thousands of tasks
		}
		for seed := range seeds {
			js := generate(t, w, seed)
			var text bytes.Buffer
			if err := jobfile.Write(&text, js); err != nil {
				t.Fatalf("%s, seed %d: %v", written(w), seed, err)
			}
			read, err := jobfile.Load("set.yaml", text.Bytes())
			if err != nil {
				t.Fatalf("%s, seed %d: %v", written(w), seed, err)
			}
			if read.Digest() != js.Digest() {
				t.Errorf("%s, seed %d: written and read it is another set", written(w), seed)
			}
			s := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
			if err := check.Schedule(js, s, true).Err(); err != nil {
				t.Errorf("%s, seed %d: %v", written(w), seed, err)
			}
		}
	}
}

// With fewer jobs the first ones stay as they are.
func TestAShorterStreamIsTheStartOfALongerOne(t *testing.T) {
	for _, spec := range []string{"rtmr1:jobs=", "rtmr2:jobs=", "maxweight:jobs=", "swim:file=" + traceFile(t) + ",jobs="} {
		long, short := generate(t, parse(t, spec+"4"), 5), generate(t, parse(t, spec+"2"), 5)
		if start := long.Subset([]model.JobID{0, 1}); start.Digest() != short.Digest() {
			t.Errorf("%s: two jobs are not the first two of four", spec)
		}
	}
}

func TestListAndParametersAreForPeople(t *testing.T) {
	var names []string
	for _, i := range List() {
		names = append(names, i.Name)
		if i.Help == "" || strings.Contains(i.Help, "\n") {
			t.Errorf("%s: help %q", i.Name, i.Help)
		}
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(List()) {
		t.Errorf("names are not unique: %v", names)
	}
	for _, w := range everyWorkload(t) {
		seen := map[string]bool{"seed": true}
		for _, p := range w.Parameters() {
			if p.Help == "" || seen[p.Name] {
				t.Errorf("%s: parameter %+v has no help or stands twice", w.name, p)
			}
			seen[p.Name] = true
		}
		ours := w.name == "tiny" || w.name == "small" || w.name == "family"
		if (len(w.Assumptions()) == 0) != ours {
			t.Errorf("%s: assumptions %q", w.name, w.Assumptions())
		}
		for _, a := range w.Assumptions() {
			if strings.Contains(a, "%!") || !strings.HasSuffix(a, ".") {
				t.Errorf("%s: %q is not a sentence", w.name, a)
			}
		}
	}
}

// Constructors and names give the same sets.
func TestGeneratorsFromCode(t *testing.T) {
	w := RTMR1()
	w.Jobs = 20
	js, err := w.Generate(7)
	if err != nil {
		t.Fatal(err)
	}
	if js.Digest() != generate(t, parse(t, "rtmr1:jobs=20"), 7).Digest() {
		t.Error("RTMR1 with 20 jobs is not rtmr1:jobs=20")
	}
	w.Replicas = 31
	if _, err := w.Generate(7); err == nil || !strings.Contains(err.Error(), "replicas=31") {
		t.Errorf("31 replicas on 30 nodes: %v", err)
	}
}
