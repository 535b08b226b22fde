import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo } from "../support/momo.ts";
import { Recording, withoutLists } from "../support/recording.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

/**
 * The words that no command accepts: after `=>` stand the exit code and the lines on stderr, with ` / ` between them.
 * MOMO_TEST_RECORD=1 writes them again: read them.
 */

afterAll(cleanUp);

const recording = new Recording(join(import.meta.dir, "usage-refusals.txt"), "\n");

test(
  "each usage error has its exit code and its words, and is found before a server is looked for",
  async () => {
    const cwd = newFolder();
    const told: string[] = [];
    for (const line of recording.texts) {
      const [command = ""] = line.split(" =>");
      // Only quotes are special, as they are in a shell, and a part such as <x * 101>: 101 times x.
      const words = (command.match(/(?:'[^']*'|"[^"]*"|<[^>]*>|[^\s'"<])+/g) ?? []).map((word) =>
        word
          .replaceAll(/['"]/g, "")
          .replaceAll(/<(.) \* (\d+)>/g, (_, sign: string, times: string) => sign.repeat(Number(times))),
      );
      const variables = words.splice(0, words.indexOf("momo") + 1).slice(0, -1);
      const env = Object.fromEntries(variables.map((variable) => variable.split(/=(.*)/s, 2)));
      const { stdout, stderr, exitCode } = await runMomo(words, { cwd, env, isRefused: true });
      const said = stderr
        .trimEnd()
        .replace(/^momo: /, "")
        .replaceAll(/\n +/g, " / ")
        .replaceAll("\n", " / ");
      told.push(withoutLists(`${command} => ${[exitCode, stdout, said].filter((part) => part !== "").join(" ")}`));
    }
    recording.compareAll(told);
    expect(readdirSync(cwd)).toEqual([]);
    expect(told.filter((line) => !/ => 2 /.test(line))).toEqual([]);
  },
  PATIENCE_MS,
);
