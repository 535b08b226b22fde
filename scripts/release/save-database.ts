import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { saveDatabase } from "./databases.ts";

/** Keeps a database of the version that is released, for the later ones: to be committed with the next change. */

const ROOT = join(import.meta.dir, "../..");
const FOLDER = "test/release/databases";

const momo = join(ROOT, "dist/release", `linux-${process.arch}`, "momo");
await saveDatabase(momo, manifest.version, join(ROOT, FOLDER));
process.stdout.write(`${FOLDER}/${manifest.version}.db.gz and .json hold payments of ${manifest.version}\n`);
