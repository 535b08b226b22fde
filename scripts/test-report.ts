import { readFileSync } from "node:fs";
import { SaxesParser } from "saxes";

/**
 * What a JUnit report of bun says, for .ci/run: a line with the numbers of passed, failed and skipped tests, and then each failure
 * with the beginning of its message.
 */

const MOST_FAILURES = 20;
const MOST_LINES = 25;

const tests: { name: string; isSkipped: boolean; failure: string | null }[] = [];
const parser = new SaxesParser();
parser.on("opentag", ({ name, attributes }) => {
  const test = tests.at(-1);
  if (name === "testcase") {
    const title = [attributes.classname, attributes.name].filter(Boolean).join(" > ");
    tests.push({ name: `${attributes.file}: ${title}`, isSkipped: false, failure: null });
  } else if (test && name === "failure") test.failure = attributes.message ?? "";
  else if (test && name === "skipped") test.isSkipped = true;
});
parser.on("text", (text) => {
  const test = tests.at(-1);
  if (test && test.failure !== null && text.trim() !== "") test.failure = text.trim();
});
const report = readFileSync(process.argv[2] ?? "", "utf8");
// Bun writes no report if it finds no test file, or is killed.
if (report !== "") parser.write(report).close();

const failed = tests.filter(({ failure }) => failure !== null);
const skipped = tests.filter(({ isSkipped }) => isSkipped);
process.stdout.write(`${tests.length - failed.length - skipped.length} ${failed.length} ${skipped.length}\n`);
for (const { name, failure } of failed.slice(0, MOST_FAILURES)) {
  const lines = (failure ?? "").split("\n").slice(0, MOST_LINES);
  process.stdout.write(`(fail) ${name}\n${lines.map((line) => `  ${line.slice(0, 300)}\n`).join("")}`);
}
