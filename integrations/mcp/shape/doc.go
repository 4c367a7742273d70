// Package shape fits what an MCP server offers and answers to what model endpoints
// accept: the names of tools, their input schemas and the content of results.
//
// Everything in it is a pure function of its arguments. The same list of servers
// and tools gets the same names and the same bytes of schema in every process, in
// whatever order servers come up, because they stand in the prefix of every
// request. Nothing here talks to a server, knows a session or decides whether a
// call may run; the client in integrations/mcp does, and is who calls it.
package shape
