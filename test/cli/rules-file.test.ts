import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo } from "../support/momo.ts";

afterAll(cleanUp);

describe("serve --rules FILE", () => {
  const withRules = (content: string | Uint8Array) => {
    const file = join(newFolder(), "rules.json");
    writeFileSync(file, content);
    return file;
  };

  test.concurrent("its rules are in force from the first payment on", async () => {
    const file = withRules('{"rules":[{"match":{"amount":7},"outcome":"cancelled","after":"0s"}]}');
    const pay = ["pay", "0712345678", "7", "--wait", "--interval", "50ms", "-q"];
    const run = await runMomo(["exec", "--rules", file, "--", ...PROGRAM, ...pay]);
    expect(run).toMatchObject({ stdout: "cancelled\n", exitCode: 11 });
  });

  const BAD: [name: string, content: string | Uint8Array, says: string][] = [
    [
      "a bad phone",
      '[{"outcome":"completed"},{"match":{"phone":"7"},"outcome":"x"}]',
      "rules[1].match.phone: it must be",
    ],
    [
      "an unknown outcome",
      '{"outcome":"paid"}',
      "outcome: it is not the name of an outcome; the names are completed, ",
    ],
    [
      "an unknown member",
      '{"rules":[{"outcome":"completed","when":1}]}',
      'rules[0]: there is no member "when"; the members are match, outcome',
    ],
    ["no JSON", "[{]", "it is not JSON: write one rule, or an array of them"],
    ["nothing", "", "it is not JSON"],
    ["no UTF-8", new Uint8Array([0x5b, 0xff, 0x5d]), ""],
    ["too much", `[${" ".repeat(1_100_000)}]`, "larger than 1048576 bytes"],
  ];
  for (const [name, content, says] of BAD) {
    test.concurrent(`${name}: one line that names the file and the place`, async () => {
      const file = withRules(content);
      const run = await runMomo(["serve", "--port", "0", "--ephemeral", "--rules", file]);
      expect(run).toMatchObject({ stdout: "", exitCode: 2 });
      expect(run.stderr).toStartWith(`momo: --rules ${file}: `);
      expect(run.stderr).toContain(says);
      expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
    });
  }

  test.concurrent("a file that is not there, and a folder", async () => {
    const files = {
      "there is no such file": join(newFolder(), "none.json"),
      "it cannot be read (EISDIR)": newFolder(),
    };
    for (const [says, file] of Object.entries(files)) {
      const run = await runMomo(["serve", "--port", "0", "--ephemeral", "--rules", file]);
      expect(run).toMatchObject({ stdout: "", exitCode: 2 });
      expect(run.stderr).toBe(`momo: --rules ${file}: ${says}\n`);
    }
  });
});
