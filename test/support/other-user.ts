import { test } from "bun:test";
import { chownSync } from "node:fs";

export const OTHER_UID = 65_534;

const canChown = process.getuid?.() === 0;

/** Gives a file or a folder to the other user. */
export const giveAway = (path: string): void => chownSync(path, OTHER_UID, OTHER_UID);

/** Defines a test that needs files of another user; only root can make them, otherwise the test says that it was left out. */
export function testWithOtherUser(name: string, run: () => Promise<void>): void {
  if (canChown) test.concurrent(name, run);
  else test(`${name}: left out, because only root can give files to another user`, () => {});
}
