package trace

import (
	"strings"
	"testing"
)

// A map whose output was lost is done again, a job tells more or fewer tasks than it has,
// and a reduce without a time of its shuffle runs from the last map on.
func TestHistories(t *testing.T) {
	line := func(kind, fields string) string { return `{"type":"` + kind + `","event":{"x.y":{` + fields + "}}}\n" }
	start := func(task, attempt, at string) string {
		return line("MAP_ATTEMPT_STARTED", `"taskid":"`+task+`","attemptId":"`+attempt+`","startTime":`+at)
	}
	end := func(task, attempt, at string) string {
		return line("MAP_ATTEMPT_FINISHED", `"taskid":"`+task+`","attemptId":"`+attempt+`","taskStatus":"SUCCEEDED","finishTime":`+at)
	}
	tr := ReadForTest(t, ReadFunc(JHist), "Avro-Json\n"+line("JOB_SUBMITTED", `"jobid":"job_1_1","submitTime":500`)+
		line("JOB_INITED", `"totalMaps":3,"totalReduces":0`)+
		start("t_m_0", "a0", "1000")+end("t_m_0", "a0", "2000")+start("t_m_0", "a1", "3000")+end("t_m_0", "a1", "5000")+
		start("t_r_0", "r0", "4000")+end("t_r_0", "r0", "9000")+"nonsense\n")
	if len(tr.Jobs) != 1 || tr.Jobs[0].Submit != 500 || len(tr.Jobs[0].Stages) != 2 || tr.Unusable.Count() != 1 || tr.Remarks.Count() != 2 {
		t.Fatalf("%+v, %+v, %+v", tr.Jobs, tr.Unusable, tr.Remarks)
	}
	m, r := tr.Jobs[0].Stages[0].Tasks, tr.Jobs[0].Stages[1].Tasks
	if len(m) != 2 || m[0].Time != 2000 || m[0].Wasted != 1000 || m[1].Count != 2 || m[1].Time != Unknown || r[0].Time != 4000 || r[0].Fetch != 0 {
		t.Errorf("%+v, %+v", m, r)
	}
}

// Averages of a job stand in for tasks that no answer tells of.
func TestAverages(t *testing.T) {
	tr := ReadForTest(t, &HadoopHistory{}, `{"job":{"id":"job_1_1","submitTime":5,"mapsTotal":4,"reducesTotal":2,"avgMapTime":100,"avgReduceTime":30,"avgMergeTime":5,"avgShuffleTime":20}}{"conf":{"path":"a/job_2_2/job.xml"}}`)
	if len(tr.Jobs) != 1 || tr.Remarks.Count() != 1 {
		t.Fatalf("%+v, %+v", tr.Jobs, tr.Remarks)
	}
	m, r := tr.Jobs[0].Stages[0].Tasks, tr.Jobs[0].Stages[1].Tasks
	if m[0].Count != 4 || m[0].Time != 100 || r[0].Count != 2 || r[0].Time != 35 || r[0].Fetch != 20 {
		t.Errorf("%+v, %+v", m, r)
	}
}

// What is no schema is told.
func TestSchemas(t *testing.T) {
	for text, want := range map[string]string{
		`"strnig"`: `there is no type "strnig"`, `{"type":"record","name":"A","fields":[{"name":"f","type":"B"}]}`: `field f: there is no type "B"`,
		`7`: "a number where something else is expected", strings.Repeat("[", 60) + strings.Repeat("]", 60): "more than 50 levels",
	} {
		if _, err := parseSchema([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	of, err := parseSchema([]byte(`{"type":"record","name":"A","namespace":"n","fields":[{"name":"f","type":{"type":"fixed","name":"F","size":2}},{"name":"g","type":["null","F","A"]}]}`))
	if err != nil || of.name != "n.A" || of.fields[0].of.size != 2 || of.fields[1].of.members[2] != of {
		t.Errorf("%+v, %v", of, err)
	}
}
