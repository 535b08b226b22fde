import { cleanUp } from "../../support/cleanup.ts";
import { runMomo } from "../../support/momo.ts";
import { FAST, fieldArguments, HABITS } from "./habits.ts";

/** Prints what each client of the field does against momo, strict and lenient, and what momo reports: `bun test/integration/field/transcript.ts`. */

for (const program of HABITS) {
  const { shop, habit, strict } = program;
  for (const accept of strict ? ["strict", "lenient"] : ["lenient"]) {
    const args = fieldArguments(program, ["--accept", accept, "--audit"]);
    const { stdout, stderr, exitCode } = await runMomo(args, { env: FAST });
    const shown = [...args.slice(0, -2), "shops.mjs", `"${shop}"`].join(" ");
    process.stdout.write(`# ${habit}\n$ momo ${shown}\n${stdout}${stderr}[exit code ${exitCode}]\n\n`);
  }
}
await cleanUp();
