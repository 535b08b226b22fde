#!/usr/bin/env node
"use strict";
const { findExecutable } = require("../executable.cjs");

/** The command `momo`: replaces itself by the executable if the runtime can, otherwise runs it and passes signals on. */

function fail(message) {
  process.stderr.write(`momo: ${message}\n`);
  process.exit(1);
}

let executable = "";
try {
  executable = findExecutable();
} catch (error) {
  fail(error.message);
}
const args = process.argv.slice(2);
if (process.execve && process.platform !== "win32") {
  // One process: signals, job control and exit codes are the executable's own.
  process.execve(executable, [executable, ...args], process.env);
} else {
  runAsChild();
}

function runAsChild() {
  const { spawn } = require("node:child_process");
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
  const pass = (signal) => {
    // A terminal sends these to the whole group.
    if (!(process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT"))) child.kill(signal);
  };
  // Before the child runs: a signal that ends this process alone leaves the child behind.
  for (const signal of signals) process.on(signal, pass);
  const child = spawn(executable, args, { stdio: "inherit" });
  child.on("error", (error) => fail(`${executable} could not be started (${error.code || error.message})`));
  child.on("exit", (code, signal) => {
    for (const name of signals) process.off(name, pass);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
}
