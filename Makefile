# Needs GNU make and Go; `make interop` also needs npm and chromium. `make help` says what each target does.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -s -w -X main.version=$(VERSION)
FLAGS   := -trimpath -ldflags "$(LDFLAGS)"
TARGETS ?= darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64
PREFIX  ?= /usr/local
# Some shells leave the ~ of PREFIX=~/.local as it is.
override PREFIX := $(patsubst ~,$(HOME),$(patsubst ~/%,$(HOME)/%,$(PREFIX)))
$(if $(filter ~%,$(PREFIX)),$(error PREFIX=$(PREFIX) is no path; write the directory out))
DESTDIR ?=
FLOOR   ?=
RUNS    ?= 5
FUZZ    ?=
BIN     := .cache/bin
LINT    := $(BIN)/golangci-lint
RELEASE := $(BIN)/goreleaser
INTEROP := .cache/interop
# Tests of bubblewrap run where it is installed; CI installs it.
TAGS    := $(if $(shell command -v bwrap 2>/dev/null),bwrap)

export CGO_ENABLED ?= 0

.DEFAULT_GOAL := help
.PHONY: help build fmt demo test check generate script interop bench measure cross install release-dry race fuzz tools

help: ## print what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' Makefile

build: ## build bin/reasonix, static and stripped
	@mkdir -p bin
	go build $(FLAGS) -o bin/ ./cmd/reasonix

fmt: $(LINT) ## format the Go files (gofumpt, goimports)
	$(LINT) fmt

demo: build ## build, then watch the agent mend a small project with the built-in demo model
	bin/reasonix demo

test: ## run every test; FUZZ=10m also fuzzes each target that long
	go test -tags '$(TAGS)' ./...
	$(if $(FUZZ),@$(MAKE) --no-print-directory fuzz)

check: $(LINT) ## formatting, lint, import rules, stale generated files
	$(LINT) run
	go test ./cmd/repocheck ./cmd/gendocs

generate: ## write completions/, docs/man/ and the generated pages of docs/
	go run ./cmd/gendocs

script: build ## run the end-to-end scripts of commands/testdata/script
	go test -count=1 -run '^TestScript' ./commands/...

interop: build $(INTEROP)/node_modules ## run real third-party clients and servers (npm, pinned; chromium) against bin/reasonix
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } || \
	  { echo "make interop drives a browser: install chromium" >&2; exit 1; }
	PATH="$(CURDIR)/$(INTEROP)/node_modules/.bin:$$PATH" REASONIX_BIN="$(CURDIR)/bin/reasonix" \
	  go test -count=1 -tags interop -run '^TestInterop' ./commands/... ./integrations/...

bench: ## run every Go benchmark, then measure whole processes (Linux); FLOOR=program is measured beside, RUNS=5
	go test -run '^$$' -bench . -benchmem ./...
	$(MAKE) --no-print-directory measure

measure: ## the second half of bench
	FLOOR="$(FLOOR)" RUNS="$(RUNS)" go test -tags bench -count=1 -timeout 60m -v -run '^TestMeasure(LongResume)?$$' ./commands

cross: ## build all six targets into dist/
	@set -e; for target in $(TARGETS); do \
	  os=$${target%/*}; arch=$${target#*/}; ext=; [ $$os != windows ] || ext=.exe; \
	  echo "build $$target"; \
	  GOOS=$$os GOARCH=$$arch go build $(FLAGS) -o dist/reasonix_$${os}_$$arch$$ext ./cmd/reasonix; \
	done

install: build ## install binary, manual pages and completions below PREFIX (default /usr/local); DESTDIR goes in front
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" \
	  "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -m 755 bin/reasonix "$(DESTDIR)$(PREFIX)/bin/reasonix"
	install -m 644 docs/man/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 644 completions/reasonix.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/reasonix"
	install -m 644 completions/_reasonix "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_reasonix"
	install -m 644 completions/reasonix.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/reasonix.fish"

release-dry: $(RELEASE) ## pack all archives into dist/ with goreleaser, publish nothing
	$(RELEASE) check
	$(RELEASE) release --snapshot --clean

# Not ./commands: its tests run whole processes, which take minutes there.
race: ## run the packages that start goroutines under the race detector (needs a C compiler)
	ACP_RACE_ROUNDS=5000 ACP_ENGINE_RACE_ROUNDS=50 CGO_ENABLED=1 go test -race -tags '$(TAGS)' $$(grep -rlE --include='*.go' '^[[:space:]]*go (func|[A-Za-z_.]+)\(|\.Go\(func' cmd commands core sandbox $(wildcard integrations) \
	  | xargs -n1 dirname | sort -u | grep -vx commands | sed 's|^|./|')

fuzz: ## fuzz every target for FUZZ each (default 10s); ONLY=regexp limits the package paths
	@set -e; for file in $$(grep -rlE --include='*_test.go' '^func Fuzz' cmd commands core sandbox $(wildcard integrations) | grep -E '$(ONLY)' | sort); do \
	  for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$file); do \
	    .ci/fuzz $$(dirname $$file) $$name $(or $(FUZZ),10s); \
	  done; \
	done

tools: $(LINT) ## install the pinned linter into .cache/bin

# The tools are pinned by a module of their own, so that theirs is not our graph.
$(LINT): .ci/tools/go.mod
	@mkdir -p $(BIN)
	cd .ci/tools && GOBIN="$(CURDIR)/$(BIN)" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $(LINT)

$(RELEASE): .ci/release/go.mod
	@mkdir -p $(BIN)
	cd .ci/release && GOBIN="$(CURDIR)/$(BIN)" go install github.com/goreleaser/goreleaser/v2
	@touch $(RELEASE)

$(INTEROP)/node_modules: .ci/interop/package-lock.json
	@mkdir -p $(INTEROP)
	cp .ci/interop/package.json .ci/interop/package-lock.json $(INTEROP)/
	npm install --prefix $(INTEROP) --no-save --no-audit --no-fund --loglevel=error
	@touch $@
