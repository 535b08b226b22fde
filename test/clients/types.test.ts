import { afterAll, expect, test } from "bun:test";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, fileStore } from "../../clients/client.mjs";
import { ROOT } from "../support/binary.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

/** The types of the client for JavaScript, docs/examples/client.d.mts, which programs in TypeScript copy beside it. */

afterAll(cleanUp);

/** What a strict compiler says about a program beside the client. */
async function compile(program: string): Promise<string[]> {
  const folder = newFolder();
  cpSync(join(ROOT, "clients/client.mjs"), join(folder, "client.mjs"));
  cpSync(join(ROOT, "docs/examples/client.d.mts"), join(folder, "client.d.mts"));
  writeFileSync(join(folder, "shop.mts"), program);
  const modules = join(ROOT, "node_modules");
  const options = "--ignoreConfig --noEmit --strict --target es2022 --module nodenext --types bun-types --typeRoots";
  const command = [join(modules, ".bin/tsc"), ...options.split(" "), modules, join(folder, "shop.mts")];
  const { stdout } = await runToEnd(command, { cwd: folder });
  return stdout.split("\n").filter((line) => line !== "");
}

test("they have the functions of the client, and the members of its orders", async () => {
  const { baseUrl, headers } = await startIn(join(newFolder(), "data"));
  const options = {
    baseUrl,
    apiKey: headers["X-API-Key"],
    apiSecret: headers["X-API-Secret"],
    paymentAccountId: 1,
    store: fileStore(join(newFolder(), "orders")),
  };
  const client = createClient(options);
  const pending = await client.start("ORDER-0001", "0712345678", 100);
  const refused = await client.start("ORDER-0002", "0700000500", 100);
  const program = `
    import { type Client, createClient, fileStore, MomoError, type Order } from "./client.mjs";
    const names: Record<keyof Client, true> = ${JSON.stringify(Object.fromEntries(Object.keys(client).map((name) => [name, true])))};
    const orders: Order[] = [${[pending, refused].map((order) => JSON.stringify(order)).join(", ")}];
    const momo = createClient({ baseUrl: "", apiKey: "", apiSecret: "", paymentAccountId: 1, store: fileStore("/srv") });
    try {
      const order = await momo.pay("ORDER-0001", "0712345678", 100);
      if (order.status === "completed") console.log(order.receipt?.length, names, orders);
    } catch (error) {
      if (error instanceof MomoError && !error.mayHavePaid) console.log(error.kind);
    }`;
  expect(await compile(program)).toEqual([]);
});

test("a mistyped member, option, status or store is an error", async () => {
  const program = `
    import { createClient, fileStore } from "./client.mjs";
    const given = { baseUrl: "", apiKey: "", apiSecret: "", paymentAccountId: 1 };
    const momo = createClient({ ...given, store: fileStore("/srv"), intervall: 1 });
    createClient({ ...given, store: { get: () => null } });
    const order = await momo.ask("ORDER-0001");
    if (order.status === "paid") console.log(order.recipt);`;
  const lines = (await compile(program)).flatMap((line) => /^shop\.mts\((\d+)/.exec(line)?.[1] ?? []);
  expect([...new Set(lines)]).toEqual(["4", "5", "7"]);
});
