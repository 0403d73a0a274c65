package testrun

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// ended is a foreground call that its host says ended with that exit code.
func ended(exit int, text string) *hook.Result {
	r := &hook.Result{Outcome: hook.Succeeded, HasExit: true, ExitCode: exit, Text: text}
	if exit != 0 {
		r.Outcome = hook.Failed
	}
	return r
}

func judged(command string, res *hook.Result) Report {
	return Judge(Call{Line: shellcmd.Parse(command, shellcmd.Options{Cwd: "/w/p"}), Result: res, Dir: "/w/p"})
}

const (
	nodeGreen = "TAP version 13\n# Subtest: trims\nok 1 - trims\n  ---\n  duration_ms: 1.2\n  ...\n1..1\n# tests 1\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 60.1\n"
	jestGreen = "PASS src/cart.test.ts\nTest Suites: 1 passed, 1 total\nTests:       1 skipped, 4 passed, 5 total\nSnapshots:   0 total\nTime:        1.2 s\nRan all test suites.\n"
	viGreen   = " RUN  v4.0.1 /w/p\n\n ✓ cart.test.ts (3 tests) 4ms\n\n Test Files  1 passed (1)\n      Tests  3 passed (3)\n   Start at  10:00:00\n   Duration  200ms\n"
	mvnGreen  = "[INFO] Running shop.CartTest\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.02 s - in shop.CartTest\n[INFO]\n[INFO] Results:\n[INFO]\n[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n[INFO]\n[INFO] BUILD SUCCESS\n"
)

func TestEachRunnersOutputIsGraded(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		exit          int
		text          string
		want          Grade
	}{
		// go
		{"go ok has no count", "go test ./...", 0, "ok  \tshop/cart\t0.01s\n?   \tshop/cmd\t[no test files]\n", PassedUncounted},
		{"go cached", "go test ./...", 0, "ok  \tshop/cart\t(cached)\n", PassedUncounted},
		{"go with coverage", "go test -cover ./...", 0, "ok  \tshop/cart\t0.01s\tcoverage: 71.0% of statements\n\tshop/cmd\t\tcoverage: 0.0% of statements\n", PassedUncounted},
		{"go -v counts", "go test -v ./cart", 0, "=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\n=== RUN   TestDB\n    db_test.go:9: no database\n--- SKIP: TestDB (0.00s)\nPASS\nok  \tshop/cart\t0.01s\n", Passed},
		{"go -v of skips", "go test -v ./...", 0, "=== RUN   TestDB\n--- SKIP: TestDB (0.00s)\nPASS\nok  \tshop/cart\t0.01s\n", Empty},
		{"go -v without a test", "go test -v ./...", 0, "ok  \tshop/cart\t0.01s\n", Unknown},
		{"go -json", "go test -json ./...", 0, `{"Action":"run","Package":"shop","Test":"TestA"}` + "\n" + `{"Action":"output","Package":"shop","Test":"TestA","Output":"--- FAIL: no (0.00s)\n"}` + "\n" + `{"Action":"pass","Package":"shop","Test":"TestA","Elapsed":0}` + "\n" + `{"Action":"pass","Package":"shop"}` + "\n", Passed},
		{"go -json red", "go test -json ./...", 1, `{"Action":"fail","Package":"shop","Test":"TestA"}` + "\n" + `{"Action":"fail","Package":"shop"}` + "\n", Failed},
		{"go -json of skips", "go test -json ./...", 0, `{"Action":"skip","Package":"shop","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"shop"}` + "\n", Empty},
		{"go no match", "go test -run TestNothing ./...", 0, "ok  \tshop/cart\t0.01s [no tests to run]\n", Empty},
		{"go no files", "go test ./...", 0, "?   \tshop\t[no test files]\n", Empty},
		{"go red", "go test ./...", 1, "--- FAIL: TestAdd (0.00s)\n    cart_test.go:9: got 1\nFAIL\nFAIL\tshop/cart\t0.01s\nok  \tshop/cmd\t0.01s\nFAIL\n", Failed},
		{"go does not build", "go test ./...", 1, "# shop/cart [shop/cart.test]\n./cart_test.go:6:2: undefined: nope\nFAIL\tshop/cart [build failed]\nFAIL\n", Error},
		{"go panics", "go test ./...", 1, "panic: boom [recovered]\n\tpanic: boom\n\ngoroutine 6 [running]:\nFAIL\tshop/cart\t0.01s\nFAIL\n", Failed},
		{"go prints red words itself", "go test -v ./...", 0, "=== RUN   TestLog\n--- FAIL: as in a log (0.00s)\nFAIL\n--- PASS: TestLog (0.00s)\nPASS\nok  \tshop\t0.01s\n", Passed},
		{"go -list", "go test -list . ./...", 0, "TestAdd\nok  \tshop\t0.01s\n", Empty},
		{"go -c", "go test -c ./cart", 0, "", Empty},
		{"go -exec true", "go test -exec true ./...", 0, "ok  \tshop\t0.01s\n", Empty},
		{"go benchmarks only", "go test -run '^$' -bench . ./...", 0, "BenchmarkAdd-8  \t 10\t 44 ns/op\nPASS\nok  \tshop\t0.01s\n", Empty},
		{"gotestsum", "gotestsum --format dots -- ./...", 0, "DONE 9 tests, 1 skipped in 0.3s\n", Passed},
		{"gotestsum of skips", "gotestsum", 0, "DONE 2 tests, 2 skipped in 0.3s\n", Empty},
		{"gotestsum red", "gotestsum", 1, "=== FAIL: cart TestAdd (0.00s)\n\nDONE 9 tests, 1 failure in 0.3s\n", Failed},
		{"gotestsum does not build", "gotestsum", 1, "FAIL\tshop [build failed]\n\nDONE 0 tests, 1 failure, 1 error in 0.0s\n", Error},
		{"uvu", "uvu tests", 0, "a.js\n• •   (2 / 2)\n\n  Total:     2\n  Passed:    2\n  Skipped:   0\n  Duration:  0.56ms\n\n", Passed},
		{"uvu red", "uvu tests", 1, "  Total:     2\n  Passed:    1\n  Skipped:   0\n", Failed},
		{"uvu skips", "uvu tests", 0, "  Total:     0\n  Passed:    0\n  Skipped:   1\n", Empty},
		{"GoogleTest", "./build/unit_tests", 0, "[----------] Global test environment tear-down\n[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 2 tests.\n", Passed},
		{"GoogleTest red", "./build/unit_tests", 1, "[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Cart.Adds\n\n 1 FAILED TEST\n", Failed},
		{"GoogleTest skips", "./build/unit_tests", 0, "[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] Cart.Adds\n", Empty},
		{"GoogleTest, no match", "./build/unit_tests --gtest_filter=Nope", 0, "Note: Google Test filter = Nope\n[==========] Running 0 tests from 0 test suites.\n[==========] 0 tests from 0 test suites ran. (0 ms total)\n[  PASSED  ] 0 tests.\n", Empty},
		{"Catch2", "./build/tests", 0, "===============\nAll tests passed (3 assertions in 2 test cases)\n\n", Passed},
		{"Catch2 red", "./build/tests", 1, "test cases: 2 | 1 passed | 1 failed\nassertions: 3 | 2 passed | 1 failed\n", Failed},
		{"Catch2 without a test", "./build/tests", 0, "===============\nNo tests ran\n\n", Empty},
		{"doctest", "./build/run_tests", 0, "[doctest] doctest version is \"2.4.11\"\n[doctest] test cases: 2 | 2 passed | 0 failed | 1 skipped\n[doctest] assertions: 3 | 3 passed | 0 failed |\n[doctest] Status: SUCCESS!\n", Passed},
		{"doctest, no match", "./build/run_tests", 0, "[doctest] test cases: 0 | 0 passed | 0 failed | 2 skipped\n[doctest] Status: SUCCESS!\n", Empty},
		{"Criterion", "make test", 0, "[====] Synthesis: Tested: 2 | Passing: 2 | Failing: 0 | Crashing: 0\n", Passed},
		{"Check red", "make check", 2, "50%: Checks: 2, Failures: 1, Errors: 0\n", Failed},
		{"busted as GoogleTest", "busted -o gtest", 0, "[==========] 2 tests from 1 test file ran. (0.33 ms total)\n[  PASSED  ] 2 tests.\n", Passed},
		{"busted as JUnit", "busted -o junit", 0, "<testsuites errors='0' skip='0' failures='0' tests='2' time='0.02'>\n\t<testsuite errors='0' time='0.00' name='Run 1 of 1' failures='0' tests='2' skip='0' timestamp='2026-11-30T16:43:20'>\n", Passed},
		{"busted as JUnit, pending only", "busted -o junit", 0, "<testsuites errors='0' skip='1' failures='0' tests='1' time='0.02'>\n", Empty},
		{"test-unit omits all, behind rake", "rake test", 0, "Omission: omitted. [test_a(T)]\n1 tests, 0 assertions, 0 failures, 0 errors, 0 pendings, 1 omissions, 0 notifications\n0% passed\n", Empty},
		{"old minitest skips all, behind rake", "rake test", 0, "1 tests, 1 assertions, 0 failures, 0 errors, 1 skips\n", Empty},
		{"kaocha, one pending", "clj -M:test", 0, "2 tests, 2 assertions, 1 pending, 0 failures.\n", Passed},
		{"busted TAP puts the note first", "busted -o TAP", 0, "ok 1 - # SKIP a x\n1..1\n", Empty},
		{"shUnit2", "sh test/a_test.sh", 0, "testA\ntestB\n\nRan \x1b[1;36m2\x1b[0m tests.\n\n\x1b[1;32mOK\x1b[0m\n", Passed},
		{"shUnit2 red", "bash test/a_test.sh", 1, "testA\nASSERT:expected:<1> but was:<2>\nshunit2:ERROR testA() returned non-zero return code.\n\nRan 2 tests.\n\nFAILED (failures=2)\n", Failed},
		{"shUnit2 skips", "sh test/a_test.sh", 0, "testA\n\nRan 1 test.\n\nOK (skipped=1)\n", Empty},
		{"shUnit2 without a test", "sh test/a_test.sh", 0, "\nRan 0 tests.\n\nOK\n", Empty},
		{"a script named test.sh", "chmod +x scripts/test.sh && ./scripts/test.sh", 0, "running\n2 passed in 0.01s\n", Passed},
		{"bash test.sh", "bash test.sh", 1, "running\n1 failed, 2 passed in 0.01s\n", Failed},
		{"the builtin is no script", "test -f go.mod", 0, "", None},
		{"ginkgo, succinct", "ginkgo --succinct -r", 0, "[1796056741] \x1b[1mShop Suite\x1b[0m - 2/2 specs \x1b[38;5;10m•\x1b[0m\x1b[38;5;10m•\x1b[0m \x1b[38;5;10mSUCCESS!\x1b[0m 290.201µs PASS\n\nGinkgo ran 1 suite in 5.2s\nTest Suite Passed\n", Passed},
		{"ginkgo, succinct, of skips", "ginkgo --succinct", 0, "[17] Shop Suite - 1/2 specs SP SUCCESS! 290.201µs PASS\n\nGinkgo ran 1 suite in 5.2s\nTest Suite Passed\n", Empty},
		{"ginkgo under go -v, of skips", "go test -v ./...", 0, "=== RUN   TestShop\nRan 0 of 2 Specs in 0.000 seconds\nSUCCESS! -- 0 Passed | 0 Failed | 1 Pending | 1 Skipped\n--- PASS: TestShop (0.00s)\nPASS\nok  \tshop\t0.01s\n", Empty},
		{"ginkgo under go -json, of skips", "go test -json ./...", 0, `{"Action":"output","Package":"shop","Test":"TestShop","Output":"\u001b[1mSUCCESS!\u001b[0m -- 0 Passed | 0 Failed | 1 Pending | 1 Skipped\n"}` + "\n" + `{"Action":"pass","Package":"shop","Test":"TestShop"}` + "\n" + `{"Action":"pass","Package":"shop"}` + "\n", Empty},
		{"a test of pytest prints a red summary", "pytest -rA", 0, "----- Captured stdout call -----\n2 failed in 0.1s\n===== short test summary info =====\n===== 7 passed in 0.11s =====\n", Passed},
		{"ginkgo", "ginkgo -r", 0, "Ran 3 of 4 Specs in 0.001 seconds\nSUCCESS! -- 3 Passed | 0 Failed | 1 Pending | 0 Skipped\nPASS\n", Passed},

		// Rust
		{"cargo sums its blocks", "cargo test", 0, "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n", Passed},
		{"cargo filters all", "cargo test nope", 0, "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.00s\n", Empty},
		{"cargo one red block", "cargo test --no-fail-fast", 101, "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\nerror: 1 target failed:\n", Failed},
		{"cargo does not compile", "cargo test", 101, "error[E0425]: cannot find value `x`\nerror: could not compile `shop` (lib test) due to 1 previous error\n", Error},
		{"cargo --no-run", "cargo test --no-run", 0, "  Executable unittests src/lib.rs\n", Empty},
		{"cargo left in a test", "cargo test --lib", 0, "running 2 tests\n", Unknown},
		{"nextest", "cargo nextest run", 0, "     Summary [   0.005s] 3 tests run: 3 passed, 1 skipped\n", Passed},
		{"nextest red", "cargo nextest run", 100, "     Summary [   0.005s] 3 tests run: 2 passed, 1 failed, 0 skipped\nerror: test run failed\n", Failed},

		// Python
		{"pytest", "pytest", 0, "===== 3 passed, 1 warning in 0.12s =====\n", Passed},
		{"pytest -q", "pytest -q", 0, "...  [100%]\n3 passed in 0.12s\n", Passed},
		{"pytest for minutes", "pytest", 0, "=== 310 passed, 2 skipped in 125.30s (0:02:05) ===\n", Passed},
		{"pytest -qq shows progress only", "pytest -qq", 0, "..s                              [100%]\n", Passed},
		{"pytest -qq of skips", "pytest -qq", 0, "ss                               [100%]\n", Empty},
		{"pytest of skips", "pytest", 0, "=== 2 skipped in 0.01s ===\n", Empty},
		{"pytest expected failures only", "pytest", 0, "=== 2 xfailed in 0.01s ===\n", Empty},
		{"pytest deselects all", "pytest -k nope", 5, "=== 4 deselected in 0.01s ===\n", Empty},
		{"pytest finds nothing", "pytest", 5, "collected 0 items\n=== no tests ran in 0.01s ===\n", Empty},
		{"pytest red", "pytest", 1, "FAILED test_a.py::test_b - assert 1 == 2\n=== 1 failed, 4 passed in 0.10s ===\n", Failed},
		{"pytest fixture broke", "pytest", 1, "ERROR test_a.py::test_b - RuntimeError\n=== 4 passed, 1 error in 0.10s ===\n", Failed},
		{"pytest cannot import", "pytest", 2, "ERROR collecting test_a.py\n!!!!! Interrupted: 1 error during collection !!!!!\n=== 1 error in 0.10s ===\n", Error},
		{"pytest bad option", "pytest --nope", 4, "ERROR: usage: pytest [options]\n", Error},
		{"pytest interrupted", "pytest", 2, "!!!!! KeyboardInterrupt !!!!!\n=== 1 passed in 2.00s ===\n", Unknown},
		{"pytest threshold", "pytest --cov --cov-fail-under=90", 1, "FAIL Required test coverage of 90% not reached. Total coverage: 71.00%\n=== 4 passed in 0.10s ===\n", Failed},
		{"pytest left in a test", "pytest", 0, "collected 2 items\n\ntest_a.py ", Unknown},
		{"pytest --co", "pytest --collect-only -q", 0, "test_a.py::test_b\n\n1 test collected in 0.01s\n", Empty},
		{"pytest collects by its configuration", "pytest", 0, "<Module test_a.py>\n=== 3 tests collected in 0.01s ===\n", Empty},
		{"pytest is not there", "python3 -m pytest", 1, "/usr/bin/python3: No module named pytest\n", Error},
		{"pytest silent and red", "pytest -p no:terminal", 1, "", Failed},
		{"unittest", "python -m unittest", 0, "..\n------\nRan 2 tests in 0.001s\n\nOK (skipped=1)\n", Passed},
		{"unittest of skips", "python -m unittest", 0, "ss\n------\nRan 2 tests in 0.001s\n\nOK (skipped=2)\n", Empty},
		{"unittest finds nothing", "python -m unittest", 0, "Ran 0 tests in 0.000s\n\nOK\n", Empty},
		{"unittest finds nothing and says so", "python3.13 -m unittest", 5, "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", Empty},
		{"unittest red", "python -m unittest", 1, "FAIL: test_a (t.T.test_a)\n\nRan 2 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n", Failed},
		{"unittest cannot import", "python -m unittest", 1, "ERROR: t (unittest.loader._FailedTest.t)\nImportError: Failed to import test module: t\n\nRan 1 test in 0.000s\n\nFAILED (errors=1)\n", Error},
		{"django", "python manage.py test", 0, "Found 3 test(s).\nSystem check identified no issues.\n...\nRan 3 tests in 0.010s\n\nOK\nDestroying test database\n", Passed},
		{"a test file that runs none", "python test_cart.py", 0, "", Unknown},

		// JavaScript
		{"node", "node --test", 0, nodeGreen, Passed},
		{"node spec", "node --test --test-reporter=spec", 0, "▶ cart\n  ✔ trims (0.3ms)\n✔ cart (1.1ms)\nℹ tests 1\nℹ suites 1\nℹ pass 1\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n", Passed},
		{"node counts a file without tests", "node --test", 0, "✔ /w/p/cart.test.js (43.3ms)\nℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n", Empty},
		{"node counts a file without tests, TAP", "node --test", 0, strings.ReplaceAll(nodeGreen, "trims", "/w/p/cart.test.js"), Empty},
		{"node todo may fail", "node --test", 0, "not ok 1 - later # TODO\nok 2 - trims\n1..2\n# tests 2\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 1\n", Passed},
		{"node red", "node --test", 1, strings.NewReplacer("ok 1 - trims", "not ok 1 - trims", "# pass 1", "# pass 0", "# fail 0", "# fail 1").Replace(nodeGreen), Failed},
		{"node cannot load a file", "node --test", 1, "not ok 1 - /w/p/cart.test.js\n1..1\n# tests 1\n# pass 0\n# fail 1\n# cancelled 0\n", Error},
		{"node of skips", "node --test", 0, "ok 1 - trims # SKIP\n1..1\n# tests 1\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 1\n# todo 0\n", Empty},
		{"node junit", "node --test --test-reporter=junit", 0, "<testsuites>\n\t<testcase name=\"adds\" time=\"0.001\" classname=\"test\"/>\n\t<!-- tests 1 -->\n\t<!-- pass 1 -->\n\t<!-- fail 0 -->\n\t<!-- cancelled 0 -->\n</testsuites>\n", Passed},
		{"node dots", "node --test --test-reporter=dot", 0, "..\n", Unknown},
		{"jest", "npx jest", 0, jestGreen, Passed},
		{"jest todo", "npx jest", 0, "Test Suites: 1 passed, 1 total\nTests:       2 todo, 2 total\n", Empty},
		{"jest red", "npx jest", 1, "FAIL src/cart.test.ts\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 4 passed, 5 total\n", Failed},
		{"jest suite does not load", "npx jest", 1, "FAIL src/cart.test.ts\n  ● Test suite failed to run\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       4 passed, 4 total\n", Error},
		{"jest suite red among green tests", "npx jest || true", 0, "Test Suites: 1 failed, 1 passed, 2 total\nTests:       4 passed, 4 total\n", Error},
		{"jest threshold", "npx jest --coverage", 1, "Jest: \"global\" coverage threshold for lines (90%) not met: 80%\n" + jestGreen, Failed},
		{"jest filters all", "npx jest -t nope", 0, "Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\n", Empty},
		{"jest finds nothing", "npx jest", 1, "No tests found, exiting with code 1\nPattern:  - 0 matches\n", Empty},
		{"jest finds nothing and is content", "npx jest --passWithNoTests", 0, "No tests found, exiting with code 0\n", Empty},
		{"jest --json", "npx jest --json", 0, `{"numFailedTestSuites":0,"numFailedTests":0,"numPassedTests":2,"numPendingTests":0,"numTodoTests":0,"numTotalTests":2,"success":true}`, Passed},
		{"jest --json of nothing", "npx jest --json --passWithNoTests", 0, `{"numFailedTestSuites":0,"numFailedTests":0,"numPassedTests":0,"numPendingTests":0,"numTodoTests":0,"numTotalTests":0,"success":true}`, Empty},
		{"vitest", "npx vitest run", 0, viGreen, Passed},
		{"vitest coloured", "npx vitest run", 0, "\x1b[2m Test Files \x1b[22m \x1b[1m\x1b[32m1 passed\x1b[39m\x1b[22m\x1b[90m (1)\x1b[39m\r\n\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m2 passed\x1b[39m\x1b[22m\x1b[90m (2)\x1b[39m\r\n", Passed},
		{"vitest as TAP", "npx vitest run --reporter=tap", 0, "TAP version 13\n1..1\nok 1 - cart.test.js # time=4.38ms {\n    1..2\n    ok 1 - adds # time=0.9ms\n    ok 2 - subs # time=0.1ms\n}\n", Passed},
		{"vitest unhandled error", "npx vitest run", 1, " Test Files  1 passed (1)\n      Tests  2 passed (2)\n     Errors  1 error\n", Failed},
		{"vitest of skips", "npx vitest run", 0, " Test Files  1 skipped (1)\n      Tests  2 skipped (2)\n", Empty},
		{"vitest red", "npx vitest run", 1, " FAIL  cart.test.ts > adds\n Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 6 passed (7)\n", Failed},
		{"vitest file does not load", "npx vitest run", 1, " Test Files  1 failed (1)\n      Tests  no tests\n", Error},
		{"half a vitest summary", "npx vitest run", 0, "Tests  3 passed (3)\n", Passed},
		{"half a vitest summary, masked", "npx vitest run | tail -1", 0, "Tests  3 passed (3)\n", Unknown},
		{"half a vitest summary of skips", "npx vitest run", 0, "Tests  3 skipped (3)\n", Empty},
		{"half a jest summary", "npx jest", 0, "Tests:       5 passed, 5 total\n", Passed},
		{"half a jest summary, masked", "npx jest; echo done", 0, "Tests:       5 passed, 5 total\ndone\n", Unknown},
		{"pnpm of a package, half a summary", "cd api && CI=1 pnpm -r --filter @acme/api run test:unit -- --run", 0, "Tests  9 passed (9)\n", Passed},
		{"vitest watches", "npx vitest --watch", 0, viGreen, Unknown},
		{"vitest without a terminal runs once", "npx vitest", 0, viGreen, Passed},
		{"mocha", "npx mocha", 0, "  cart\n    ✔ adds\n\n  2 passing (4ms)\n  1 pending\n", Passed},
		{"mocha of pending", "npx mocha", 0, "  0 passing (1ms)\n  2 pending\n", Empty},
		{"mocha red", "npx mocha", 2, "  2 passing (4ms)\n  2 failing\n", Failed},
		{"mocha red by as many as a signal has", "npx mocha", 130, "  2 passing (4ms)\n  130 failing\n", Failed},
		{"mocha --dry-run", "npx mocha --dry-run", 0, "  2 passing (4ms)\n", Empty},
		{"mocha left in a test", "npx mocha", 0, "  cart\n    ✔ adds\n", Unknown},
		{"mocha json-stream", "npx mocha -R json-stream", 0, `["start",{"total":2}]` + "\n" + `["end",{"suites":1,"tests":2,"passes":2,"pending":0,"failures":0,"duration":3}]` + "\n", Passed},
		{"mocha json", "npx mocha -R json", 1, "{\n  \"stats\": {\n    \"suites\": 1,\n    \"tests\": 2,\n    \"passes\": 1,\n    \"pending\": 0,\n    \"failures\": 1,\n    \"start\": \"x\"\n  },\n", Failed},
		{"ava", "npx ava", 0, "  ✔ adds\n  ─\n\n  2 tests passed\n  1 test skipped\n", Passed},
		{"ava of skips", "npx ava", 0, "  ─\n\n  2 tests skipped\n", Empty},
		{"ava red", "npx ava", 1, "  ─\n\n  1 test failed\n", Failed},
		{"ava file does not load", "npx ava", 1, "  ✘ cart.test.js exited with a non-zero exit code: 1\n  ─\n\n  1 uncaught exception\n", Error},
		{"bun", "bun test", 0, "cart.test.ts:\n(pass) adds [0.1ms]\n\n 2 pass\n 0 fail\n 2 expect() calls\nRan 2 tests across 1 file. [4.00ms]\n", Passed},
		{"bun of a file without tests", "bun test", 0, " 0 pass\n 0 fail\nRan 0 tests across 1 file. [3.00ms]\n", Empty},
		{"bun red", "bun test", 1, "(fail) adds [0.1ms]\n 1 pass\n 1 fail\nRan 2 tests across 1 file. [4.00ms]\n", Failed},
		{"bun file does not load", "bun test", 1, "# Unhandled error between tests\n 0 pass\n 1 fail\n 1 error\nRan 1 test across 1 file. [4.00ms]\n", Error},
		{"deno", "deno test", 0, "adds ... ok (1ms)\n\nok | 2 passed (3 steps) | 0 failed | 1 ignored (10ms)\n", Passed},
		{"deno filters all", "deno test --filter nope", 0, "ok | 0 passed | 0 failed | 2 filtered out (4ms)\n", Empty},
		{"deno red", "deno test", 1, "FAILED | 1 passed | 1 failed (10ms)\n\nerror: Test failed\n", Failed},
		{"deno types", "deno test", 1, "error: Type checking failed.\n", Error},
		{"playwright", "npx playwright test", 0, "Running 3 tests using 2 workers\n\n  1 skipped\n  2 passed (3.1s)\n", Passed},
		{"playwright red", "npx playwright test || true", 0, "Running 3 tests using 2 workers\n\n  1 failed\n    a.spec.ts:3:1 › buys\n  2 passed (3.1s)\n", Failed},

		// Ruby, PHP, JVM, native and others
		{"rspec", "bundle exec rspec", 0, "Finished in 0.01 seconds\n3 examples, 0 failures, 1 pending\n", Passed},
		{"rspec of pending", "rspec", 0, "2 examples, 0 failures, 2 pending\n", Empty},
		{"rspec red", "rspec", 1, "3 examples, 1 failure\n", Failed},
		{"rspec file does not load", "rspec", 1, "0 examples, 0 failures, 1 error occurred outside of examples\n", Error},
		{"rspec --dry-run", "rspec --dry-run", 0, "3 examples, 0 failures\n", Empty},
		{"rspec json", "rspec -f j", 0, `{"summary":{"duration":0.1,"example_count":2,"failure_count":0,"pending_count":0,"errors_outside_of_examples_count":0},"summary_line":"2 examples, 0 failures"}`, Passed},
		{"minitest", "rake test", 0, "2 runs, 2 assertions, 0 failures, 0 errors, 1 skips\n", Passed},
		{"minitest of skips", "ruby -Itest test/cart_test.rb", 0, "2 runs, 0 assertions, 0 failures, 0 errors, 2 skips\n", Empty},
		{"minitest red", "bin/rails test", 1, "2 runs, 2 assertions, 0 failures, 1 errors, 0 skips\n", Failed},
		{"minitest file does not load", "ruby -Itest test/cart_test.rb", 1, "kernel_require.rb:85:in `require': cannot load such file -- nope (LoadError)\n", Error},
		{"phpunit", "vendor/bin/phpunit", 0, "OK (3 tests, 4 assertions)\n", Passed},
		{"phpunit of skips", "vendor/bin/phpunit", 0, "OK, but incomplete, skipped, or risky tests!\nTests: 2, Assertions: 0, Skipped: 2.\n", Empty},
		{"phpunit risky", "php vendor/bin/phpunit", 0, "OK, but incomplete, skipped, or risky tests!\nTests: 2, Assertions: 1, Risky: 1.\n", Passed},
		{"phpunit class without tests", "phpunit tests", 0, "1) Warning\nNo tests found in class \"CartTest\".\n\nWARNINGS!\nTests: 1, Assertions: 0, Warnings: 1.\n", Empty},
		{"phpunit red", "phpunit tests", 1, "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n", Failed},
		{"phpunit dies", "phpunit tests", 255, "PHP Fatal error:  Uncaught Error in /w/p/a.php\n", Error},
		{"phpunit left in a test", "phpunit tests", 0, "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n", Unknown},
		{"pest", "php artisan test", 0, "  Tests:    3 passed (4 assertions)\n  Duration: 0.1s\n", Passed},
		{"ctest", "ctest --test-dir build", 0, "1/2 Test #1: a ....   Passed    0.00 sec\n2/2 Test #2: b ....***Skipped   0.00 sec\n\n100% tests passed, 0 tests failed out of 2\n\nThe following tests did not run:\n\t  2 - b (Skipped)\n", Passed},
		{"ctest of skips", "ctest --test-dir build", 0, "1/1 Test #1: a ....***Skipped   0.00 sec\n\n100% tests passed, 0 tests failed out of 1\n", Empty},
		{"ctest finds nothing", "ctest", 0, "No tests were found!!!\n", Empty},
		{"ctest red", "ctest", 8, "50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - b (Failed)\nErrors while running CTest\n", Failed},
		{"ctest program is not there", "ctest", 8, "50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - b (Not Run)\nErrors while running CTest\n", Error},
		{"ctest after a build that may have failed", "cmake --build build; ctest --test-dir build", 0, "100% tests passed, 0 tests failed out of 2\n", Weak},
		{"ctest after a build that is not seen", "cmake --build build >/dev/null 2>&1; ctest --test-dir build", 0, "100% tests passed, 0 tests failed out of 2\n", Unknown},
		{"ctest after a build that failed", "cmake --build build; ctest --test-dir build", 0, "gmake: *** [Makefile:101: all] Error 2\n100% tests passed, 0 tests failed out of 2\n", Failed},
		{"bats", "bats test", 0, "1..2\nok 1 adds\nok 2 subs # skip db\n", Passed},
		{"bats of skips", "bats test", 0, "1..1\nok 1 subs # skip db\n", Empty},
		{"bats finds nothing", "bats test", 0, "1..0\n", Empty},
		{"bats red", "bats test", 1, "1..2\nok 1 adds\nnot ok 2 subs\n", Failed},
		{"bats stops short", "bats test", 0, "1..3\nok 1 adds\n", Unknown},
		{"bats pretty", "bats --pretty test", 0, " ✓ adds\n\n2 tests, 0 failures\n", Passed},
		{"maven", "mvn -B test", 0, mvnGreen, Passed},
		{"maven of skips", "mvn test", 0, strings.ReplaceAll(mvnGreen, "Skipped: 1", "Skipped: 3"), Empty},
		{"maven red", "mvn verify", 1, "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n", Failed},
		{"maven does not compile", "mvn test", 1, "[ERROR] COMPILATION ERROR :\n[INFO] BUILD FAILURE\n", Error},
		{"maven filter fits no test", "mvn test -Dtest=Nope", 1, "[ERROR] Failed to execute goal surefire:test: No tests were executed!  (Set -DfailIfNoTests=false to ignore this error.) -> [Help 1]\n[INFO] BUILD FAILURE\n", Empty},
		{"maven success alone is nothing", "mvn test", 0, "[INFO] BUILD SUCCESS\n", Unknown},
		{"maven told to skip", "mvn package -DskipTests", 0, "[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS\n", Empty},
		{"maven told to ignore failures", "mvn test -fn", 0, "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n", Failed},
		{"gradle green says no count", "./gradlew test", 0, "> Task :test\n\nBUILD SUCCESSFUL in 3s\n", PassedUncounted},
		{"gradle had no need to run", "./gradlew :app:integrationTest", 0, "> Task :app:integrationTest UP-TO-DATE\n\nBUILD SUCCESSFUL in 1s\n", PassedUncounted},
		{"gradle from its cache", "gradle testDebugUnitTest", 0, "> Task :app:testDebugUnitTest FROM-CACHE\n\nBUILD SUCCESSFUL in 1s\n", PassedUncounted},
		{"gradle compiles tests only", "./gradlew test", 0, "> Task :compileTestJava\n> Task :testClasses\n\nBUILD SUCCESSFUL in 1s\n", Unknown},
		{"gradle has no tests", "./gradlew test", 0, "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n", Empty},
		{"gradle skips them", "./gradlew test", 0, "> Task :test SKIPPED\n\nBUILD SUCCESSFUL in 1s\n", Empty},
		{"gradle ignores failures", "./gradlew test", 0, "> Task :test\nThere were failing tests. See the report at: file:///w/p/index.html\n\nBUILD SUCCESSFUL in 1s\n", Unknown},
		{"gradle masked", "./gradlew test | tail -3", 0, "> Task :test\n\nBUILD SUCCESSFUL in 1s\n", Unknown},
		{"bazel", "bazel test //...", 0, "//a:t   PASSED in 0.1s\n\nExecuted 1 out of 1 test: 1 test passes.\n", Passed},
		{"bazel from its cache", "bazelisk test //...", 0, "//a:t   (cached) PASSED in 0.1s\nExecuted 0 out of 1 test: 1 test passes.\n", Passed},
		{"bazel skips", "bazel test //...", 0, "Executed 0 out of 1 test: 1 was skipped.\n", Empty},
		{"bazel red", "bazel test //...", 3, "//a:t   FAILED in 0.1s\n\nExecuted 2 out of 2 tests: 1 test passes and 1 fails locally.\n", Failed},
		{"bazel red, hidden", "bazel test //... || true", 0, "//a:t   FAILED in 0.1s\n\nExecuted 2 out of 2 tests: 1 test passes and 1 fails locally.\n", Failed},
		{"bazel does not build", "bazel test //...", 1, "ERROR: Build did NOT complete successfully\nExecuted 0 out of 1 test: 1 fails to build.\n", Error},
		{"bazel by its summary", "bazel test //... | tail -2", 0, "Executed 1 out of 1 test: 1 test passes.\n", Weak},
		{"gradle that logs tests", "./gradlew test", 0, "CartTest > adds() PASSED\n\nBUILD SUCCESSFUL in 3s\n", Passed},
		{"sbt", "sbt test", 0, "[info] Passed: Total 3, Failed 0, Errors 0, Passed 3\n[success] Total time: 3 s\n", Passed},
		{"ScalaTest alone", "sbt testOnly", 0, "[info] Tests: succeeded 3, failed 0, canceled 0, ignored 1, pending 0\n[info] All tests passed.\n", Passed},
		{"sbt red", "sbt test || true", 0, "[error] Failed: Total 3, Failed 1, Errors 0, Passed 2\n", Failed},
		{"sbt without tests", "sbt test", 0, "[info] No tests to run for Test / test\n", Empty},
		{"mill", "mill app.test", 0, "[info] Passed: Total 3, Failed 0, Errors 0, Passed 3\n", Passed},
		{"lein", "lein test", 0, "\nRan 3 tests containing 5 assertions.\n0 failures, 0 errors.\n", Passed},
		{"lein red", "lein test | cat", 0, "Ran 3 tests containing 5 assertions.\n1 failures, 0 errors.\n", Failed},
		{"lein without tests", "lein test", 0, "Ran 0 tests containing 0 assertions.\n0 failures, 0 errors.\n", Empty},
		{"clj", "clj -M:test", 0, "Ran 3 tests containing 5 assertions.\n0 failures, 0 errors.\n", Passed},
		{"kaocha", "bin/kaocha", 0, "3 tests, 5 assertions, 0 failures.\n", Passed},
		{"automake", "make check", 0, "# TOTAL: 2\n# PASS:  1\n# SKIP:  1\n# XFAIL: 0\n# FAIL:  0\n# XPASS: 0\n# ERROR: 0\n", Passed},
		{"automake skips", "make check", 0, "# TOTAL: 1\n# PASS:  0\n# SKIP:  1\n# FAIL:  0\n", Empty},
		{"automake red", "make check; true", 0, "# TOTAL: 2\n# PASS:  1\n# SKIP:  0\n# FAIL:  1\n", Failed},
		{"cabal", "cabal test", 0, "1 of 1 test suites (3 of 3 test cases) passed.\n", Passed},
		{"testthat", "Rscript -e 'devtools::test()'", 0, "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 2 ]\n[ FAIL 0 | WARN 0 | SKIP 1 | PASS 3 ]\n", Passed},
		{"testthat red", "Rscript -e 'testthat::test_dir(\"t\")' || true", 0, "[ FAIL 1 | WARN 0 | SKIP 0 | PASS 3 ]\n", Failed},
		{"R of something else", "Rscript -e 'print(1)'", 0, "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 3 ]\n", None},
		{"julia", "julia --project -e 'using Pkg; Pkg.test()'", 0, "Test Summary: | Pass  Total  Time\nfoo           |    3      3  0.1s\n", Passed},
		{"julia red", "julia test/runtests.jl | cat", 0, "Test Summary: | Pass  Fail  Total\nfoo           |    2     1      3\n", Failed},
		{"pester", "pwsh -c Invoke-Pester", 0, "Tests Passed: 3, Failed: 0, Skipped: 0, Inconclusive: 0, NotRun: 0\n", Passed},
		{"buck", "buck2 test //...", 0, "Tests finished: Pass 3. Fail 0. Fatal 0. Skip 0. Build failure 0\n", Passed},
		{"buck red", "buck2 test //... | cat", 0, "Tests finished: Pass 2. Fail 1. Fatal 0. Skip 0. Build failure 0\n", Failed},
		{"wtr", "npx wtr", 0, "Chrome: |██████| 1/1 test files | 3 passed, 0 failed\n", Passed},
		{"wdio", "npx wdio run wdio.conf.js", 0, "Spec Files:\t 1 passed, 1 total (100% completed) in 00:00:05\n", Passed},
		{"wdio red", "npx wdio run; true", 0, "Spec Files:\t 1 passed, 1 failed, 2 total (100% completed) in 00:00:05\n", Failed},
		{"elm-test", "npx elm-test", 0, "TEST RUN PASSED\n\nDuration: 1 ms\nPassed:   3\nFailed:   0\n", Passed},
		{"playwright without its head", "npx playwright test", 0, "  3 passed (4.2s)\n", Passed},
		{"playwright without its head, masked", "npx playwright test | tail -1", 0, "  3 passed (4.2s)\n", Unknown},
		{"playwright without its head, red", "npx playwright test | tail -3", 0, "  1 failed\n    a.spec.ts:3:1 › x\n  2 passed (4.2s)\n", Failed},
		{"a task of hatch", "hatch run test", 0, "== 3 passed in 0.02s ==\n", Passed},
		{"a task of pixi", "pixi run test", 0, "== 3 passed in 0.02s ==\n", Passed},
		{"a task of mise", "mise run test", 0, "== 3 passed in 0.02s ==\n", Passed},
		{"a script of devbox", "devbox run test:unit", 0, "== 3 passed in 0.02s ==\n", Passed},
		{"another task of hatch", "hatch run lint", 0, "== 3 passed in 0.02s ==\n", None},
		{"gradle red", "./gradlew check", 1, "CartTest > adds() FAILED\n\n3 tests completed, 1 failed\n\nBUILD FAILED in 3s\n", Failed},
		{"dotnet", "dotnet test", 0, "Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 5 ms - shop.dll (net8.0)\n", Passed},
		{"swift", "swift test", 0, "Test Suite 'All tests' passed\n\t Executed 3 tests, with 1 test skipped and 0 failures (0 unexpected) in 0.010 (0.011) seconds\n", Passed},
		{"swift red", "swift test", 1, "\t Executed 3 tests, with 1 failure (0 unexpected) in 0.010 (0.011) seconds\n", Failed},
		{"exunit", "mix test", 0, "Finished in 0.03 seconds\n1 doctest, 2 tests, 0 failures, 1 excluded\n", Passed},
		{"flutter", "flutter test", 0, "00:03 +4 ~1: All tests passed!\n", Passed},
		{"zig", "zig test a.zig", 0, "All 3 tests passed.\n", Passed},
		{"prove does not show skips", "prove -r t", 0, "All tests successful.\nFiles=1, Tests=2,  0 wallclock secs\nResult: PASS\n", PassedUncounted},
		{"junit xml", "npx vitest run --reporter=junit", 0, `<testsuites name="v" tests="2" failures="0" errors="0" time="0.1"><testsuite name="a" tests="2" failures="0" errors="0" skipped="0">` + "\n" + `<testsuite name="a" tests="2" failures="0" errors="0" skipped="0" time="0.1">`, Passed},

		// tools that run runners
		{"npm", "npm test", 0, "> shop@1.0.0 test\n> node --test\n\n" + nodeGreen, Passed},
		{"npm by run", "npm run test:unit", 0, jestGreen, Passed},
		{"npm with a red step after the tests", "npm test", 3, jestGreen + "lint failed\n", Failed},
		{"npm without a script", "npm test", 1, "npm error Missing script: \"test\"\n", Error},
		{"npm default script", "npm test", 1, "Error: no test specified\n", Error},
		{"npm runner is not there", "npm test", 127, "sh: 1: jst: not found\n", Error},
		{"npm script hides a red run", "npm test", 0, jestGreen + "Tests:       1 failed, 3 passed, 4 total\n", Unknown},
		{"npm script that only echoes", "npm test", 0, "> echo ok\n\nok\n", Unknown},
		{"npm script that echoes a summary", "npm test", 0, "\n> shop@1.0.0 test\n> echo '3 passed in 0.1s'\n\n3 passed in 0.1s\n", Unknown},
		{"npm script says that it runs nothing", "npm test", 0, "\n> shop@1.0.0 test\n> mocha --dry-run\n\n\n  2 passing (4ms)\n", Empty},
		{"npm script says that it watches", "npm test", 0, "\n> shop@1.0.0 test\n> vitest --watch\n\n" + viGreen, Unknown},
		{"npm script says that it hides", "npm test", 0, "\n> shop@1.0.0 test\n> node --test || true\n\n# pass 0\n# fail 1\nnot ok 1 - trims\n", Failed},
		{"yarn script says that it pipes", "yarn test", 0, "yarn run v1.22.22\n$ jest | cat\n" + jestGreen + "Done in 0.1s.\n", Weak},
		{"pnpm scripts say what they run", "pnpm -r test", 0, "Scope: 2 of 3 workspace projects\na test$ jest\nb test$ jest || true\na test: Test Suites: 1 passed, 1 total\na test: Tests:       2 passed, 2 total\n", Weak},
		{"pnpm without a script is silent", "pnpm test", 0, "", Unknown},
		{"pnpm prefixes", "pnpm -r test", 0, "a test: 1..1\na test: ok 1 - trims\na test: # tests 1\na test: # pass 1\na test: # fail 0\na test: # cancelled 0\n", Passed},
		{"turbo prefixes", "turbo run test", 0, "web:test: Test Suites: 1 passed, 1 total\nweb:test: Tests:       2 passed, 2 total\n Tasks:    1 successful, 1 total\n", Passed},
		{"make", "make test", 0, "go test ./...\nok  \tshop\t0.01s\n", PassedUncounted},
		{"make red", "make test", 2, "FAIL\tshop\t0.01s\nFAIL\nmake: *** [Makefile:2: test] Error 1\n", Failed},
		{"make red in German", "make check", 2, "make: *** [Makefile:2: check] Fehler 1\n", Failed},
		{"make without that target", "make tests", 2, "make: *** No rule to make target 'tests'.  Stop.\n", Error},
		{"make up to date", "make test", 0, "make: 'test' is up to date.\n", Empty},
		{"make -n", "make -n test", 0, "go test ./...\n", Empty},
		{"make recipe that pipes", "make test", 0, "pytest -q | tail -1\n2 passed in 0.1s\n", Weak},
		{"make recipe that runs nothing", "make test", 0, "npx mocha --dry-run\n\n  2 passing (4ms)\n", Empty},
		{"make recipe that only echoes", "make test", 0, "echo '2 passed in 0.1s'\n2 passed in 0.1s\n", Unknown},
		{"make by its variable", "MAKEFLAGS=n make test", 0, "pytest -q\n", Empty},
		{"make -i", "make -i test", 0, "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tshop\t0.01s\nmake: [Makefile:2: test] Error 1 (ignored)\n", Failed},
		{"make ci without a summary is no test run", "make ci", 0, "gofmt -l .\n", None},
		{"make ci with one is", "make ci", 0, "gofmt -l .\n=== 3 passed in 0.10s ===\n", Passed},
		{"tox", "tox -e py311", 0, "py311: commands[0]> pytest\n=== 3 passed in 0.10s ===\n  py311: OK (1.2 seconds)\n", Passed},
		{"a script named for tests", "./scripts/run-tests.sh", 0, "=== 3 passed in 0.10s ===\n", Passed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := judged(tt.command, ended(tt.exit, tt.text))
			if got.Grade != tt.want {
				t.Errorf("%s: got %s (%s), want %s", tt.command, got.Grade, got.Why, tt.want)
			}
			if strings.Contains(got.Why, "\n") || got.Grade != None && (got.Why == "" || got.Runner == "") {
				t.Errorf("says %q of %q", got.Why, got.Runner)
			}
		})
	}
}

const pytestGreen = "..   [100%]\n2 passed in 0.06s\n"

func TestAnExitCodeProvesOnlyWhatItIsOf(t *testing.T) {
	for command, want := range map[string]Grade{
		"pytest -q": Passed, "cd api && pytest -q": Passed, "pytest -q && echo ok": Passed, "(pytest -q)": Passed, "sleep 1; pytest -q": Passed,
		"time pytest -q": Passed, "timeout 60 pytest -q": Passed, "env CI=1 pytest -q": Passed, "CI=1 pytest -q": Passed, "bash -c 'pytest -q'": Passed,
		"eval 'pytest -q'": Passed, "uv run pytest -q": Passed, "poetry run pytest -q": Passed, "mise exec -- uv run pytest -q": Passed, "python3 -m pytest -q": Passed,
		"docker compose exec -T api pytest -q": Passed, "ssh box pytest -q": Passed, "pytest -q # all": Passed, "script -qec 'pytest -q' /dev/null": Passed,
		"set -o pipefail; pytest -q | tail -5": Passed, "set -euo pipefail\npytest -q 2>&1 | tee log": Passed, "pytest -q | tee l; exit ${PIPESTATUS[0]}": Passed,
		"pytest -q; exit $?": Passed, "pytest -q || exit 1; echo fine": Passed, "set -e; pytest -q; echo after": Passed, "pytest -q & wait $!": Passed,
		"out=$(pytest -q 2>&1); rc=$?; echo \"$out\" | tail -3; exit $rc": Passed, "echo . | xargs -I% pytest -q": Passed, "pytest -q --watch=false": Passed,
		"out=$(uv run pytest -q); rc=$?; exit $rc": Passed, "npx -y pytest -q & wait $!": Passed,
		"coverage run -m pytest -q": Passed, "git diff | head; pytest -q": Passed, "pytest -q 2>&1": Passed, "nice -n 5 pytest -q": Passed,

		"for d in a b; do pytest -q $d || exit 1; done": Passed, "for d in a b; do (cd $d && pytest -q) || exit 1; done; echo ok": Passed, "if ! pytest -q; then echo no; exit 1; fi; ls": Passed,
		"pytest -q || { echo failed; exit 1; }; ls": Passed, "set -e; for d in a b; do pytest -q $d; done; echo ok": Passed, "while read d; do pytest -q $d || exit 1; done < dirs": Passed,
		"if pytest -q; then echo y; else exit 1; fi": Passed, "die() { exit 1; }; pytest -q || die; ls": Passed, "for d in a; do out=$(pytest -q) || exit 1; done": Passed,

		"for d in a b; do pytest -q $d || exit 0; done": Weak, "for d in a b; do pytest -q $d || exit; done": Weak, "for d in a b; do pytest -q $d || true; done": Weak, "for d in a; do pytest -q || return 1; done": Weak,
		"(pytest -q || exit 1); echo ok": Weak, "for d in a; do (pytest -q || exit 1); done": Weak, "for d in a; do pytest -q || exit 1; done | cat": Weak, "for d in a; do pytest -q | cat || exit 1; done": Weak,
		"pytest -q || { echo no; exit $?; }; ls": Weak, "pytest -q || { fix || exit 1; }; ls": Weak, "if pytest -q; then exit 1; fi": Weak, "set -e; { pytest -q && ls; }; ls": Weak, "set -e; pytest -q & wait": Weak,
		"for d in a; do pytest -q || exit 1; done &": Unknown,

		"pytest -q | tail -5": Weak, "pytest -q 2>&1 | tee log": Weak, "pytest -q; echo done": Weak, "pytest -q\nls": Weak, "pytest -q || true": Weak,
		"pytest -q || echo failed": Weak, "if pytest -q; then echo y; fi": Weak, "! pytest -q": Weak, "for i in 1 2; do pytest -q; done": Weak,
		"pytest -q | grep passed": Weak, "echo \"$(pytest -q)\"": Weak, "pytest -q; echo \"exit: $?\"": Weak, "pytest -q && echo ok; echo end": Weak,
		"set -e; pytest -q && echo ok; echo end": Weak, "script -qc 'pytest -q' /dev/null": Weak, "pytest -q & wait": Weak, "trap 'exit 0' EXIT; pytest -q": Weak,
		"out=$(pytest -q); echo \"$out\"": Weak, "find . -maxdepth 0 -exec pytest -q \\;": Weak, "pytest -q > log 2>&1; tail -2 log": Weak,
		"bash -c 'pytest -q; true'": Weak, "pytest -q | sed -n '$p'": Weak, "python - <<'E'\nimport os\nos.system('pytest -q')\nE": Weak,

		"pytest -q | grep -o '[0-9]* passed.*'": Unknown, "pytest -q | awk '{print}'": Unknown, "pytest -q | cut -c1-80": Unknown,
		"pytest -q &": Unknown, "nohup pytest -q > log 2>&1 & sleep 3; tail -2 log": Unknown, "watch pytest -q": Unknown, "docker run -d img pytest -q": Unknown,
		"tmux new-session -d 'pytest -q'": Unknown, "pytest -q > /dev/null 2>&1 && echo PASS": Unknown, "ptw": Unknown, "systemd-run pytest -q": Unknown,

		"echo 'pytest -q'": None, "git commit -m 'pytest -q passes'": None, "grep -rn 'pytest -q' .": None, "cat pytest.log": None, "pip install pytest": None,
		"f() { pytest -q; }; ls": None, "which pytest": None, "man pytest": None, "pytest() { true; }; pytest -q": None, "vim test_a.py": None, "go vet ./...": None,
	} {
		if got := judged(command, ended(0, pytestGreen)); got.Grade != want {
			t.Errorf("%s: got %s (%s), want %s", command, got.Grade, got.Why, want)
		}
	}
}

func TestRedTextBeatsAHiddenExitCode(t *testing.T) {
	const red = "FAILED a.py::t\n1 failed, 2 passed in 0.06s\n"
	for _, command := range []string{"pytest | tail -5", "pytest || true", "pytest; echo done", "pytest &", "pytest > l; cat l", "echo \"$(pytest)\""} {
		if got := judged(command, ended(0, red)); got.Grade != Failed {
			t.Errorf("%s: %s (%s)", command, got.Grade, got.Why)
		}
	}
	if got := judged("npm test", ended(0, red)); got.Grade != Unknown {
		t.Errorf("exit 0 and red: %s", got.Grade)
	}
}

func TestAMaskedOkOrBlockProvesNothing(t *testing.T) {
	for command, text := range map[string]string{
		"go test ./... | tail -3":                      "ok  \tshop\t0.01s\n",
		"go test -v ./... | grep -- '--- PASS'":        "--- PASS: TestAdd (0.00s)\n",
		"cargo test 2>&1 | tail -3":                    "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
		"npx jest | tail -4":                           "Tests:       2 passed, 2 total\nSnapshots:   0 total\nTime: 1 s\nRan all test suites.\n",
		"npx mocha | head -1":                          "  2 passing (4ms)\n",
		"npx mocha | grep passing":                     "  2 passing (4ms)\n",
		"node --test | tail -8":                        "# tests 2\n# suites 0\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 9\n",
		"timeout -s INT 9 pytest 2>&1 | tail -1":       "=== 1 passed in 8.90s ===\n",
		"phpunit tests | tail -1":                      "Tests: 1, Assertions: 0, Warnings: 1.\n",
		"npx playwright test | tail -1":                "  2 passed (3.1s)\n",
		"bats test | grep ok":                          "ok 1 adds\n",
		"python -m unittest 2>&1 | grep '^Ran'":        "Ran 2 tests in 0.001s\n",
		"cargo test -q 2>&1 | tail -6":                 "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
		"go test ./... 2>&1 | tail -1":                 "?   \tshop/cmd\t[no test files]\n",
		"(pytest > log 2>&1; echo '9 passed in 1.0s')": "9 passed in 1.0s\n",
	} {
		if got := judged(command, ended(0, text)); got.Grade != Unknown {
			t.Errorf("%s: got %s (%s)", command, got.Grade, got.Why)
		}
	}
}

func TestTheEndDecidesBeforeTheText(t *testing.T) {
	for _, tt := range []struct {
		name string
		res  *hook.Result
		want Grade
	}{
		{"not told", nil, Unknown},
		{"left in the background", &hook.Result{Background: true, Text: pytestGreen}, Unknown},
		{"interrupted", &hook.Result{Outcome: hook.Failed, Interrupted: true, Text: pytestGreen}, Unknown},
		{"no exit code, green text", &hook.Result{Text: pytestGreen}, Weak},
		{"no exit code, red text", &hook.Result{Text: "1 failed in 0.06s\n"}, Failed},
		{"no exit code, no text", &hook.Result{}, Unknown},
		{"a code that its host calls harmless", &hook.Result{Outcome: hook.Unknown, Text: pytestGreen + "\nNo matches found"}, Weak},
		{"succeeded by the event alone", &hook.Result{Outcome: hook.Succeeded, Text: pytestGreen}, Passed},
		{"failed without a code", &hook.Result{Outcome: hook.Failed, Text: ""}, Unknown},
		{"timed out", ended(124, pytestGreen), Unknown},
		{"killed", ended(137, ""), Unknown},
		{"ended by the host", ended(143, "Exit code 143\nCommand timed out after 2m"), Unknown},
		{"not started", ended(127, "bash: pytest: command not found"), Error},
		{"Exit code line of the host", ended(1, "Exit code 1\n1 failed in 0.06s"), Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := judged("pytest -q", tt.res); got.Grade != tt.want {
				t.Errorf("got %s (%s), want %s", got.Grade, got.Why, tt.want)
			}
		})
	}
}

func TestAnOlderRunsSummaryProvesNothing(t *testing.T) {
	const (
		old     = "============ 5 passed in 0.10s ============\n"
		skipped = "============ 2 skipped in 0.02s ============\n"
		green   = "============ 3 passed in 0.02s ============\n"
	)
	files := map[string]string{"/w/p/notes.md": "# Notes\nrun the tests\n", "/w/p/old.log": old}
	read := func(name string, _ int64) ([]byte, error) {
		if s, ok := files[name]; ok {
			return []byte(s), nil
		}
		return nil, errors.New("no such file")
	}
	for _, tt := range []struct {
		command string
		exit    int
		text    string
		want    Grade
	}{
		{"cat old.log && pytest", 0, old + skipped, Unknown},
		{"cat old.log; pytest", 0, old + skipped, Unknown},
		{"grep passed old.log && pytest", 0, old + skipped, Unknown},
		{"tail -3 old.log | head -1 && pytest", 0, old + skipped, Unknown},
		{"sed -n 1,9p old.log; pytest", 0, old + skipped, Unknown},
		{"cat build/*.log; pytest", 0, old + skipped, Unknown},
		{"pytest > run.log; cat old.log", 0, old, Unknown},
		{"pytest | tail -1 && cat old.log", 0, "no tests ran in 0.01s\n" + old, Unknown},
		{"pytest >> run.log 2>&1; cat run.log", 0, old + skipped, Unknown},
		{"pytest 2>&1 | tee -a run.log > /dev/null; tail run.log", 0, old, Unknown},
		{"cat failed.log && pytest 2>&1 | tail -3", 0, "1 failed, 4 passed in 0.10s\n" + green, Unknown},
		{"cat old.log; pytest", 1, old + "1 failed in 0.02s\n", Failed},

		// none of these prints an older run
		{"cat notes.md && pytest", 0, "# Notes\nrun the tests\n" + green, Passed},
		{"cat setup.py && pytest", 0, "from setuptools import setup\n" + green, Passed},
		{"grep -rn TODO src; pytest", 0, "src/a.py:3:# TODO\n" + green, Passed},
		{"git diff --stat && pytest", 0, " a.py | 2 +-\n" + green, Passed},
		{"pytest > run.log 2>&1 && cat run.log", 0, green, Passed},
		{"pytest > run.log 2>&1; cat run.log", 0, green, Weak},
		{"pytest 2>&1 | tee run.log; tail -5 run.log", 0, green + green, Weak},
		{"pytest --junitxml=r.xml && cat r.xml", 0, green + "<testsuite tests=\"3\" errors=\"0\">\n", Passed},
		{"cat old.log | pytest", 0, green, Passed},
		{"cat old.log > /dev/null; pytest", 0, green, Passed},
	} {
		got := Judge(Call{Line: shellcmd.Parse(tt.command, shellcmd.Options{Cwd: "/w/p"}), Result: ended(tt.exit, tt.text), Dir: "/w/p", ReadFile: read})
		if got.Grade != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.command, got.Grade, got.Why, tt.want)
		}
	}
}

func TestEachRunOfALineIsSeen(t *testing.T) {
	const ok, green = "ok  \tshop\t0.01s\n", "3 passed in 0.02s\n"
	for _, tt := range []struct {
		command string
		exit    int
		text    string
		want    Grade
	}{
		{"(go test ./...; pytest) 2>&1 | tail -2", 0, "...  [100%]\n" + green, Unknown},                  // go's FAIL may be cut off
		{"npm test -ws 2>&1 | tail -6", 0, "> b@1.0.0 test\n> mocha\n\n\n  1 passing (54ms)\n", Unknown}, // another workspace's failure may be cut off
		{"npm test 2>&1 | tail -6", 0, "> b@1.0.0 test\n> mocha\n\n\n  1 passing (54ms)\n", Weak},
		{"(pytest -q a; pytest -q b) 2>&1 | tail -40", 0, green + green, Weak},
		{"pytest a > a.log 2>&1 && pytest b", 0, "2 skipped in 0.02s\n", Unknown},
		{"go test ./... && pytest > b.log 2>&1", 0, "?   \tshop\t[no test files]\n", Unknown},
		{"go test ./... && pytest", 0, ok + green, Passed},
		{"pytest | tail -3; npm run lint", 1, green, Unknown},
		{"pytest | tail -3; npm run lint", 0, green, Weak},
	} {
		if got := judged(tt.command, ended(tt.exit, tt.text)); got.Grade != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.command, got.Grade, got.Why, tt.want)
		}
	}
}

func TestScriptsAndTargetsAreReadWhereTheyCanBe(t *testing.T) {
	files := map[string]string{
		"/w/p/package.json": `{"scripts":{"test":"jest","test:masked":"jest | tail -5","test:or":"jest || true","ci":"npm run lint && npm test","build":"tsc","pretest":"npm run build","verify":"tsc && vitest run","w":"vitest --watch","loop":"npm run loop"}}`,
		"/w/p/Makefile":     "GO ?= go\nall: build check\nbuild:\n\t$(GO) build ./...\ncheck: unit\nunit:\n\t@$(GO) test -v ./... ; \\\n\t  echo done\nsafe:\n\tset -e; $(GO) test ./...\nlax:\n\t-$(GO) test ./...\nsays test-says:\n\t@echo 2 passed in 0.1s\n",
		"/w/p/web/Makefile": "test:\n\tnpx vitest run\n",
	}
	read := func(name string, limit int64) ([]byte, error) {
		if b, ok := files[name]; ok && int64(len(b)) <= limit {
			return []byte(b), nil
		}
		return nil, errors.New("not there")
	}
	for _, tt := range []struct {
		command, text string
		exit          int
		want          Grade
		runner        string
	}{
		{"npm test", jestGreen, 0, Passed, "jest"},
		{"npm run ci", jestGreen, 0, Passed, "jest"},
		{"npm run test:masked", jestGreen, 0, Weak, "jest"},
		{"npm run test:or", "FAIL a.test.js\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\n", 0, Failed, "jest"},
		{"npm run verify", viGreen, 0, Passed, "vitest"},
		{"npm run w", viGreen, 0, Unknown, "vitest"},
		{"npm run build", "", 0, None, ""},
		{"npm run loop", "", 0, None, ""},
		{"make", "--- PASS: TestA (0.00s)\nok  \tshop\t0.1s\ndone\n", 0, Unknown, "go test"},
		{"make check", "ok  \tshop\t0.1s\ndone\n", 0, Unknown, "go test"},
		{"make safe", "ok  \tshop\t0.1s\n", 0, PassedUncounted, "go test"},
		{"make lax", "FAIL\tshop\t0.1s\nmake: [Makefile:12: lax] Error 1 (ignored)\n", 0, Failed, "go test"},
		{"make -C web test", viGreen, 0, Passed, "vitest"},
		{"cd web && make test", viGreen, 0, Passed, "vitest"},
		{"make nothing", "", 2, None, ""},
		{"make says", "2 passed in 0.1s\n", 0, None, ""},
		{"make test-says", "2 passed in 0.1s\n", 0, Unknown, "make"},
	} {
		got := Judge(Call{Line: shellcmd.Parse(tt.command, shellcmd.Options{Cwd: "/w/p"}), Result: ended(tt.exit, tt.text), Dir: "/w/p", ReadFile: read})
		if got.Grade != tt.want || got.Runner != tt.runner {
			t.Errorf("%s: got %s of %q (%s), want %s of %q", tt.command, got.Grade, got.Runner, got.Why, tt.want, tt.runner)
		}
	}
}

func TestVariablesCarryFlagsToo(t *testing.T) {
	for command, want := range map[string]Grade{
		"PYTEST_ADDOPTS=--collect-only pytest": Empty, "export PYTEST_ADDOPTS='-q --co'; pytest": Empty, "MAVEN_ARGS=-DskipTests mvn test": Empty, "GOFLAGS=-n go test ./...": Empty, "PYTEST_ADDOPTS=-q pytest": Unknown,
	} {
		if got := judged(command, ended(0, "")); got.Grade != want {
			t.Errorf("%s: %s (%s)", command, got.Grade, got.Why)
		}
	}
}

func TestTheReportSaysHowToProveIt(t *testing.T) {
	for command, want := range map[string]string{
		"pytest -q 2>&1 | tail -5":    "set -o pipefail; pytest -q 2>&1 | tail -5",
		"cd api && pytest -q | tee l": "set -o pipefail; cd api && pytest -q | tee l",
		"pytest -q || true":           "pytest -q",
		"cd api; pytest -q; echo":     "cd /w/p/api && pytest -q",
		"nohup pytest -q &":           "nohup pytest -q",
		"npm test; echo done":         "npm test",
		"pytest -q":                   "",
	} {
		if got := judged(command, ended(0, pytestGreen)); got.Unmasked != want {
			t.Errorf("%s: %q, want %q", command, got.Unmasked, want)
		}
	}
}

func TestTheReportCountsAndSaysWhatWasLeftOut(t *testing.T) {
	got := judged("cd api && pytest tests/unit -k cart", ended(0, "=== 3 passed, 2 skipped, 9 deselected in 0.10s ===\n"))
	want := Report{
		Grade: Passed, Runner: "pytest", Why: "3 tests passed", Passed: 3, Skipped: 2,
		Scoped: true, Dirs: []string{"/w/p/api"}, Packages: []string{"tests/unit"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for command, scoped := range map[string]bool{
		"go test ./...": false, "go test ./cart": true, "go test": true, "go test -run TestA ./...": true, "pytest": false, "npx jest": false, "npx jest cart": true, "cargo test": false, "cargo test -p a": true, "npm test": false, "npm test -- -t x": true, "npx vitest run --changed": true, "mvn test": false, "mvn test -Dtest=A": true,
	} {
		if got := judged(command, ended(1, "")); got.Scoped != scoped {
			t.Errorf("%s: scoped %v", command, got.Scoped)
		}
	}
	if got := judged("npx jest -u", ended(0, " › 1 snapshot updated.\n"+jestGreen)); got.Grade != Passed || !got.Rewrites {
		t.Errorf("%+v", got)
	}
}

func TestNamesARunnerInCommandPosition(t *testing.T) {
	for command, want := range map[string]bool{
		"go test ./...": true, "npm test": true, "pnpm run test:unit": true, "yarn jest": true, "make check": true, "cd x && time npx vitest run": true, "bundle exec rspec": true, "python -m pytest": true, "./gradlew test": true, "cmake --build b --target test": true, "npm t": true, "bun run test": true, "deno task test": true, "node node_modules/.bin/jest": true, "c8 node --test": true, "just test": true, "nx run web:test": true, "composer test": true, "php artisan test": true, "bash scripts/test.sh": true, "/usr/bin/env python3 -m unittest": true, "go run gotest.tools/gotestsum@latest": true, "go tool gotestsum": true, "rails spec": true, "docker compose run --rm api pytest": true,
		"go build ./...": false, "npm run build": false, "npm install jest": false, "echo go test": false, "make build": false, "go test -c": false, "pytest --version": false, "cat test.sh": false, "git test": false, "npm run test:types": false, "make test-deps": false, "test -f go.mod": false, "[ -f x ]": false, "node server.js": false, "python app.py": false, "rake db:migrate": false, "cargo build --tests": false, "mvn compile": false, "": false,
	} {
		if got := Names(shellcmd.Parse(command, shellcmd.Options{})); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
	if Names(nil) || Work(nil) || Judge(Call{}).Grade != None {
		t.Error("no line is no run")
	}
}

func TestWorkEnds(t *testing.T) {
	for command, want := range map[string]bool{
		"go test ./...": true, "npm run build": true, "make": true, "make build": true, "cargo clippy": true, "tsc --noEmit": true, "npm run lint": true, "golangci-lint run": true, "ruff check .": true, "gradle build": true, "mvn package": true, "docker build .": true, "go vet ./...": true, "cd web && npm run typecheck": true, "next build": true, "npx eslint .": true,
		"npm run dev": false, "npm start": false, "vite": false, "tsc --watch": false, "npx vitest --watch": false, "tail -f log": false, "sleep 60": false, "python -m http.server": false, "make serve": false, "next dev": false, "python manage.py runserver": false, "ls": false, "cargo watch -x test": false, "npm run test:watch": false, "make clean": false, "npm run build && npm start": false,
	} {
		if got := Work(shellcmd.Parse(command, shellcmd.Options{})); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}

func TestGradesHaveTheNamesOfTheContract(t *testing.T) {
	var got []string
	for g := None; g <= Passed; g++ {
		got = append(got, g.String())
	}
	want := []string{"none", "unknown", "empty", "error", "failed", "weak", "passed-uncounted", "passed"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if Grade(99).String() != "unknown" || Grade(0) != None {
		t.Error("the zero value is none, a foreign one unknown")
	}
}
