package x
import ("testing";"context";"downbeat/model/gen";"downbeat/solve")
func BenchmarkToday(b *testing.B){ js:=gen.ScaleToday(10000,1); for range b.N { solve.Plan(context.Background(),js,solve.Options{Workers:1,Budget:20}) } }
func BenchmarkPlain(b *testing.B){ js:=gen.Scale(10000,1); for range b.N { solve.Plan(context.Background(),js,solve.Options{Workers:1,Budget:20}) } }
