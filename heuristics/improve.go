package heuristics

func (s *searcher) squeak()  {}
func (s *searcher) improve() {}
