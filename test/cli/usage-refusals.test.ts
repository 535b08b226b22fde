import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo } from "../support/momo.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

/**
 * The words that no command accepts: after `=>` stand the exit code and the lines on stderr, with ` / ` between them.
 * MOMO_TEST_RECORD=1 writes them again: read them.
 */

afterAll(cleanUp);

const FILE = join(import.meta.dir, "usage-refusals.txt");

test(
  "each usage error has its exit code and its words, and is found before a server is looked for",
  async () => {
    const recorded = readFileSync(FILE, "utf8").trimEnd().split("\n");
    const cwd = newFolder();
    const told: string[] = [];
    for (const line of recorded) {
      const [command = ""] = line.split(" =>");
      // Only quotes are special, as they are in a shell, and a part such as <x * 101>: 101 times x.
      const words = (command.match(/(?:'[^']*'|"[^"]*"|<[^>]*>|[^\s'"<])+/g) ?? []).map((word) =>
        word
          .replaceAll(/['"]/g, "")
          .replaceAll(/<(.) \* (\d+)>/g, (_, sign: string, times: string) => sign.repeat(Number(times))),
      );
      const variables = words.splice(0, words.indexOf("momo") + 1).slice(0, -1);
      const env = Object.fromEntries(variables.map((variable) => variable.split(/=(.*)/s, 2)));
      const { stdout, stderr, exitCode } = await runMomo(words, { cwd, env });
      const said = stderr
        .trimEnd()
        .replace(/^momo: /, "")
        .replaceAll(/\n +/g, " / ")
        .replaceAll("\n", " / ");
      told.push(`${command} => ${[exitCode, stdout, said].filter((part) => part !== "").join(" ")}`);
    }
    if (process.env.MOMO_TEST_RECORD) writeFileSync(FILE, `${told.join("\n")}\n`);
    else expect(told).toEqual(recorded);
    expect(readdirSync(cwd)).toEqual([]);
    expect(told.filter((line) => !/ => 2 /.test(line))).toEqual([]);
  },
  PATIENCE_MS,
);
