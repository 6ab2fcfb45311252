package cubefolder

import (
	"encoding/json"
	"io"
	"slices"

	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/solve/certify"
)

// certificate is closed.json.gz: what was proved before the question was split.
type certificate struct {
	ID          string       `json:"id"`
	Claims      []claim      `json:"claims"`
	Open        []claim      `json:"open"`
	Refutations []refutation `json:"refutations"`
}

// claim is that of a proof file; By is an index of Refutations.
type claim struct {
	Infeasible bool          `json:"infeasible,omitempty"`
	Jobs       []model.JobID `json:"jobs,omitempty"` // that clash
	Objective  string        `json:"objective,omitempty"`
	Least      int64         `json:"least,omitempty"`
	Given      []given       `json:"given,omitempty"`
	By         int           `json:"by"`
}

type given struct {
	Objective string `json:"objective"`
	Most      int64  `json:"at_most"`
}

type refutation struct {
	Question []string `json:"question"`
	Steps    string   `json:"steps"`
	Last     int64    `json:"last"`
	Uses     []int    `json:"uses,omitempty"`
}

// writeCertificate writes what c claims, each refutation once and those first that others use.
func writeCertificate(w io.Writer, id string, c *certify.Certificate) error {
	out, at := certificate{ID: id, Claims: []claim{}, Open: []claim{}, Refutations: []refutation{}}, map[*proof.Refutation]int{}
	var add func(r *proof.Refutation) int
	add = func(r *proof.Refutation) int {
		if k, known := at[r]; known {
			return k
		}
		var uses []int
		for _, of := range r.Uses {
			uses = append(uses, add(of))
		}
		at[r] = len(out.Refutations)
		out.Refutations = append(out.Refutations, refutation{r.Question, string(r.Steps), r.Last, uses})
		return at[r]
	}
	stated := func(c *certify.Claim) claim {
		s := claim{Infeasible: c.Infeasible, Jobs: c.Jobs, Least: c.Least}
		if !c.Infeasible {
			s.Objective = c.Objective.String()
		}
		for _, g := range c.Given {
			s.Given = append(s.Given, given{g.Objective.String(), g.Most})
		}
		return s
	}
	for i := range c.Claims {
		s := stated(&c.Claims[i])
		s.By = add(c.Claims[i].By)
		out.Claims = append(out.Claims, s)
	}
	for i := range c.Open {
		out.Open = append(out.Open, stated(&c.Open[i]))
	}
	return json.NewEncoder(w).Encode(out)
}

// certificate reads it; without claims where there is none, as nothing was proved.
func (f *Folder) certificate() (*certify.Certificate, error) {
	out := &certify.Certificate{JS: f.JS, Unit: f.Tick}
	path := f.path(closedName)
	if ok, err := exists(path); err != nil {
		return nil, err
	} else if !ok && !f.Start.proved() {
		return out, nil
	}
	text, err := unzipped(path)
	if err != nil {
		return nil, err
	}
	var c certificate
	if err := parseJSON(path, text, &c); err != nil {
		return nil, err
	}
	if err := f.same(path, c.ID); err != nil {
		return nil, err
	}
	all := make([]*proof.Refutation, len(c.Refutations))
	for k, r := range c.Refutations {
		all[k] = &proof.Refutation{Question: r.Question, Steps: []byte(r.Steps), Last: r.Last}
		for _, u := range r.Uses {
			if u < 0 || u >= k {
				return nil, usage.Errorf("%s: refutation %d uses one that is not before it", path, k)
			}
			all[k].Uses = append(all[k].Uses, all[u])
		}
	}
	for _, s := range c.Claims {
		if s.By < 0 || s.By >= len(all) {
			return nil, usage.Errorf("%s: a claim is by refutation %d, which is not there", path, s.By)
		}
		of, err := s.parsed()
		if err != nil {
			return nil, usage.Errorf("%s: %v", path, err)
		}
		out.Claims = append(out.Claims, certify.Claim{Claim: of, By: all[s.By]})
	}
	for _, s := range c.Open {
		of, err := s.parsed()
		if err != nil {
			return nil, usage.Errorf("%s: %v", path, err)
		}
		out.Open = append(out.Open, certify.Claim{Claim: of})
	}
	return out, nil
}

func (s *claim) parsed() (out inference.Claim, err error) {
	if s.Infeasible {
		return inference.Claim{Infeasible: true, Jobs: s.Jobs}, nil
	}
	out.Least = s.Least
	if out.Objective, err = model.ParseReported(s.Objective); err != nil {
		return out, err
	}
	for _, g := range s.Given {
		o, err := model.ParseReported(g.Objective)
		if err != nil {
			return out, err
		}
		out.Given = append(out.Given, inference.Limit{Objective: o, Most: g.Most})
	}
	return out, nil
}

// without are the claims but for those of an objective, and that there is no plan.
func without(claims []certify.Claim, o model.Objective) []certify.Claim {
	return slices.DeleteFunc(claims, func(c certify.Claim) bool { return c.Infeasible || c.Objective == o })
}
