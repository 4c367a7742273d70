package wire

// Language is the language tag of who uses this computer: the configuration's, else
// that of REASONIX_LANG or LANG. Empty when none is set or the configuration cannot be
// read, of which whoever opens a session hears.
func (w World) Language() string {
	cfg, err := w.load("")
	if err != nil {
		return ""
	}
	return cfg.Language
}
