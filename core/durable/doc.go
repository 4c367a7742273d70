// Package durable keeps files whole through crashes, kills, full disks and second
// processes. It has three tools for writing: WriteFile replaces a file in one step,
// Lines appends whole lines to a file and never leaves half a one behind, and Lock
// makes one process at a time the writer of something. For reading it has Open and
// ReadFile, which no pipe, device or endless file in a file's place can stop.
//
// It knows nothing of what the bytes mean and keeps no state between calls.
// Whoever stores anything below the home directory calls it: the session store,
// configuration, grants, memory. New files are 0600 and new directories 0700.
package durable
