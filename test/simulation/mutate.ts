import { join } from "node:path";
import { plugin } from "bun";
import { MUTANTS } from "./mutants.ts";

/** A preload: loads one file otherwise than it is on disk. MUTANT names what is broken. */
const name = process.env.MUTANT ?? "";
const mutant = MUTANTS[name];
if (!mutant) throw new Error(`there is no mutant "${name}"`);
const { file, text, instead } = mutant;
const path = join(import.meta.dir, "../..", file);
const sound = await Bun.file(path).text();
if (sound.split(text).length !== 2) throw new Error(`"${text}" does not stand exactly once in ${file}`);
const broken = sound.replace(text, () => instead);

plugin({
  name: "mutant",
  setup(build) {
    build.onLoad({ filter: new RegExp(`${RegExp.escape(path)}$`) }, () =>
      file.endsWith(".sql")
        ? { contents: `export default ${JSON.stringify(broken)}`, loader: "js" }
        : { contents: broken, loader: "ts" },
    );
  },
});
