package permission

import "strings"

// effects are the options of a program that do more than the program is for. Each
// list has blanks between its options. A long one also counts abbreviated, a short
// one in a cluster of others, one that ends in "*" or ":" with its value behind it,
// and one without a dash is an operand.
type effects struct {
	// runs start a program that the arguments name, load code, or read more options
	// from a file. No rule covers one that does not spell it.
	runs string
	// marks write, or start what a configuration names, where the program is there to
	// read. They need to be spelled out too, but a word made at run time is not feared
	// to be one.
	marks string
	// writes name a file that is written, into a directory that is written into.
	writes, into string
	// opens read the names of further files from a file, print one that is no
	// operand, or take a program that may. A command with one is not known to only
	// read what its words say.
	opens string
	// whole says that an option with one dash is a word, as it is for go.
	whole bool
	// remotes says that an operand may be a repository that a program serves.
	remotes bool
}

// effectsOf is the table. verb is that of git, "" for any other program.
func effectsOf(program, verb string) effects {
	switch program {
	case "git":
		return gitEffects(verb)
	case "go":
		return effects{
			runs: "-C -exec -toolexec -vettool -gccgoflags -compiler -overlay -modfile -http", whole: true,
			writes: "-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -test.coverprofile -test.cpuprofile -test.memprofile -test.blockprofile -test.mutexprofile -test.trace -test.testlogfile",
			into:   "-outputdir -pkgdir -test.outputdir -test.gocoverdir -test.fuzzcachedir",
		}
	case "gofmt", "gofumpt", "staticcheck":
		return effects{writes: "-cpuprofile -debug.cpuprofile -debug.memprofile -debug.trace", whole: true}
	case "npm", "pnpm", "yarn", "bun":
		return effects{
			runs: "--script-shell --shell --node-options --userconfig --globalconfig --init-module --git --editor --viewer --browser --use-yarnrc --preload --require --inspect-brk --config --node-gyp --nodedir --python --onload-script " +
				"--prefix -C --cwd --dir",
			into: "--prefix --cache --global-dir --modules-folder --outdir",
		}
	case "cargo":
		return effects{runs: "--config -Z -C --manifest-path", into: "--target-dir --out-dir --artifact-dir"}
	case "rustc", "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "as", "ar":
		return effects{runs: "-fplugin* -wrapper -specs -fuse-ld -B*", writes: "-o* -MF", whole: true}
	case "make", "gmake":
		return effects{runs: "--eval -E -f --file --makefile -C --directory -I --include-dir"}
	case "gh":
		return effects{writes: "-O --output", into: "-D --dir"}
	case "kubectl":
		return effects{runs: "--kubeconfig", writes: "--profile-output", into: "--cache-dir"}
	case "terraform", "tofu":
		return effects{runs: "-plugin-dir -chdir", writes: "-out -state -state-out -backup", whole: true}
	case "pip", "pip3":
		return effects{runs: "--python", writes: "--log", into: "--target --prefix --root --cache-dir --src"}
	case "dotnet":
		return effects{runs: "--test-adapter-path --settings -s -p --property /p: -p: /l: -l: -logger: /logger: -dl: /dl:", writes: "--diag", into: "-o --output --results-directory --artifacts-path"}
	case "swift":
		return effects{runs: "-Xswiftc -Xcc -Xcxx -Xlinker -Xbuild-tools-swiftc --toolchain --destination --swift-sdk --package-path --chdir", into: "--scratch-path --build-path", whole: true}
	case "mvn":
		return effects{runs: "-D* --define -f --file -s --settings -gs --global-settings -t --toolchains", writes: "-l --log-file", whole: true}
	case "bazel":
		return effects{runs: "--run_under --shell_executable --override_repository --override_module --workspace_status_command --package_path --action_env --host_action_env --test_env --repo_env", writes: "--script_path --profile --build_event_json_file"}
	case "pytest", "py.test":
		return effects{runs: "-p -c -o -W --pythonwarnings --pdbcls --config-file --override-ini --rootdir --pastebin", writes: "--junitxml --junit-xml --log-file --report-log --debug", into: "--basetemp"}
	case "jest", "vitest":
		return effects{
			runs: "-c --config --globalSetup --globalTeardown --runner --testRunner --testEnvironment --environment --transform --setupFiles --setupFilesAfterEnv --reporters --reporter --resolver --snapshotResolver --coverage.provider " +
				"--rootDir --roots --projects --preset --haste --moduleNameMapper --modulePaths --testSequencer --watchPlugins --filter --snapshotSerializers --root --dir --workspace",
			writes: "--outputFile", into: "--coverageDirectory --coverage.reportsDirectory --cacheDirectory",
		}
	case "eslint":
		return effects{runs: "-c --config --rulesdir --plugin --parser -f --format --resolve-plugins-relative-to", writes: "-o --output-file --cache-location --cache-file"}
	case "prettier":
		return effects{runs: "--config --plugin --plugin-search-dir", writes: "--cache-location"}
	case "tsc":
		return effects{writes: "--outFile --tsBuildInfoFile --generateCpuProfile", into: "--outDir --declarationDir --generateTrace"}
	case "gradle", "gradlew":
		return effects{runs: "-I --init-script -b --build-file -c --settings-file -p --project-dir --include-build -g --gradle-user-home"}
	case "rake":
		return effects{runs: "-f --rakefile -r --require -I --libdir -R --rakelibdir -e --execute -p --execute-print -E --execute-continue -g --system -C --directory"}
	case "ninja", "samu":
		return effects{runs: "-f -C"}
	case "meson":
		return effects{runs: "--wrapper --wrap --gdb --gdb-path --native-file --cross-file -C"}
	case "ant":
		return effects{runs: "-f -file -buildfile -lib -logger -listener -propertyfile -find -s", writes: "-l -logfile", whole: true}
	case "just":
		return effects{runs: "-f --justfile -d --working-directory --shell --shell-arg -c --command --chooser --choose -e --edit"}
	case "task", "go-task":
		return effects{runs: "-t --taskfile -d --dir -g --global"}
	case "rspec":
		return effects{runs: "-r --require -I -O --options -f --format", writes: "-o --out"}
	case "phpunit":
		return effects{
			runs:   "--bootstrap -c --configuration --include-path -d --extension --prepend --loader --printer",
			writes: "--log-junit --log-teamcity --coverage-clover --coverage-php --coverage-text --coverage-cobertura --testdox-html --testdox-text", into: "--coverage-html --coverage-xml --cache-directory",
		}
	case "mocha":
		return effects{runs: "-r --require --config --package --import --loader --file -R --reporter -u --ui"}
	case "playwright", "stylelint":
		return effects{runs: "-c --config --config-basedir --reporter --custom-formatter --custom-syntax", writes: "-o --output-file", into: "--output"}
	case "cypress":
		return effects{runs: "-C --config-file -c --config -P --project -r --reporter"}
	case "tox":
		return effects{runs: "-c --conf -x --override --root", writes: "--result-json", into: "--workdir"}
	case "nox":
		return effects{runs: "-f --noxfile", into: "--envdir"}
	case "pre-commit":
		return effects{runs: "-c --config try-repo"}
	case "zip":
		return effects{runs: "-TT --unzip-command"}
	case "ruff", "black", "isort":
		return effects{writes: "-o --output-file", into: "--cache-dir"}
	case "mypy":
		return effects{runs: "--python-executable --config-file --install-types", writes: "--junit-xml", into: "--cache-dir --html-report --txt-report --xml-report --any-exprs-report --linecount-report"}
	case "flake8":
		return effects{runs: "--config --append-config", writes: "--output-file"}
	case "golangci-lint":
		return effects{runs: "-c --config custom", writes: "--cpu-profile-path --mem-profile-path --trace-path --output.*"}
	case "ctest":
		return effects{runs: "-S --script -D --dashboard --build-and-test --build-makeprogram --test-command --test-dir --preset", writes: "-O --output-log --output-junit"}
	}
	return toolEffects(program)
}

// toolEffects are those of the programs of a shell.
func toolEffects(program string) effects {
	switch program {
	case "tar", "gtar", "bsdtar":
		return effects{
			runs: "--to-command --checkpoint-action --use-compress-program --rsh-command --rmt-command --info-script --new-volume-script -I -F -T --files-from", into: "-C --directory --one-top-level",
			writes: "--index-file --volno-file",
		}
	case "rsync":
		return effects{runs: "-e --rsh --rsync-path --early-input -M --remote-option --daemon --config", writes: "--log-file --write-batch", into: "--backup-dir --partial-dir --temp-dir -T"}
	case "ssh", "scp", "sftp", "ssh-copy-id":
		return effects{runs: "-o -F -I -S -D", writes: "-E"}
	case "curl":
		return effects{
			runs: "-K --config --engine", into: "--output-dir",
			writes: "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --hsts --alt-svc --etag-save --ssl-sessions",
		}
	case "wget":
		return effects{
			runs: "-e --execute --config --use-askpass", into: "-P --directory-prefix",
			writes: "-O --output-document -o --output-file -a --append-output --save-cookies --rejected-log --warc-file --hsts-file",
		}
	case "unzip", "7z", "7za":
		return effects{into: "-d -o"}
	case "patch":
		return effects{writes: "-o --output -r --reject-file", into: "-d --directory"}
	case "split", "csplit":
		return effects{runs: "--filter", writes: "-f --prefix"}
	case "openssl":
		return effects{runs: "-engine -provider -config", writes: "-out -keyout -writerand", whole: true}
	case "gpg", "gpg2":
		return effects{runs: "--agent-program --photo-viewer --options", writes: "-o --output --logger-file"}
	case "ssh-keygen":
		return effects{runs: "-D -w", writes: "-f"}
	case "man":
		return effects{runs: "-P --pager -H --html -C --config-file"}
	case "pandoc":
		return effects{runs: "-F --filter -L --lua-filter --pdf-engine --defaults -d", writes: "-o --output --log"}
	case "yq":
		return effects{writes: "-s --split-exp"}
	case "strace", "ltrace", "time", "gtime":
		return effects{writes: "-o --output"}
	case "find":
		return effects{writes: "-fprint -fprint0 -fprintf -fls", opens: "-files0-from", whole: true}
	case "shuf", "iconv":
		return effects{writes: "-o --output"}
	case "sort":
		return effects{runs: "--compress-program", writes: "-o --output", into: "-T --temporary-directory", opens: "--files0-from"}
	case "wc", "du":
		return effects{opens: "--files0-from"}
	case "diff":
		return effects{runs: "-l --paginate", opens: "--from-file --to-file"}
	case "file":
		return effects{runs: "-z -Z --uncompress --uncompress-noreport", writes: "-C --compile", opens: "-f --files-from -m --magic-file"}
	case "jq":
		return effects{opens: "-L --library-path -f --from-file"}
	case "date":
		return effects{opens: "-f --file -r --reference"}
	case "rg":
		return effects{runs: "--pre --hostname-bin -z --search-zip"}
	case "tree":
		return effects{writes: "-o --output", runs: "-R"}
	case "base64":
		return effects{writes: "-o --output"}
	}
	return effects{}
}

// gitEffects are those of a verb of git.
func gitEffects(verb string) effects {
	e := effects{writes: "--output", into: "--output-directory --separate-git-dir"}
	switch verb {
	case "add", "stage":
		e.runs = "-e --edit"
	case "checkout-index":
		e.into = "--prefix"
	case "rebase":
		e.runs = "-x --exec"
	case "bisect":
		e.runs = "run"
	case "submodule":
		e.runs = "foreach"
	case "fetch", "pull":
		e.runs, e.remotes = "--upload-pack", true
	case "ls-remote", "fetch-pack":
		e.runs, e.remotes = "--upload-pack --exec", true
	case "clone":
		e.runs, e.remotes = "-u --upload-pack -c --config --template", true
	case "init":
		e.runs = "--template"
	case "push", "send-pack":
		e.runs, e.remotes = "--receive-pack --exec", true
	case "archive":
		e.runs, e.writes = "--exec --remote", "-o --output"
	case "format-patch":
		e.marks, e.into = "--ext-diff --textconv", "-o --output-directory"
	case "grep":
		e.runs = "-O --open-files-in-pager --textconv"
	case "cat-file":
		e.runs = "--textconv --filters"
	case "subtree":
		e.into = "-P --prefix"
	case "bundle", "apply", "am":
		e.into = "--directory"
	case "fast-import", "fast-export":
		e.writes = "--export-marks --export-pack-edges"
	case "diff", "log", "show", "whatchanged", "stash", "reflog", "range-diff", "diff-tree", "diff-index", "diff-files", "rev-list", "shortlog", "blame", "annotate":
		e.marks = "--ext-diff --textconv --output"
	}
	return e
}

// startsAlways reports whether a verb of git is there to start what its arguments
// or its configuration name.
func startsAlways(verb string) bool {
	return oneOf(verb, "filter-branch filter-repo send-email credential p4 svn cvsexportcommit daemon web--browse instaweb hook difftool mergetool merge-index for-each-repo maintenance")
}

// among reports whether a word is one of the options of list.
func (e *effects) among(list string, w *word) bool {
	for option := range strings.FieldsSeq(list) {
		if e.is(option, w.text) {
			return true
		}
	}
	return false
}

// is reports whether text is option: abbreviated, joined with its value, or in a
// cluster.
func (e *effects) is(option, text string) bool {
	name, _, _ := strings.Cut(text, "=")
	switch {
	case option[0] != '-':
		return text == option || strings.HasSuffix(option, ":") && strings.HasPrefix(text, option)
	case len(text) < 2 || text[0] != '-':
		return false
	case strings.HasSuffix(option, "*"):
		return strings.HasPrefix(text, option[:len(option)-1])
	case e.whole: // --o is -o
		return strings.TrimPrefix(name[1:], "-") == strings.TrimPrefix(option[1:], "-")
	case option[1] == '-':
		return len(name) > 2 && name[1] == '-' && strings.HasPrefix(option, name)
	case strings.HasSuffix(option, ":"):
		return strings.HasPrefix(text, option)
	}
	return text[1] != '-' && strings.IndexByte(text[1:], option[1]) >= 0
}
