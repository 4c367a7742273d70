//go:build !race

package engine_test

// longSession is how many turns the long session has.
const longSession = 500
