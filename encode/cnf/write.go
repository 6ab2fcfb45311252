package cnf

import (
	"bufio"
	"fmt"
	"io"

	"github.com/irifrance/gini/z"
)

// WriteDIMACS writes the formula in the format that SAT solvers read.
func (f *Formula) WriteDIMACS(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "p cnf %d %d\n", f.vars, f.clauses)
	f.eachClause(func(clause []z.Lit) { writeClause(out, "", clause) })
	return out.Flush()
}

func writeClause(out *bufio.Writer, mark string, clause []z.Lit) {
	out.WriteString(mark)
	for _, m := range clause {
		fmt.Fprintf(out, "%d ", m.Dimacs())
	}
	out.WriteString("0\n")
}

// eachClause yields the clauses in the order in which they were added.
func (f *Formula) eachClause(yield func(clause []z.Lit)) {
	from := 0
	for i, m := range f.lits {
		if m == z.LitNull {
			yield(f.lits[from:i])
			from = i + 1
		}
	}
}

// WriteWCNF writes the formula, whose clauses are hard, and what literals cost in the format
// of the MaxSAT Evaluation since 2022, or with old in the one with a p line before that.
func (f *Formula) WriteWCNF(w io.Writer, costs []Cost, old bool) error {
	out := bufio.NewWriter(w)
	hard := "h "
	if old {
		top := int64(1)
		for _, c := range costs {
			top += c.Weight
		}
		hard = fmt.Sprint(top, " ")
		fmt.Fprintf(out, "p wcnf %d %d %d\n", f.vars, f.clauses+int64(len(costs)), top)
	}
	f.eachClause(func(clause []z.Lit) { writeClause(out, hard, clause) })
	for _, c := range costs {
		fmt.Fprintf(out, "%d %d 0\n", c.Weight, c.Lit.Not().Dimacs())
	}
	return out.Flush()
}

// WriteOPB writes the formula with the sums that were kept, and what literals cost, in the
// format of pseudo-Boolean solvers; comments, lines that begin with *, stand below the first
// line. Negated variables are written out, which not all solvers know: what is minimised is
// lower by a constant where costs have some.
func (f *Formula) WriteOPB(w io.Writer, comments []byte, costs []Cost) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "* #variable= %d #constraint= %d\n", f.vars, f.clauses+int64(len(f.sums)))
	out.Write(comments)
	if len(costs) > 0 {
		out.WriteString("min:")
		for _, c := range costs {
			writeTerm(out, c.Weight, c.Lit)
		}
		out.WriteString(" ;\n")
	}
	f.eachClause(func(clause []z.Lit) {
		least := int64(1)
		for _, m := range clause {
			least -= writeTerm(out, 1, m)
		}
		if len(clause) == 0 {
			least, _ = 2, writeTerm(out, 1, True) // a sum without terms is no constraint
		}
		fmt.Fprintf(out, " >= %d ;\n", least)
	})
	for i := range f.sums {
		s := &f.sums[i]
		least := -s.Most
		for k, m := range s.Lits {
			least -= writeTerm(out, -s.Coefficients[k], m)
		}
		fmt.Fprintf(out, " >= %d ;\n", least)
	}
	return out.Flush()
}

// writeTerm writes a multiple of a literal without its constant, which is returned.
func writeTerm(out *bufio.Writer, coefficient int64, m z.Lit) (constant int64) {
	if !m.IsPos() {
		coefficient, constant = -coefficient, coefficient
	}
	fmt.Fprintf(out, " %+d x%d", coefficient, m.Var())
	return constant
}
