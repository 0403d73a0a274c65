# Every check that CI runs is a target here; CI calls nothing else.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION   ?=
FUZZTIME  ?= 10s
CASES     ?=
RUNS      ?= 300
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

.PHONY: help build run test race vet lint fmt fmt-check arch golden deps fuzz e2e bench corpus demo \
	cover cross tidy-check vuln ci release-check release dist clean

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

fuzz: ## each fuzz target for FUZZTIME (10s)
	tools/fuzz.sh $(FUZZTIME)

e2e: ## drive the real host programs, pinned in .e2e/, against a scripted model
	go test -count=1 -timeout 30m -tags e2e -run '^TestE2E' -v ./adapters/hosttest/e2e $(ARGS)

bench: ## whole-process medians next to an empty Go program, RUNS (300) interleaved
	go run ./tools/bench -runs $(RUNS) $(ARGS)

corpus: build ## judge the case files in CASES=dir with the built binary
	@[ -n "$(CASES)" ] || { echo "usage: make corpus CASES=dir [ARGS=-v]" >&2; exit 1; }
	go run ./tools/corpus -bin $(bin) -cases "$(CASES)" $(ARGS)

demo: build ## a first look, in a temporary home and without any host
	tools/demo.sh $(bin)

cover: ## coverage of the tree by all its tests, in coverage.txt
	go test -timeout 20m -coverpkg=./... -coverprofile=coverage.txt ./...
	go tool cover -func=coverage.txt | tail -1

cross: ## build for every platform we ship to
	@for p in $(platforms); do \
		out=dist/$${p%/*}-$${p#*/}; mkdir -p $$out; echo "$$out"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build $(buildargs) -o $$out/ $(programs); \
	done

dist: cross ## the release files: an archive per platform with both programs and the licences of what they link, SHA-256 sums
	tools/licences.sh > dist/THIRD-PARTY-LICENSES.txt
	@cd dist && for p in $(platforms); do d=$${p%/*}-$${p#*/}; cp THIRD-PARTY-LICENSES.txt ../LICENSE $$d/; \
		tar --sort=name --owner=0 --group=0 --numeric-owner -czf guardrails-$$d.tar.gz -C $$d .; done
	cd dist && sha256sum guardrails-*.tar.gz > SHA256SUMS && cat SHA256SUMS

release-check: ## what a release needs: a version, a clean tree, a changelog entry
	@[ -n "$(VERSION)" ] || { echo "usage: make release-check VERSION=1.2.3" >&2; exit 1; }
	@[ -z "$$(git status --porcelain)" ] || { echo "the work tree is not clean" >&2; exit 1; }
	@grep -q '^## \[$(VERSION)\]' CHANGELOG.md || { echo "CHANGELOG.md has no entry [$(VERSION)]" >&2; exit 1; }
	@$(MAKE) --no-print-directory build
	@got=$$($(bin) version); case "$$got" in *"$(VERSION)"*) ;; *) echo "the binary says $$got, not $(VERSION)" >&2; exit 1;; esac

release: ## draft the release of TAG=v1.2.3 from dist/ (CI, with the gh client)
	@$(MAKE) --no-print-directory release-check dist VERSION=$(patsubst v%,%,$(TAG))
	gh release create "$(TAG)" --draft --verify-tag --title "$(TAG)" --notes "See CHANGELOG.md." dist/guardrails-*.tar.gz dist/SHA256SUMS

tidy-check: ## go.mod and go.sum are what go mod tidy would write
	go mod tidy -diff
	go mod verify

vuln: ## known vulnerabilities that our code reaches
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

ci: ## everything CI runs, stage by stage
	@bash .ci/run

clean: ## remove what the targets above made; downloaded hosts and the linter stay
	rm -rf bin dist coverage.txt
