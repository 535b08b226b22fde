import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/binary.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { testHelperIn } from "../../support/helper-in-runtime.ts";
import { installPackages } from "../../support/installed.ts";
import { runToEnd } from "../../support/momo.ts";

let project: string;
beforeAll(async () => {
  project = await installPackages();
});
afterAll(cleanUp);

describe("momo-sandbox/testing", () => {
  testHelperIn("Node", ["node"], () => project);
  testHelperIn("Bun", [process.execPath], () => project);

  test("its types satisfy a strict tsc, nodenext and bundler, in ESM and CommonJS, without the types of any runtime", async () => {
    const use = `const sandbox: TestSandbox = await startSandbox({ outcome: "cancelled; after=1s", frozen: true });
      await sandbox.rules.add({ outcome: "completed", match: { amount: 5 }, times: 1 });
      const { status }: { status: "pending" | "completed" | "failed" | "cancelled" | "expired" } = await sandbox.wait({ reference: "A" });
      // @ts-expect-error there is no such outcome
      await startSandbox({ outcome: "paid" });
      export default status;`;
    const line = 'import { startSandbox, type TestSandbox } from "momo-sandbox/testing";';
    writeFileSync(join(project, "types.mts"), `${line}\n${use}`);
    writeFileSync(
      join(project, "types.cts"),
      `${line}\nasync function f() { ${use.replace("export default status", "return status")} }\nexport { f };`,
    );
    const flags = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--target", "es2022", "--types", ""];
    for (const resolution of [
      ["--module", "nodenext"],
      ["--module", "preserve", "--moduleResolution", "bundler"],
    ]) {
      const tsc = [join(ROOT, "node_modules/.bin/tsc"), ...flags, ...resolution, "types.mts", "types.cts"];
      expect(await runToEnd(tsc, { cwd: project })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    }
  });
});
