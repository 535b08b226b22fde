"use strict";
const { closeSync, openSync, readSync, statSync } = require("node:fs");
const { homedir } = require("node:os");
const { resolve } = require("node:path");
const manifest = require("../package.json");

/**
 * Where momo's executable for this machine is. Plain CommonJS, because Node of any version, Bun and Deno read it as it is: no
 * newer syntax, so that an old Node can say that it is too old. `MOMO_EXECUTABLE` names another one.
 */

const OLDEST_NODE = 20;

/** The packages that may fit a machine, the likelier one first. */
function packagesFor(platform, cpu) {
  const systems = { linux: "linux", darwin: "darwin", win32: "windows" };
  const system = systems[platform];
  if (system === undefined || !["x64", "arm64"].includes(cpu)) return [];
  const name = `@${manifest.name}/${system}-${cpu}`;
  return platform === "linux" ? [name, `${name}-musl`] : [name];
}

/** Called only if both packages are installed, because the report takes 0.1 s. */
function runsMusl() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

/** @returns the path of the executable @throws Error in one line that says what to do */
exports.findExecutable = function findExecutable({
  platform = process.platform,
  arch = process.arch,
  env = process.env,
  node = process.versions.node,
} = {}) {
  if (parseInt(node, 10) < OLDEST_NODE) {
    throw new Error(
      `Node ${node} is too old: ${manifest.name} needs Node ${OLDEST_NODE} or later; install.sh needs no Node`,
    );
  }
  if (env.MOMO_EXECUTABLE) return resolve(env.MOMO_EXECUTABLE.replace(/^~(?=\/|$)/, () => homedir()));
  const packages = packagesFor(platform, arch);
  if (packages.length === 0) {
    throw new Error(
      `momo has no executable for ${platform} on ${arch}; it has some for Linux, macOS and Windows on x64 and arm64`,
    );
  }
  const installed = packages.flatMap((name) => {
    try {
      const file = require.resolve(`${name}/bin/${platform === "win32" ? "momo.exe" : "momo"}`);
      return [{ name, file, version: require(`${name}/package.json`).version }];
    } catch {
      return [];
    }
  });
  if (installed.length === 0) {
    throw new Error(
      `the package ${packages.join(" or ")} is missing, because only one of two .tgz files was installed, optional dependencies were left out, or ` +
        "the lock file was made on another system: install both files, or remove node_modules and the lock file, and install again without --omit=optional",
    );
  }
  // A folder above this project may have another version.
  const fitting = installed.filter(({ version }) => version === manifest.version);
  if (fitting.length === 0) {
    const { name, file, version } = installed[0];
    throw new Error(
      `${file} is of ${name} ${version}, and this is ${manifest.name} ${manifest.version}: remove node_modules and install again, without --omit=optional`,
    );
  }
  return (fitting.length > 1 && runsMusl() ? fitting[1] : fitting[0]).file;
};

const ANOTHER =
  "remove node_modules and install again on this machine, or set MOMO_EXECUTABLE to momo's executable for this machine";
exports.ANOTHER = ANOTHER;

/**
 * Node on Linux gives a file that the system refuses to a shell, so this must be known before.
 * @throws Error in one line if the file is not for this system and processor
 */
exports.requireProgram = function requireProgram(file) {
  if (process.platform !== "linux") return;
  let its;
  let own;
  try {
    its = beginningOf(file);
    own = beginningOf(process.execPath);
  } catch {
    return; // It is missing, or may be run but not read. Its start shows that.
  }
  const isScript = its.startsWith("#!");
  // The program that runs this begins as every program for this machine: its format, and in bytes 18 and 19 the processor.
  const isLike = its.slice(0, 6) === own.slice(0, 6) && its.slice(18) === own.slice(18);
  if (!isScript && !isLike) {
    throw new Error(`${file} is not an executable for ${process.platform} on ${process.arch}: ${ANOTHER}`);
  }
};

function beginningOf(file) {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(20);
    readSync(descriptor, bytes, 0, 20, 0);
    return bytes.toString("latin1");
  } finally {
    closeSync(descriptor);
  }
}

/** What helps where the file itself is sound. */
const REMEDIES = {
  ETXTBSY: "a program is writing it; try again when that has ended",
  E2BIG: "shorten the arguments and the variables",
  EAGAIN: "this user has too many processes; end some",
  ENOMEM: "this machine has too little memory; close other programs",
  EMFILE: "this process has too many open files; raise the limit with ulimit -n",
};

/** Why the system did not start a file, and what helps, in one line. */
exports.whyNotStarted = function whyNotStarted(file, { code, message }) {
  const stats = statsOf(file);
  if (stats === undefined) return `there is no ${file}: ${ANOTHER}`;
  if (stats.isDirectory()) return `${file} is a folder: ${ANOTHER}`;
  // The file is there, so this is about what the system needs to run it.
  if (code === "ENOENT") {
    return `${file} needs a C library, or the program of its first line, that is not on this machine: ${ANOTHER}`;
  }
  if (code === "EACCES") {
    return `${file} may not be executed: chmod +x it, or install it on a file system that allows it`;
  }
  return `${file} could not be started (${code || message}): ${REMEDIES[code] || ANOTHER}`;
};

function statsOf(file) {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}
