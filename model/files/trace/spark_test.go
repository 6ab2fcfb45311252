package trace

import (
	"testing"
)

// A stage that was skipped is passed over, one of a stage attempt that is told anew is done
// once, and jobs that ran side by side are both waited for.
func TestStagesOfLogs(t *testing.T) {
	task := func(stage, index string, end string) string {
		return `{"Event":"SparkListenerTaskEnd","Stage ID":` + stage + `,"Task Info":{"Index":` + index + `,"Launch Time":1000,"Finish Time":` + end + `,"Executor ID":"driver"}}` + "\n"
	}
	tr := ReadForTest(t, &SparkLog{}, `{"Event":"SparkListenerApplicationStart","App ID":"a","Timestamp":500}
{"Event":"SparkListenerJobStart","Job ID":0,"Stage Infos":[{"Stage ID":0,"Parent IDs":[]}]}
{"Event":"SparkListenerJobStart","Job ID":1,"Stage Infos":[{"Stage ID":1,"Parent IDs":[]}]}
`+task("0", "0", "3000")+task("0", "0", "4000")+task("1", "0", "2000")+`{"Event":"SparkListenerJobEnd","Job ID":0}
{"Event":"SparkListenerJobEnd","Job ID":1}
{"Event":"SparkListenerJobStart","Job ID":2,"Stage Infos":[{"Stage ID":2,"Parent IDs":[]},{"Stage ID":3,"Parent IDs":[2],"Number of Tasks":2}]}
`+task("3", "0", "6000"))
	if len(tr.Jobs) != 1 || len(tr.Jobs[0].Stages) != 3 {
		t.Fatalf("%+v", tr.Jobs)
	}
	stages := tr.Jobs[0].Stages
	if tk := stages[0].Tasks[0]; len(stages[0].Tasks) != 1 || tk.Time != 3000 || tk.Wasted != 2000 {
		t.Errorf("a task done twice: %+v", tk)
	}
	if len(stages[0].After) != 0 || len(stages[1].After) != 0 || len(stages[2].After) != 2 {
		t.Errorf("after %v, %v, %v", stages[0].After, stages[1].After, stages[2].After)
	}
	if len(stages[2].Tasks) != 2 || stages[2].Tasks[1].Time != Unknown || tr.Remarks.Count() != 1 {
		t.Errorf("a task that is not told of: %+v", stages[2].Tasks)
	}
}
