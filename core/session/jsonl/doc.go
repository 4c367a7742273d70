// Package jsonl is the store of sessions on disk: one append-only text file a
// session, a header and then one event a line, each line with a checksum. A crash
// at any byte costs at most the record in flight, a damaged or edited line costs
// itself and is named, and everything around it still loads.
//
//	<dir>/<id>.jsonl         {"format":1,"id":...,"crc":"1a2b3c4d"}, then envelopes
//	<dir>/<id>.idx           where in it what is; derived
//	<dir>/<id>.state         what its records come to (Log.Keep); derived
//	<dir>/<id>.acp.json      what it works with, for other programs (Sidecar); derived
//	<dir>/<id>.lock          who writes it
//	<dir>/<id>.files/<hash>  bytes kept beside it, by SHA-256
//
// The checksum is CRC-32C over the line's bytes before `,"crc"`. The package does
// not interpret events beyond what a list shows, never rewrites a line and never
// syncs unasked, except when a session is made. commands/wire makes a Store for a
// workspace (Dir) and the engine writes through it.
package jsonl
