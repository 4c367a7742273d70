//go:build unix

package shell_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// web makes the test binary a web server or a client of one, so that the tests
// need no other program: "serve FILE" writes its address to FILE, "get ADDRESS"
// prints what is served.
func web(args []string) bool {
	if len(args) != 3 || args[1] != "serve" && args[1] != "get" {
		return false
	}
	var err error
	if args[1] == "serve" {
		err = serve(args[2])
	} else {
		err = get(args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

func serve(file string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", []byte(l.Addr().String()), 0o600); err != nil {
		return err
	}
	if err := os.Rename(file+".new", file); err != nil {
		return err
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked for", r.URL.Path)
		io.WriteString(w, "served\n")
	}))
}

func get(address string) error {
	resp, err := http.Get("http://" + address + "/page")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(os.Stdout, resp.Body)
	return err
}
