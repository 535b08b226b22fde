#!/usr/bin/env node
"use strict";
const { statSync } = require("node:fs");
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
// execve aborts Node if the system refuses it, as it does while an installation still writes the file.
if (process.execve && process.platform !== "win32" && Date.now() - statSync(executable).ctimeMs > 600000) {
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
  const failed = ({ code, message }) => {
    const remedy = code === "ETXTBSY" ? ": a program is writing it; try again when that has ended" : "";
    fail(`${executable} could not be started (${code || message})${remedy}`);
  };
  let child;
  try {
    child = spawn(executable, args, { stdio: "inherit" });
  } catch (error) {
    failed(error);
  }
  child.on("error", failed);
  child.on("exit", (code, signal) => {
    for (const name of signals) process.off(name, pass);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
}
