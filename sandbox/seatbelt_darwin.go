package sandbox

// leaveMissing takes the protected paths that are not there out of c and returns
// them: a profile that denied them would keep git from making a repository, so they
// are for a keeper to put back.
func (c *confinement) leaveMissing() (missing []string) {
	var there []string
	for _, path := range c.Protected {
		if identity(path) == "-" {
			missing = append(missing, path)
		} else {
			there = append(there, path)
		}
	}
	c.Protected = there
	return missing
}
