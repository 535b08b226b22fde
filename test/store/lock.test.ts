import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { acquireLock, isHeld } from "../../src/store/sqlite/lock.ts";
import { useFolder } from "../support/cleanup.ts";
import { startProgram } from "../support/program.ts";

const inFolder = useFolder();
const locked = expect.objectContaining({ name: "UnusableDatabase", problem: "locked" });

test("one holder at a time; given back, the next can have it", () => {
  const file = inFolder("momo.lock");
  const release = acquireLock(file);
  expect(() => acquireLock(file)).toThrow(locked);
  release();
  acquireLock(file)();
});

test("the refusal names the file", () => {
  const file = inFolder("momo.lock");
  const release = acquireLock(file);
  expect(() => acquireLock(file)).toThrow(`${file} is locked by another program`);
  release();
});

test("the operating system takes it back when the process ends, however it ends", async () => {
  const file = inFolder("momo.lock");
  const holder = startProgram("hold-lock", file);
  expect(await holder.line()).toBe("held");
  expect(() => acquireLock(file)).toThrow(locked);
  holder.child.kill("SIGKILL");
  await holder.child.exited;
  acquireLock(file)();
});

test("it takes one file and no second", () => {
  const file = inFolder("momo.lock");
  const release = acquireLock(file);
  expect(readdirSync(dirname(file))).toEqual(["momo.lock"]);
  release();
});

test("where no file can be made, it says so", () => {
  expect(() => acquireLock(inFolder("nowhere/momo.lock"))).toThrow(
    expect.objectContaining({ name: "UnusableDatabase", problem: "unwritable" }),
  );
});

test("whether it is held can be asked without taking it, and makes no file", () => {
  const file = inFolder("momo.lock");
  expect(isHeld(file)).toBe(false);
  expect(existsSync(file)).toBe(false);
  const release = acquireLock(file);
  expect(isHeld(file)).toBe(true);
  release();
  expect(isHeld(file)).toBe(false);
  acquireLock(file)();
});
