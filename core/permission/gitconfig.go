package permission

func (h *hearing) guardGit(v *verdict, s *step) {}
