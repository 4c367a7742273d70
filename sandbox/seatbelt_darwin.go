package sandbox

// seatbeltHolds lists what a profile holds commands to.
func seatbeltHolds() []Guarantee {
	return []Guarantee{
		HoldsWrites, HoldsProtected, HoldsHidden, HoldsMetadata, HoldsNetwork, HoldsSockets, HoldsProcesses,
	}
}
