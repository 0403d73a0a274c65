# Every check that CI runs is a target here; CI calls nothing else.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION   ?=
FUZZTIME  ?= 10s
PROPS     ?= 1000
CASES     ?=
RUNS      ?= 200
SOAK      ?= 200
ARGS      ?=
TAG       ?=

pkg       := github.com/ec261362/guardrails
exe       := $(shell go env GOEXE)
bin       := bin/guardrails$(exe)
stamp     := $(if $(VERSION),-X $(pkg)/cmd/guardrails/internal/version.value=$(VERSION))
programs  := ./cmd/guardrails ./cmd/guardrails/guardrails-full
buildargs := -trimpath -ldflags "-s -w $(stamp)"
platforms := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# The race detector needs cgo, so a C compiler. Without one the tests still run;
# .ci/run refuses to start instead.
race      := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

lint_bin  := .tools/golangci-lint$(exe)
lint      := GOLANGCI_LINT_CACHE="$(CURDIR)/.tools/lint-cache" $(lint_bin)

.PHONY: help build run test race vet lint fmt fmt-check arch golden deps fuzz e2e bench soak corpus demo tour \
	cover cross tidy-check vuln ci release-files release-fill release-check release dist clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the two static programs in bin/: guardrails and guardrails-full
	@mkdir -p bin
	CGO_ENABLED=0 go build $(buildargs) -o bin/ $(programs)

test: ## all tests; with the race detector where there is a C compiler
	@[ -n "$(race)" ] || echo "make test: no C compiler, so no race detector" >&2
	go test $(race) -timeout 20m ./...

race: ## all tests with the race detector, or fail
	go test -race -timeout 20m ./...

vet: ## go vet, for each operating system we ship to
	go vet -tags e2e ./...
	CGO_ENABLED=0 GOOS=windows go vet -trimpath -tags e2e ./...
	CGO_ENABLED=0 GOOS=darwin go vet -trimpath -tags e2e ./...

lint: $(lint_bin) ## golangci-lint, built from tools/golangci-lint.mod
	$(lint) run ./...

fmt: $(lint_bin) ## rewrite the tree as the formatters want it
	$(lint) fmt

fmt-check: $(lint_bin) ## fail, with a diff, where the formatters would change something
	@bad=$$(git ls-files -z '*.go' | xargs -0 gofmt -s -l); [ -z "$$bad" ] || { echo "gofmt -s would change:"; echo "$$bad"; exit 1; }
	$(lint) fmt --diff

$(lint_bin): tools/golangci-lint.mod tools/golangci-lint.sum
	CGO_ENABLED=0 go build -modfile=tools/golangci-lint.mod -trimpath -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

arch: ## the house rules: imports, linked packages, init budget, static build, tree
	go test -count=1 ./tools/house

golden: ## rewrite every golden file, then show what changed
	@for p in $$(git grep -l 'flag.Bool("update"' -- '*_test.go' | xargs -n1 dirname | sort -u); do go test "./$$p" -update || exit 1; done
	@git --no-pager diff --stat

deps: ## rewrite the committed list of linked packages and the init figures
	go test -count=1 ./tools/house -run 'TestLinked|TestInit' -update

fuzz: ## each fuzz target for FUZZTIME (10s), then each property with PROPS (1000) drawn cases
	tools/fuzz.sh $(FUZZTIME) $(PROPS)

e2e: ## drive the real host programs, pinned in .e2e/, against a scripted model
	go test -count=1 -timeout 30m -tags e2e -run '^TestE2E' -v ./adapters/hosttest/e2e $(ARGS)

bench: ## whole-process medians beside floors and peers, and growth: RUNS (200) rounds, interleaved
	go run ./tools/bench -runs $(RUNS) $(ARGS)

soak: build ## the built binary through kills, full disks, clock jumps and damage; SOAK (200) events of each of 60 workers
	go run ./tools/soak -bin $(bin) -events $(SOAK) $(ARGS)

corpus: build ## judge the case files in CASES=dir with the built binary
	@[ -n "$(CASES)" ] || { echo "usage: make corpus CASES=dir [ARGS=-v]" >&2; exit 1; }
	go run ./tools/corpus -bin $(bin) -cases "$(CASES)" $(ARGS)

demo: ## a whole session of the real Claude Code, pinned in .e2e/, against a scripted model, told line by line
	@go test -count=1 -timeout 15m -tags e2e -run '^TestDemo$$' -v ./adapters/hosttest/e2e -hosts claude-2.1.332 | grep -vE '^(=== (RUN|NAME)|--- PASS|PASS|ok )'

tour: build ## a first look without any host: what the hook answers, in a temporary home
	tools/tour.sh $(bin)

cover: ## coverage of the tree by all its tests, in coverage.txt
	go test -timeout 20m -coverpkg=./... -coverprofile=coverage.txt ./...
	go tool cover -func=coverage.txt | tail -1

cross: ## build for every platform we ship to
	@for p in $(platforms); do \
		out=dist/$${p%/*}-$${p#*/}; mkdir -p $$out; echo "$$out"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build $(buildargs) -o $$out/ $(programs); \
	done

release-files: ## what goes into every archive beside the programs, in bin/release: licences, manual pages, completions
	@rm -rf bin/release && mkdir -p bin/release/completions
	cp LICENSE NOTICE README.md bin/release/
	tools/licences.sh > bin/release/THIRD-PARTY-LICENSES.txt
	go run ./cmd/guardrails/guardrails-full man --out bin/release/man
	@for s in bash zsh fish powershell; do go run ./cmd/guardrails/guardrails-full completion $$s > bin/release/completions/guardrails.$${s/powershell/ps1}; done

# A release that nobody asked for by number is a snapshot of the last commit.
snapshot   = 0.0.0-snapshot.g$(shell git rev-parse --short HEAD 2>/dev/null || echo none)
numbered   = $(or $(VERSION),$(snapshot))
release_go = go run ./tools/release

dist: ## the release files, of VERSION or a snapshot: an archive per platform, SHA-256 sums, Homebrew formula, npm packages
	@rm -rf dist
	@$(MAKE) --no-print-directory cross release-files VERSION="$(numbered)"
	$(release_go) pack -version "$(numbered)" -dist dist -extra bin/release -time "$$(git log -1 --format=%ct 2>/dev/null || echo 0)"
	@$(MAKE) --no-print-directory release-fill VERSION="$(numbered)"

release-fill: ## Homebrew formula and npm packages of VERSION, from the archives and sums in dist
	$(release_go) fill -version "$(VERSION)" -dist dist > /dev/null
	cd dist/npm && npm pack --silent --offline ./*/

release-check: ## try a release without publishing; VERSION=1.2.3 also asks for a clean tree and a changelog entry
	@[ -z "$(VERSION)" ] || [ -z "$$(git status --porcelain)" ] || { echo "the work tree is not clean" >&2; exit 1; }
	@[ -z "$(VERSION)" ] || grep -q '^## \[$(VERSION)\]' CHANGELOG.md || { echo "CHANGELOG.md has no entry [$(VERSION)]" >&2; exit 1; }
	@[ -n "$(VERSION)" ] || echo "no VERSION: trying $(snapshot), of a $$([ -z "$$(git status --porcelain 2>/dev/null)" ] && echo clean || echo changed) tree"
	@$(MAKE) --no-print-directory dist
	go test -count=1 -v -run '^TestRelease' ./tools/release -dist "$(CURDIR)/dist" -version "$(numbered)"
	@if command -v goreleaser >/dev/null; then goreleaser check; \
		else echo "goreleaser is not on PATH: .goreleaser.yaml was not checked"; fi

release: ## draft the release of TAG=v1.2.3 (CI, with goreleaser, syft, cosign, npm and gh)
	@for p in goreleaser syft cosign gh; do command -v $$p >/dev/null || { echo "$$p is missing" >&2; exit 1; }; done
	@$(MAKE) --no-print-directory release-check VERSION=$(patsubst v%,%,$(TAG))
	goreleaser release --clean
	@$(MAKE) --no-print-directory release-fill VERSION=$(patsubst v%,%,$(TAG))
	go test -count=1 -v -run '^TestRelease' ./tools/release -dist "$(CURDIR)/dist" -version "$(patsubst v%,%,$(TAG))"
	gh release upload "$(TAG)" dist/homebrew/guardrails.rb dist/npm/*.tgz

tidy-check: ## go.mod and go.sum are what go mod tidy would write
	go mod tidy -diff
	go mod verify

vuln: ## known vulnerabilities that our code reaches
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

ci: ## everything CI runs, stage by stage
	@bash .ci/run

clean: ## remove what the targets above made; downloaded hosts and the linter stay
	rm -rf bin dist coverage.txt
