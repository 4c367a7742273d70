// Package retrieval finds texts by the words in them: a tokeniser for prose and code
// in any script, and BM25 over documents with ids. It is pure: it opens no file,
// starts nothing and knows neither facts nor sessions.
//
// There are two forms of an index. Index is small and changes: documents are added,
// replaced and removed in memory, and the whole can be written out and read back.
// A Segment never changes: a Builder encodes it, any io.ReaderAt holds it, a search
// reads the few pages it needs, and several segments are searched as one. Terms are
// kept as 64-bit hashes, never as text: an index gives away no word of what it
// covers, and ranks two colliding words alike.
//
// Everything an index says can be made again from the documents: what cannot be
// decoded (ErrFormat) is built anew. core/memory and core/history call it.
package retrieval

import "errors"

// ErrFormat is wrapped by every error about bytes that are no index of this version,
// or were damaged: throw them away and build the index again.
var ErrFormat = errors.New("not a usable index")
