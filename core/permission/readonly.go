package permission

func (h *hearing) onlyReads(s *step) bool { return false }
