import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { KEYS, openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

const one = await startIn(newFolder());
const two = await startIn(newFolder());
await two.control("POST", "/merchants", { name: "Baraka" });

describe("at a terminal momo asks for a missing flag", () => {
  test.concurrent("`momo merchants create` asks the name, and asks again if it is empty", async () => {
    const { screen, type, exited } = openMomo(["merchants", "create", ...one.at]);
    await screen.until(/Name of the merchant/);
    type(`  ${KEYS.enter}`);
    await screen.until(/Please enter something/);
    type(`${KEYS.ctrlU}Duka la Juma${KEYS.enter}`);
    expect(await exited).toBe(0);
    const { merchants } = await one.control("GET", "/merchants");
    expect(merchants).toContainEqual({ id: 2, name: "Duka la Juma" });
  });

  test.concurrent("`momo keys create` asks which merchant", async () => {
    const { screen, type, exited } = openMomo(["keys", "create", ...two.at, "--label", "the till"]);
    await screen.until(/Which merchant\?.*Demo Shop \(1\).*Baraka \(2\)/s);
    type(KEYS.down);
    await screen.until(/●\S* Baraka/);
    type(KEYS.enter);
    expect(await exited).toBe(0);
    expect(await two.control("GET", "/keys?merchant_id=2")).toMatchObject({ keys: [{ label: "the till" }] });
  });

  test.concurrent("the only merchant is chosen without a question", async () => {
    const { at } = await startIn(newFolder());
    const { screen, exited } = openMomo(["keys", "create", ...at]);
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("Which merchant?");
  });
});

describe("Ctrl+C at a question: exit 130, and nothing is made", () => {
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
    const { screen, type, exited } = openMomo(["keys", "create", ...two.at, "--label", "never made"]);
    await screen.until(/Which merchant\?/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
    expect(JSON.stringify(await two.control("GET", "/keys"))).not.toContain("never made");
  });
});

describe("momo asks only a person at a terminal; otherwise exit 2 and the missing flag's name", () => {
  const args = ["accounts", "create", ...one.at];

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

  test.concurrent.each(["</dev/null", "| cat"])("with %s", async (redirection) => {
    const script = `{ "$@"; echo "exit $?"; } ${redirection}`;
    const { screen, exited } = openMomo(args, { program: ["sh", "-c", script, "sh", ...PROGRAM] });
    await exited;
    expect(screen.text).toMatch(/--name is missing.*exit 2/s);
  });
});
