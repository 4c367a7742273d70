//go:build race

package engine_test

// longSession is shorter under the race detector, which makes each turn slow.
const longSession = 60
