"use strict";
const { closeSync, existsSync, fstatSync, openSync, readSync } = require("node:fs");

/**
 * Why the system cannot run a file, by its content. `spawn` would give such a file to a shell.
 * The syntax is old for the same reason as in executable.cjs.
 */

const SYSTEMS = { linux: "Linux", darwin: "macOS", win32: "Windows" };

/** The numbers of the processors in the header of each format. */
const ELF = { 62: "x64", 183: "arm64" };
const MACH_O = { 16777223: "x64", 16777228: "arm64" };
const PE = { 34404: "x64", 43620: "arm64" };

/** @returns the reason as the end of a sentence about the file, such as `is empty`; null if nothing is wrong, or it cannot be read */
exports.whyNotRunnable = function whyNotRunnable(file) {
  let descriptor;
  try {
    descriptor = openSync(file, "r");
  } catch {
    return null; // Its owner may allow to run it, but not to read it.
  }
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? reasonOf((at, length) => readAt(descriptor, at, length), stats.size) : "is not a file";
  } catch {
    return "is damaged";
  } finally {
    closeSync(descriptor);
  }
};

function readAt(descriptor, at, length) {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, at));
}

function reasonOf(read, size) {
  if (size === 0) return "is empty";
  const start = read(0, 4096);
  const text = start.toString("latin1");
  if (text.startsWith("#!")) return reasonOfScript(text);
  if (text.startsWith("version https://git-lfs"))
    return "is only a pointer of Git LFS (git lfs pull gets the file itself)";
  if (text.startsWith("\x7fELF")) {
    const processor = start[4] === 2 && start[5] === 1 ? ELF[start.readUInt16LE(18)] : undefined;
    return isForOther("linux", processor) || reasonOfElf(start, read, size);
  }
  if (text.startsWith("\xcf\xfa\xed\xfe")) return isForOther("darwin", MACH_O[start.readUInt32LE(4)]);
  if (text.startsWith("\xca\xfe\xba\xbe")) return isForOther("darwin", process.arch);
  if (text.startsWith("MZ")) return isForOther("win32", PE[read(start.readUInt32LE(0x3c) + 4, 2).readUInt16LE(0)]);
  return "is not an executable";
}

function isForOther(platform, processor) {
  if (platform !== process.platform) return `is for ${SYSTEMS[platform]}, and this is ${SYSTEMS[process.platform]}`;
  if (processor !== process.arch)
    return `is for the processor ${processor || "of another kind"}, and this is ${process.arch}`;
  return null;
}

function reasonOfScript(text) {
  if (process.platform === "win32") return "is a script, which Windows cannot start";
  const [line] = text.split("\n");
  const [, interpreter = ""] = /^#![ \t]*([^ \t\r]*)/.exec(line);
  if (line.endsWith("\r")) return "is a script whose lines end with CRLF";
  return existsSync(interpreter) ? null : `is a script for ${interpreter || "no program"}, which is not there`;
}

/** The loader must be there, and so must everything that the headers name. */
function reasonOfElf(start, read, size) {
  const number = (bytes, at) => Number(bytes.readBigUInt64LE(at));
  const [LOAD, INTERPRETER] = [1, 3];
  let end = number(start, 40) + start.readUInt16LE(58) * start.readUInt16LE(60);
  let loader = null;
  for (let index = 0; index < start.readUInt16LE(56); index += 1) {
    const header = read(number(start, 32) + index * start.readUInt16LE(54), 56);
    const [kind, offset, length] = [header.readUInt32LE(0), number(header, 8), number(header, 32)];
    if (kind === LOAD) end = Math.max(end, offset + length);
    if (kind === INTERPRETER) loader = read(offset, Math.min(length, 4096)).toString().replace(/\0.*$/, "");
  }
  if (end > size) return "is incomplete";
  if (loader === null || existsSync(loader)) return null;
  return `is for another C library: it needs ${loader}, which is not there`;
}
