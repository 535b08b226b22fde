import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { acquireLock, isHeld } from "../../src/store/sqlite/lock.ts";
import { startProgram } from "../support/child.ts";
import { useFolder } from "../support/cleanup.ts";

const inFolder = useFolder();

test("one process at a time can lock a file; others are refused with its name, and can check the lock without taking it", () => {
  const file = inFolder("momo.lock");
  expect(isHeld(file)).toBe(false);
  expect(readdirSync(inFolder(""))).toEqual([]);
  const release = acquireLock(file);
  const locked = { name: "UnusableDatabase", problem: "locked", message: `${file} is locked by another program` };
  expect(() => acquireLock(file)).toThrow(expect.objectContaining(locked));
  expect(isHeld(file)).toBe(true);
  expect(readdirSync(inFolder(""))).toEqual(["momo.lock"]);
  release();
  expect(isHeld(file)).toBe(false);
  acquireLock(file)();
});

test("the operating system releases it when the process is killed", async () => {
  const file = inFolder("momo.lock");
  const holder = startProgram("hold-lock", file);
  expect(await holder.line()).toBe("held");
  expect(() => acquireLock(file)).toThrow(expect.objectContaining({ problem: "locked" }));
  holder.child.kill("SIGKILL");
  await holder.child.exited;
  acquireLock(file)();
});

test("a lock whose file cannot be created is refused as unwritable", () => {
  const unwritable = expect.objectContaining({ name: "UnusableDatabase", problem: "unwritable" });
  expect(() => acquireLock(inFolder("nowhere/momo.lock"))).toThrow(unwritable);
});
