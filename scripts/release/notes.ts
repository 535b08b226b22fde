import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { orSayWhy } from "./run.ts";
import { notesOf } from "./texts.ts";

/** Prints the notes of the release: its part of the changelog. */
await orSayWhy(async () => {
  const changelog = await Bun.file(join(import.meta.dir, "../../CHANGELOG.md")).text();
  process.stdout.write(`${notesOf(changelog, manifest.version)}\n`);
});
