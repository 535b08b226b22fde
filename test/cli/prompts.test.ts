import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo } from "../support/momo.ts";
import { KEYS, openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

const create = async (name: string, data: string) => {
  await runMomo(["merchants", "create", "--name", name, "--data", data]);
};
const one = join(newFolder(), "one");
const two = join(newFolder(), "two");
await Promise.all([create("Duka", one), create("Amina", two).then(() => create("Baraka", two))]);

describe("at a terminal a missing flag is asked for", () => {
  test.concurrent("`momo merchants create` asks the name", async () => {
    const data = join(newFolder(), "data");
    const { screen, type, exited } = openMomo(["merchants", "create", "--data", data]);
    await screen.until(/Name of the merchant/);
    type(`Duka la Juma${KEYS.enter}`);
    expect(await exited).toBe(0);
    expect((await runMomo(["merchants", "list", "--data", data, "--json"])).stdout).toBe(
      '{"merchants":[{"id":1,"name":"Duka la Juma"}]}\n',
    );
  });

  test.concurrent("an empty name is asked for again", async () => {
    const { screen, type, exited } = openMomo(["merchants", "create", "--data", join(newFolder(), "data"), "-q"]);
    await screen.until(/Name of the merchant/);
    type(`  ${KEYS.enter}`);
    await screen.until(/Please enter something/);
    type(`Duka${KEYS.enter}`);
    expect(await exited).toBe(0);
  });

  test.concurrent("`momo keys create` asks which merchant", async () => {
    const { screen, type, exited } = openMomo(["keys", "create", "--data", two, "--label", "the till"]);
    await screen.until(/Which merchant\?.*Amina \(1\).*Baraka \(2\)/s);
    type(KEYS.down);
    await screen.until(/●\S* Baraka/);
    type(KEYS.enter);
    expect(await exited).toBe(0);
    const { stdout } = await runMomo(["keys", "list", "--merchant", "2", "--data", two, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ keys: [{ merchant_id: 2, label: "the till" }] });
  });

  test.concurrent("the only merchant is taken unasked", async () => {
    const { screen, exited } = openMomo(["keys", "create", "--data", one]);
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("Which merchant?");
  });
});

describe("Ctrl+C at a prompt: exit 130, and nothing is made", () => {
  test.concurrent("at the name of a merchant", async () => {
    const data = join(newFolder(), "data");
    const { screen, type, exited } = openMomo(["merchants", "create", "--data", data]);
    await screen.until(/Name of the merchant/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
    expect(existsSync(data)).toBe(false);
    expect(screen.text).toEndWith("\x1b[?25h"); // the cursor is visible again
  });

  test.concurrent("at which merchant", async () => {
    const { screen, type, exited } = openMomo(["keys", "create", "--data", two, "--label", "never made"]);
    await screen.until(/Which merchant\?/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
    const { stdout } = await runMomo(["keys", "list", "--data", two]);
    expect(stdout).not.toContain("never made");
  });
});

describe("nobody is asked where nobody would answer: exit 2 and the missing flag's name", () => {
  const args = ["accounts", "create", "--data", one];

  test.concurrent("with CI set", async () => {
    const { screen, exited } = openMomo(args, { env: { CI: "true" } });
    expect(await exited).toBe(2);
    expect(screen.text).toContain("--name is missing");
  });

  test.concurrent("with --json", async () => {
    const { screen, exited } = openMomo([...args, "--json"]);
    expect(await exited).toBe(2);
    expect(JSON.parse(screen.text)).toMatchObject({ error: { code: "usage", message: "--name is missing" } });
  });

  test.concurrent("with stdin or stdout piped", async () => {
    for (const redirection of ["</dev/null", "| cat"]) {
      const script = `{ "$@"; echo "exit $?"; } ${redirection}`;
      const { screen, exited } = openMomo(args, { program: ["sh", "-c", script, "sh", ...PROGRAM] });
      await exited;
      expect(screen.text).toMatch(/--name is missing.*exit 2/s);
    }
  });
});
