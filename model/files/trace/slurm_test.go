package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit"
)

func TestSlurmHosts(t *testing.T) {
	for text, want := range map[string]string{
		"cn01": "cn01", "cn[01-04,7]": "cn01 cn02 cn03 cn04 cn7", "a,b[9-11],c": "a b9 b10 b11 c", "r[1-2]n[3-4]x": "r1n3x r1n4x r2n3x r2n4x",
		"n[098-101]": "n098 n099 n100 n101",
		// Lists that are none, or of more nodes than Slurm can have.
		"": "", "n[1-": "", "n[2-1]": "", "n[a-b]": "", "n[1-70000]": "", "n[1-300]m[1-300]": "", "n[00000000000000000001-2]": "", "a b": "",
		strings.Repeat("n[1]", 20): "",
	} {
		if got := strings.Join(slurmHosts(text), " "); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func TestSlurmArrays(t *testing.T) {
	for text, want := range map[string]string{
		"3": "[3] 0 ", "1-4,7%2": "[1 2 3 4 7] 2 ", "0-10:5": "[0 5 10] 0 ", "1,...%4": "[] 0 the list of the array's tasks is cut off",
		"4-1": "[] 0 the tasks of the array are \"4-1\"", "1-9:0": "[] 0 the tasks of the array are \"1-9:0\"", "x": "[] 0 the tasks of the array are \"x\"",
		"1-11": "[] 0 the array has more than 10 tasks", "1-5,1-6": "[] 0 the array has more than 10 tasks", "2%x": "[] 0 the tasks of the array are \"2%x\"",
	} {
		tasks, atMost, problem, _ := slurmTasks(text, 10)
		if got := fmt.Sprint(tasks, " ", atMost, " ", problem); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// TestSlurmHistory: of the tasks that are kept those that have ended take the place of none that wait.
func TestSlurmHistory(t *testing.T) {
	testkit.Long(t)
	text := "JobId=1 ArrayJobId=1 ArrayTaskId=0-999999 JobName=a UserId=u(1) JobState=COMPLETED StartTime=2026-11-20T22:00:00 EndTime=2026-11-20T23:00:00 NodeList=n1\n" +
		"JobId=2 JobName=a UserId=u(1) JobState=COMPLETED StartTime=2026-11-20T22:00:00 EndTime=2026-11-20T23:00:00 NodeList=n1\n" +
		"JobId=3 JobName=a UserId=u(1) JobState=PENDING SubmitTime=2026-11-21T22:00:00\n"
	in, err := NewInput(t.Context(), "f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	keep := Everything
	keep.Ended = true
	tr, s := New(keep), &Slurm{}
	if err := s.Read(in, tr); err != nil {
		t.Fatal(err)
	}
	s.Close(tr)
	if len(tr.Jobs) != 2 || tr.Jobs[1].ID != "3" || !tr.Jobs[1].Ahead || tr.Beyond != 1 {
		t.Errorf("%d jobs kept, %d beyond", len(tr.Jobs), tr.Beyond)
	}
}

func TestSlurmFigures(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"00:41:05": 41*time.Minute + 5*time.Second, "1-00:00:00": 24 * time.Hour, "05:30": 5*time.Minute + 30*time.Second, "2-12": 60 * time.Hour,
		"1-01:30": 25*time.Hour + 30*time.Minute, "00:00.250": 250 * time.Millisecond, "x": -1, "5": -1, "1:2:3:4": -1,
	} {
		ms, ok := slurmLength(text)
		if ok != (want >= 0) || ok && ms != want.Milliseconds() {
			t.Errorf("%q is read as %d ms, %v; want %v", text, ms, ok, want)
		}
	}
	for text, want := range map[string]string{
		"64G": "68719476736 ", "4Gc": "4294967296 c", "1500Mn": "1572864000 n", "512": "536870912 ", "1.5G": "1610612736 ", "812K": "831488 ", "0n": "-1 n", "2GiB": "2147483648 ", "x": "0 ",
	} {
		bytes, of, _ := slurmMemory(text)
		if got := fmt.Sprint(bytes, " ", of); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
	zone := time.FixedZone("", 3600)
	for text, want := range map[string]string{
		"2026-11-20T22:00:01": "2026-11-20T21:00:01Z", "2026-11-20 22:00:01": "2026-11-20T21:00:01Z", "1795298400": "2026-11-21T22:00:00Z",
		"2026-11-20T22:00:01Z": "2026-11-20T22:00:01Z", "20 Nov": "",
	} {
		at, ok := slurmTime(text, zone)
		if ok != (want != "") || ok && time.UnixMilli(at).UTC().Format(time.RFC3339) != want {
			t.Errorf("%q is read as %d, %v; want %s", text, at, ok, want)
		}
	}
	for text, want := range map[string]string{
		"afterok:12_*(unfulfilled),afterany:3:4": "[12 3 4] ", "singleton": "[] singleton", "after:5+10,aftercorr:6": "[6] after:5+10", "afterok:1?afterok:2": "[1 2] afterok:1?afterok:2",
	} {
		jobs, other := slurmAfter(text)
		if got := fmt.Sprint(jobs, " ", other); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

const slurmHead = "JobID|JobName|State|AllocCPUS|NNodes|Submit|Start|End|Timelimit|NodeList\n"

// A job that was run again is one job that took what its last run did; the others were wasted. One
// of which all runs failed is left out, and takes the place of none.
func TestSlurmRunAgain(t *testing.T) {
	text := slurmHead
	for i := range 5 {
		text += fmt.Sprintf("%d|bad|FAILED|1|1|2026-11-20T22:00:00|2026-11-20T22:00:00|2026-11-20T22:05:00|10:00|n1\n", 10+i)
	}
	text += `20|again|NODE_FAIL|1|1|2026-11-20T22:00:00|2026-11-20T22:00:00|2026-11-20T22:05:00|10:00|n1
20|again|REQUEUED|1|1|2026-11-20T22:00:00|2026-11-20T22:06:00|2026-11-20T22:07:00|10:00|n1
20|again|COMPLETED|1|1|2026-11-20T22:00:00|2026-11-20T22:10:00|2026-11-20T22:13:00|10:00|n2
20.batch|batch|COMPLETED|1|1|2026-11-20T22:10:00|2026-11-20T22:10:00|2026-11-20T22:13:00||n2
21_4|part|COMPLETED|2|1|2026-11-20T22:00:00|2026-11-20T22:10:00|2026-11-20T22:12:00|10:00|n2
21_5|part|OUT_OF_MEMORY|2|1|2026-11-20T22:00:00|2026-11-20T22:10:00|2026-11-20T22:12:00|10:00|n2
22|beyond|COMPLETED|2|1|2026-11-20T22:00:00|2026-11-20T22:10:00|2026-11-20T22:12:00|10:00|n2
`
	in, err := NewInput(t.Context(), "f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	keep := Everything
	keep.Limit = 2
	tr, s := New(keep), &Slurm{}
	if err := s.Read(in, tr); err != nil {
		t.Fatal(err)
	}
	s.Close(tr)
	if len(tr.Jobs) != 2 || tr.Beyond != 1 {
		t.Fatalf("%d jobs, %d beyond", len(tr.Jobs), tr.Beyond)
	}
	again := tr.Jobs[0].Stages[0].Tasks[0]
	if again.Time != 180_000 || again.Wasted != 360_000 || tr.HostName(again.Host) != "n2" || again.Declared != 600_000 {
		t.Errorf("%+v", again)
	}
	if n := len(tr.Jobs[1].Stages[0].Tasks); n != 1 {
		t.Errorf("%d tasks of the array are left", n)
	}
	var told []string
	for _, k := range tr.Unusable.Kinds {
		told = append(told, fmt.Sprint(k.What, " ", k.Count))
	}
	want := []string{"jobs, and tasks of arrays, that did not succeed: FAILED 5", "jobs, and tasks of arrays, that did not succeed: OUT_OF_MEMORY 1"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// Jobs of one name by several users are several, those without a name of their own too; an array of
// jobs on two nodes each is a gang for each task; a job with nodes to itself has all of their cores.
func TestSlurmJobs(t *testing.T) {
	tr := ReadForTest(t, &Slurm{}, `NodeName=n1 CPUTot=8 State=IDLE
NodeName=n2 CPUTot=16 State=IDLE
JobId=1 JobName=etl UserId=ann(1) JobState=PENDING SubmitTime=2026-11-20T22:00:00 TimeLimit=10:00 NumNodes=1 NumCPUs=2 OverSubscribe=NO
JobId=2 JobName=etl UserId=bob(2) JobState=PENDING SubmitTime=2026-11-20T22:00:00 TimeLimit=10:00 NumNodes=1 NumCPUs=2 ExcNodeList=n2
JobId=3 JobName=wrap UserId=bob(2) JobState=PENDING SubmitTime=2026-11-20T22:00:00 TimeLimit=UNLIMITED NumNodes=1-1 NumCPUs=2 ReqNodeList=n2
JobId=4 ArrayJobId=4 ArrayTaskId=1-2 JobName=mpi UserId=bob(2) JobState=PENDING SubmitTime=2026-11-20T22:00:00 TimeLimit=10:00 NumNodes=2 NumCPUs=5 MinMemoryCPU=1G
`)
	var got []string
	for _, j := range tr.Jobs {
		st := &j.Stages[0]
		var hosts []string
		for _, h := range st.Hosts {
			hosts = append(hosts, tr.HostName(h))
		}
		got = append(got, fmt.Sprint(j.ID, " ", j.Name, " ", len(st.Tasks), "x", st.Cores, " ", st.Memory>>30, " ", st.Gang && st.Apart, " ", hosts, " ", st.Tasks[0].Declared))
	}
	want := []string{"1 etl 1x16 -1 false [] 600000", "2 etl of bob 1x2 -1 false [n1] 600000", "3 3 1x2 -1 false [n2] -1", "4_1 mpi 2x3 3 true [] 600000", "4_2 mpi 2x3 3 true [] 600000"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
