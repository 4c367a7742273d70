package doctor_test

// What a machine that can run the tests says of its sandbox.
const (
	healthySandbox = "warn"
	healthyWords   = "there is none for Windows"
)
