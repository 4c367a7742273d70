// Package checkpoint remembers what files were before a call changed them, and puts
// them back. It works on files alone: no git is needed, and git's index is never
// touched.
//
// A call is bracketed by Begin and End. What tools of this process write is announced
// by Before; for commands Begin looks through the directory first and End looks again.
// A file is taken for unchanged when its inode, size, mode and times are; on its first
// sight its content is copied into a pack, which lives as long as the Store, so that
// the content from before a command is there when the command has changed it. What did
// change is kept for good, by the SHA-256 of its content, in the Store's directory.
// What was too large or too much is named (Change.Lost) and cannot be put back.
//
// What a call may change is noted in a log before it may, so that after kill -9 the next
// process finds it out (Recover), and the one behind it, until somebody says that it is
// recorded (Forget). Where there is no room to keep something, the pack that has it is
// kept instead. Neither log nor pack survives a power loss for certain.
//
// What only the second look finds is the call's when it was born since Begin, or moved
// there from a place that was looked at; else it was there and is left. Restore removes
// nothing that may be the only copy of a file, one that is ignored or outside Root among
// them. What changes below the other roots is named, not copied.
//
// The walk leaves out .git and what ignore rules leave out; Before knows no rules.
// commands/wire makes a Store for a session, and the engine records what End says.
package checkpoint
