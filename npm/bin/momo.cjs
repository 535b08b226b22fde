#!/usr/bin/env node
"use strict";
const { spawn } = require("node:child_process");
const { ANOTHER, findExecutable, requireProgram, whyNotStarted } = require("../executable.cjs");

/**
 * The command `momo`: runs the executable, and passes signals on. It does not replace itself by `process.execve`, which aborts Node
 * where the system refuses the file.
 */

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

/** What a processor or a system does to a program that is damaged or not for it. */
const CRASHES = ["SIGILL", "SIGSEGV", "SIGBUS", "SIGSYS"];

function fail(message) {
  process.stderr.write(`momo: ${message}\n`);
  process.exit(1);
}

function run(file) {
  const pass = (signal) => {
    // A terminal sends these to the whole group.
    if (!(process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT"))) child.kill(signal);
  };
  // Before the child runs: a signal that ends this process alone leaves the child behind.
  for (const signal of SIGNALS) process.on(signal, pass);
  const failed = (error) => fail(whyNotStarted(file, error));
  let child;
  try {
    child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
  } catch (error) {
    failed(error);
  }
  child.on("error", failed);
  child.on("exit", (code, signal) => {
    for (const name of SIGNALS) process.off(name, pass);
    if (CRASHES.includes(signal)) process.stderr.write(`momo: ${file} ended with ${signal}: ${ANOTHER}\n`);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
}

let executable;
try {
  executable = findExecutable();
  requireProgram(executable);
} catch (error) {
  fail(error.message);
}
run(executable);
