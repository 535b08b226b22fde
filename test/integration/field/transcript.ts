import { cleanUp } from "../../support/cleanup.ts";
import { runMomo } from "../../support/momo.ts";
import { fieldArguments, HABITS } from "./habits.ts";

/** Prints what each client of the field does against momo, strict and lenient, and what it is told: `bun test/integration/field/transcript.ts`. */

const runs = HABITS.flatMap(({ file, habit, strict }) =>
  [strict && "strict", "lenient"].flatMap((accept) => {
    if (!accept) return [];
    const flags = ["--accept", accept, "--audit"];
    const args = fieldArguments(file, flags);
    return [{ habit, shown: [...args.slice(0, -1), file], run: runMomo(args) }];
  }),
);

for (const { habit, shown, run } of runs) {
  const { stdout, stderr, exitCode } = await run;
  process.stdout.write(`# ${habit}\n$ momo ${shown.join(" ")}\n${stdout}${stderr}[exit code ${exitCode}]\n\n`);
}
await cleanUp();
