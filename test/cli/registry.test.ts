import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { KEYS, openMomo, PROGRAM, runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

/** Merchants, accounts and keys: `momo merchants`, `momo accounts`, `momo keys`. */

const one = await startIn(newFolder());
const two = await startIn(newFolder());
await two.control("POST", "/merchants", { name: "Baraka" });

test.concurrent("a running server is told what changed, because it makes the account itself", async () => {
  const aborted = new AbortController();
  const { body } = await fetch(`${two.controlUrl}/events`, { signal: aborted.signal });
  const heard = async () => {
    for await (const chunk of body ?? []) if (Buffer.from(chunk).toString().includes('"registry"')) return true;
    return false;
  };
  const hears = heard();
  expect((await runMomo(["accounts", "create", "--name", "Till", ...two.at])).exitCode).toBe(0);
  expect(await hears).toBe(true);
  aborted.abort();
});

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
});

describe("momo asks only a person at a terminal; otherwise exit 2 and the missing flag's name", () => {
  const args = ["accounts", "create", ...one.at];

  test.concurrent("with CI set", async () => {
    const { screen, exited } = openMomo(args, { env: { CI: "true" } });
    expect(await exited).toBe(2);
    expect(screen.text).toContain("--name is missing");
  });

  test.concurrent.each(["false", "0"])("but not with CI=%s", async (CI) => {
    const { screen, type, exited } = openMomo(args, { env: { CI } });
    await screen.until(/Name/i);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
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
