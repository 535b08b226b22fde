import { test } from "bun:test";
import { chownSync } from "node:fs";
import { named } from "./needs.ts";

export const OTHER_UID = 65_534;

const canChown = process.getuid?.() === 0;

/** Gives a file or a folder to the other user. */
export const giveAway = (path: string): void => chownSync(path, OTHER_UID, OTHER_UID);

/** Defines a test that needs files of another user; only root can make them. */
export function testWithOtherUser(name: string, run: () => Promise<void>): void {
  const why = canChown ? "" : "only root can give files to another user";
  test.concurrent.skipIf(!canChown)(named(name, why), run);
}
