package durable

// nonblock does not exist here: no name in a directory is a pipe.
const nonblock = 0
