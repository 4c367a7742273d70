// Package history finds what was said before: BM25 over the journals of sessions and
// over the archives of compaction, and a window of the transcript around a hit.
//
// It takes from a journal what a person typed (user.said: Display, or the message
// where that is empty), the text and the calls of each reply (model.replied: content,
// tool names, the values of arguments) and each result (tool.finished: title and
// content), of each the first 48 KiB and the last 16 KiB. It leaves out reasoning,
// attachments, diffs, what was added to a prompt by itself, and the calls and results
// of history and memory, which only repeat. Journals are redacted when they are
// written, so nothing secret comes in. Lines that are damaged are passed over.
//
// Each directory of journals has one index, <project>/history.idx beside sessions,
// and the archives have <home>/archive/history.idx. They are derived: hashes of
// words and offsets, no text; deleting one costs time alone. A search first takes in
// what the journals have grown by, so there is nothing to start and nothing to keep
// running. One process at a time writes an index, others read it as it is and take
// in the rest in memory.
//
// core/tool/recall and commands/history call it; it reads no configuration and never
// writes a journal.
package history
