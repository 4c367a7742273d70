// Package file has the built-in tools for files. They reach the disk only through
// the session's workspace, which confines writes, hides what is configured and
// remembers what the model has read. Importing the package registers them.
//
// What the tools promise: bytes outside an edit stay as they were (encoding, byte
// order mark, line ends, mode, links); an edit is applied whole or not at all; a
// file that changed since the model read it is never written. They refuse binary
// files and guess nothing that is not unique. Every change is in the call's diffs.
//
// # Errors of all tools that write
//
// A path that is outside of the writable directories, hidden, protected without a
// person's leave for this call, a directory or not a regular file; a file with
// further names (hard links) outside of the writable directories; a file that is not there (with the nearest names), over 256 MiB,
// binary, or not writable; a file that is no longer what the model read last (with
// what changed); a character that the file's encoding lacks. Nothing is written
// then, and the text says so.
//
// # read_file
//
// Limits: 2000 lines unless limit says otherwise; 32,000 bytes, or twice the
// configured cap of output; a longer first line is cut. Of files over 256 MiB lines
// are shown, but it does not count as a read.
// Errors: not there, a directory, binary, an offset past the end.
//
// # ls
//
// Limits: 1000 entries, 32,000 bytes (or twice the cap of output), 100,000 entries
// counted; recursive goes into no link and not into .git.
// Errors: not there, not readable.
//
// # write_file
//
// Limits: 256 MiB of an existing file.
// Errors: an existing file that the model has not read whole and that is not empty.
//
// # edit_file
//
// Limits: a text that differs in blanks or typography is looked for in the first 8
// MiB of text, one that differs in line ends in all of it.
// Errors: old_string empty, equal to new_string, not found (with the nearest lines
// and the characters that differ), found several times (with the lines), or without
// the indentation new_string needs.
//
// # multi_edit
//
// Limits: those of edit_file for each edit, which sees the result of those before.
// Errors: those of edit_file, with the number of the edit; no edits; edits that
// undo each other. One error, and none of the edits is made.
//
// # move_file
//
// Limits: between file systems a directory must hold files, directories and links
// only; extended attributes and times of links are not copied.
// Errors: a destination that exists (other than the source in another letter case);
// an end outside of the writable directories, hidden or protected; a directory that
// holds a writable root or something hidden or protected; a directory into itself; a file of which an
// editor holds unsaved changes; a source that changes while it is copied.
//
// # delete_range
//
// Limits: an anchor is one line: all of its text, or all but blanks at its ends
// and typography, or else a part of it.
// Errors: an anchor that is empty, has several lines, is in no line or in several
// (with the lines); the end in front of the start (with both lines); no line
// between anchors that are to stay.
//
// # delete_symbol
//
// Limits: Go, Python, JavaScript, TypeScript, Java, C, C++, C#, Rust, PHP, Ruby,
// shell, Kotlin and Swift by the ending of the file name; declarations inside of
// functions are not found.
// Errors: no such symbol (with the nearest), several (with kinds, parents and
// lines), one that shares a line or a declaration with others or whose end is in
// doubt, a source that does not parse or whose brackets do not match.
//
// # notebook_edit
//
// Limits: Jupyter notebooks of format 4.
// Errors: no notebook; no such cell, or two with the id; cell_id and cell_number
// that differ; no new_source or, to insert, no cell_type; a source that is there
// already; cell_number for a file the model has not read.
package file
