package mcp

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// An adder is one `mcp add`.
type adder struct {
	*desk
	typ, scope, approval, format *string
	env, headers                 []string
	helper                       string
	start, call, port            int
	grant                        *string
	client, secretEnv            string
	keyEnv, keyFile              string
	scopes                       []string
	disabled, unconfined         bool
	replace                      bool
}

const addLong = `Add an MCP server to your configuration, or with --scope project to this directory's reasonix.toml.

What follows NAME is the program and its arguments, as they are: put -- in front of them, so that their options
are not taken for those of this command. An address that begins with http:// or https:// is a remote server
(Streamable HTTP; --type sse for an old one). ${VAR} and ${VAR:-default} in any of it are replaced when the
server is started: write secrets that way and store them with: reasonix setup key VAR.

The server is stored even when it cannot start now, and why it could not is said. Nothing is started: see
reasonix mcp doctor NAME. A name that is taken is refused unless --replace is given (exit 2).`

func newAdd(d *desk) *cobra.Command {
	a := &adder{desk: d}
	cmd := &cobra.Command{
		Use:   "add [flags] NAME {URL | -- COMMAND [ARG]...}",
		Short: "Add a server",
		Long:  addLong,
		Example: `  reasonix mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  reasonix mcp add --env 'GITHUB_TOKEN=${GITHUB_TOKEN}' github -- docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server
  reasonix mcp add docs https://mcp.example.com --header 'Authorization: Bearer ${DOCS_TOKEN}'
  reasonix mcp add jobs https://mcp.example.com --oauth-grant client_credentials --client-id ci --client-secret-env JOBS_SECRET
  reasonix mcp add --scope project tests -- ./scripts/mcp-tests`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.SortFlags = false
	a.typ = cmdutil.EnumFlag(cmd, "type", "auto", "how it is reached", "auto", "stdio", "http", "sse")
	a.scope = cmdutil.EnumFlag(cmd, "scope", scopeUser, "whose configuration", scopeUser, scopeProject)
	f.StringArrayVarP(&a.env, "env", "e", nil, "a variable of its environment: NAME=VALUE; may be given several times")
	f.StringArrayVarP(&a.headers, "header", "H", nil, "a header of its requests: 'Name: value'; may be given several times")
	f.StringVar(&a.helper, "headers-helper", "", "a command that prints further headers as a JSON object")
	a.approval = cmdutil.EnumFlag(cmd, "approval", "default", "how its calls are approved", "default", "auto", "prompt", "writes", "approve")
	f.IntVar(&a.start, "start-timeout", 0, "seconds it may take to start; 0: 30")
	f.IntVar(&a.call, "call-timeout", 0, "seconds a call may take without progress; 0: tools.mcp_call_timeout_seconds")
	f.StringVar(&a.client, "client-id", "", "registered OAuth client")
	f.StringVar(&a.secretEnv, "client-secret-env", "", "variable with that client's secret")
	a.grant = cmdutil.EnumFlag(cmd, "oauth-grant", config.GrantCode, "who logs in: you, or the client by itself", config.GrantCode, config.GrantClient)
	f.StringVar(&a.keyEnv, "private-key-env", "", "variable with that client's private key, instead of a secret")
	f.StringVar(&a.keyFile, "private-key-file", "", "file with that key")
	f.StringSliceVar(&a.scopes, "oauth-scope", nil, "what to ask for when you log in")
	f.IntVar(&a.port, "callback-port", 0, "port the browser comes back to; 0: a free one")
	f.BoolVar(&a.disabled, "disabled", false, "add it turned off")
	f.BoolVar(&a.unconfined, "no-sandbox", false, "run it outside the system's sandbox, with all your rights")
	f.BoolVar(&a.replace, "replace", false, "take the place of one of that name in the same file")
	a.format = cmdutil.OutputFormat(cmd)
	for _, name := range []string{"env", "header", "headers-helper", "client-id", "client-secret-env", "private-key-env", "oauth-scope"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions) // the flags exist
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error { return a.run(args) }
	return cmd
}

func (a *adder) run(args []string) error {
	p, err := a.plugin(args)
	if err != nil {
		return err
	}
	file, err := a.file(*a.scope)
	if err != nil {
		return err
	}
	change, err := a.store(file, p)
	if err != nil {
		return err
	}
	return a.report(change, p.Name)
}

func (a *adder) store(file string, p config.Plugin) (config.Change, error) {
	if a.replace {
		return config.ReplaceServer(file, p)
	}
	change, err := config.AddServer(file, p)
	var refused *config.ServerError
	if errors.As(err, &refused) {
		return change, cmdutil.WithHint(err, "--replace takes its place; reasonix mcp get "+word(p.Name)+" shows it")
	}
	return change, err
}

// plugin is the server that the command line describes.
func (a *adder) plugin(args []string) (config.Plugin, error) {
	p := config.Plugin{
		Name: args[0], Type: *a.typ, HeadersHelper: a.helper, Enabled: !a.disabled, Sandbox: !a.unconfined,
		StartTimeoutSeconds: a.start, CallTimeoutSeconds: a.call, DefaultToolsApprovalMode: *a.approval,
		OAuth: config.PluginOAuth{ClientID: a.client, ClientSecretEnv: a.secretEnv, PrivateKeyEnv: a.keyEnv, Scopes: a.scopes, CallbackPort: a.port},
	}
	if *a.grant != config.GrantCode {
		p.OAuth.Grant = *a.grant
	}
	if a.keyFile != "" {
		p.OAuth.PrivateKeyFile = a.absolute(a.keyFile)
	}
	if p.DefaultToolsApprovalMode == "default" {
		p.DefaultToolsApprovalMode = ""
	}
	if p.Type == "auto" {
		p.Type = "stdio"
		if strings.HasPrefix(args[1], "http://") || strings.HasPrefix(args[1], "https://") {
			p.Type = "http"
		}
	}
	if a.unconfined && *a.scope == scopeProject {
		return p, cmdutil.Usagef("--no-sandbox counts in your own file alone: leave out --scope project")
	}
	if a.keyFile != "" && *a.scope == scopeProject {
		return p, cmdutil.WithHint(cmdutil.Usagef("--private-key-file counts in your own file alone"), "leave out --scope project, or use --private-key-env")
	}
	if p.Type == "stdio" {
		p.Command, p.Args = args[1], args[2:]
	} else {
		p.URL = args[1]
		if len(args) > 2 {
			return p, cmdutil.WithHint(cmdutil.Usagef("want NAME URL, got %q behind the address", args[2]), "a program is added with: reasonix mcp add NAME -- COMMAND")
		}
	}
	if err := a.misfits(p); err != nil {
		return p, err
	}
	var err error
	if p.Env, err = pairs("--env", "=", a.env); err != nil {
		return p, err
	}
	p.Headers, err = pairs("--header", ":", a.headers)
	return p, err
}

// misfits finds flags of the other kind of server.
func (a *adder) misfits(p config.Plugin) error {
	local := p.Type == "stdio"
	switch {
	case local && (len(a.headers) > 0 || a.helper != "" || blockHas(p.OAuth)):
		return cmdutil.Usagef("headers and OAuth are for a remote server: give an address, or --type http")
	case !local && len(a.env) > 0:
		return cmdutil.Usagef("--env is for a program: a remote server gets --header")
	}
	return nil
}

// blockHas reports whether anything is said of a login.
func blockHas(o config.PluginOAuth) bool { return !reflect.ValueOf(o).IsZero() }

// pairs reads "name SEPARATOR value" of a flag that may be given several times.
func pairs(flag, separator string, list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range list {
		name, value, ok := strings.Cut(text, separator)
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return nil, cmdutil.Usagef("%s: want NAME%sVALUE", flag, separator)
		}
		if separator == ":" {
			value = strings.TrimSpace(value)
		}
		if _, twice := out[name]; twice {
			return nil, cmdutil.Usagef("%s: %s is there twice", flag, name)
		}
		out[name] = value
	}
	return out, nil
}

// added is what add prints as JSON.
type added struct {
	Added string   `json:"added"`
	File  string   `json:"file"`
	Notes []string `json:"notes"`
}

func (a *adder) report(change config.Change, name string) error {
	notes := a.notes(name)
	out := added{Added: name, File: slash(change.Path), Notes: append([]string{}, notes...)}
	if *a.format == cmdutil.JSON {
		return cmdutil.PrintJSON(a.app.Out, out)
	}
	if _, err := fmt.Fprintf(a.app.Out, "added %s to %s\n", config.Printable(name), out.File); err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintf(a.app.Err, "note: %s\n", n)
	}
	return nil
}
