// Package protocoltest holds what every protocol.Session must do, as a suite (Run),
// and what tests of sessions and front ends share: Until, the one helper that waits
// for another goroutine or process; Collect, which keeps what a session tells; a
// Client, a person who answers by rule; and Fake, a session without an engine.
//
// The suite sees a session as a front end does, through protocol alone, so that the
// engine and every remote session pass the same one. It says nothing of tools,
// journals or models beyond the text a model replies with.
package protocoltest
