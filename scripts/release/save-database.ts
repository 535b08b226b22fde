import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { saveDatabase } from "./databases.ts";

/** Saves a database of the released version for the tests of later ones. Commit it with the next change. */

const ROOT = join(import.meta.dir, "../..");
const FOLDER = "test/release/databases";

const momo = join(ROOT, "dist/release", `linux-${process.arch}`, "momo");
await saveDatabase(momo, manifest.version, join(ROOT, FOLDER));
process.stdout.write(`${FOLDER}/${manifest.version}.db.gz and .json hold payments of ${manifest.version}\n`);
