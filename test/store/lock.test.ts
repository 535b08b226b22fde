import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { acquireLock, isHeld } from "../../src/store/sqlite/lock.ts";
import { useFolder } from "../support/cleanup.ts";
import { startProgram } from "./programs.ts";

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
  writeFileSync(file, "damaged");
  expect(isHeld(file)).toBe(false);
  const unwritable = expect.objectContaining({ name: "UnusableDatabase", problem: "unwritable" });
  expect(() => acquireLock(inFolder("nowhere/momo.lock"))).toThrow(unwritable);
});

test("a process that only looks at a lock does not get in the way of one that takes it", async () => {
  const file = inFolder("momo.lock");
  acquireLock(file)();
  const watcher = startProgram("look-at-lock", file);
  try {
    expect(await watcher.stdout.nextLine()).toBe("looks");
    for (let round = 1; round <= 100; round += 1) acquireLock(file)();
  } finally {
    watcher.signal("SIGKILL");
    await watcher.exited;
  }
});

test("the operating system releases it when the process is killed", async () => {
  const file = inFolder("momo.lock");
  const holder = startProgram("hold-lock", file);
  expect(await holder.stdout.nextLine()).toBe("held");
  expect(() => acquireLock(file)).toThrow(expect.objectContaining({ problem: "locked" }));
  holder.signal("SIGKILL");
  await holder.exited;
  acquireLock(file)();
});
