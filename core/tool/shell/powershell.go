package shell

import "strings"

// bom makes Windows PowerShell read a script as UTF-8.
const bom = "\ufeff"

// powerShell sets the launch up for Windows PowerShell or PowerShell Core. The
// command is a script of its own that the wrapper reads into its scope; when it
// ends, by exit or an error too, the wrapper writes the location and all
// environment variables. The exit code is the command's, that of the last program
// it ran, or 1 after an error.
func (l *launch) powerShell(in interpreter, command, temp string) error {
	script, err := l.file(temp, "shell-command-*.ps1", bom+command+"\n")
	if err != nil {
		return err
	}
	wrapper, err := l.file(temp, "shell-wrapper-*.ps1", bom+powerShellWrapper(script, l.dump))
	if err != nil {
		return err
	}
	l.argv = []string{
		in.path, "-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass",
		"-File", wrapper,
	}
	l.parse = parsePowerShell
	return nil
}

func powerShellWrapper(script, dump string) string {
	return strings.NewReplacer("SCRIPT", powerShellQuote(script), "DUMP", powerShellQuote(dump)).Replace(
		`$OutputEncoding = [Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
$global:LASTEXITCODE = 0
$__code = 1
try {
    . SCRIPT
    if ($?) { $__code = $global:LASTEXITCODE } elseif ($global:LASTEXITCODE) { $__code = $global:LASTEXITCODE }
} catch {
    [Console]::Error.WriteLine(($_ | Out-String).TrimEnd())
} finally {
    $__text = (Get-Location -PSProvider FileSystem).ProviderPath + [char]0
    Get-ChildItem Env: | ForEach-Object { $__text += $_.Name + '=' + $_.Value + [char]0 }
    [IO.File]::WriteAllText(DUMP, $__text + [char]0)
}
exit $__code
`)
}

func powerShellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// parsePowerShell reads the directory and the variables, each ended by a NUL, and
// a last NUL.
func parsePowerShell(dump string) (dir string, exported []string, ok bool) {
	body, ok := strings.CutSuffix(dump, "\x00\x00")
	if !ok {
		return "", nil, false
	}
	parts := strings.Split(body, "\x00")
	return parts[0], parts[1:], parts[0] != ""
}
