#!/usr/bin/env node
// Runs the program of this platform, which npm installed as an optional
// dependency. Hooks do not come through here: `guardrails init` copies the
// program itself to ~/.guardrails/bin.
"use strict";

const { spawn } = require("node:child_process");

const exe = process.platform === "win32" ? ".exe" : "";
const name = `[[.Package]]-${process.platform}-${process.arch}`;

let program;
try {
  program = require.resolve(`${name}/bin/guardrails${exe}`);
} catch {
  console.error(`guardrails: error: the package ${name} is not installed`);
  console.error(
    "guardrails: hint: install again without --omit=optional; for other platforms build it with Go: go install github.com/ec261362/guardrails/cmd/guardrails@v[[.Version]]",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`guardrails: error: ${program}: ${error.message}`);
  process.exitCode = 1;
});
process.on("SIGINT", () => {}); // a terminal sends it to the program as well
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exitCode = code;
    return;
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
