import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inspectDatabase, openStore } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/cleanup.ts";
import { startIn } from "../support/sandbox.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";
import { rejectionOf, until } from "../support/waiting.ts";

const inFolder = useFolder();

const folder = () => inFolder("data");
const file = () => join(folder(), "momo.db");
const aside = () => inFolder("aside");

/** A folder with a database of another sandbox. */
function makeAnother(): void {
  mkdirSync(folder());
  openStore(file()).close();
}

const GONE = "the file of the database is gone";
const ANOTHER = "another file is in the place of the database";
const KEPT = "its payments are kept in the file that was moved";
const LOST = "its payments are lost";

type Case = [what: string, displace: () => void, reason: string, loss: string, putBack: (() => void) | null];

const CASES: Case[] = [
  ["the file is removed", () => rmSync(file()), GONE, LOST, null],
  ["the folder is removed", () => rmSync(folder(), { recursive: true }), GONE, LOST, null],
  ["the file is moved", () => renameSync(file(), aside()), GONE, KEPT, () => renameSync(aside(), file())],
  ["the folder is moved", () => renameSync(folder(), aside()), GONE, KEPT, () => renameSync(aside(), folder())],
  [
    "another file is moved over it",
    () => {
      openStore(aside()).close();
      renameSync(aside(), file());
    },
    ANOTHER,
    LOST,
    null,
  ],
  [
    "a new folder is in the place of the moved one",
    () => {
      renameSync(folder(), aside());
      makeAnother();
    },
    ANOTHER,
    KEPT,
    () => {
      rmSync(folder(), { recursive: true });
      renameSync(aside(), folder());
    },
  ],
];

test.skipIf(process.platform === "win32").each(CASES)(
  "after a look at it when %s, nothing is stored and the reason is told, until it is back",
  async (_what, displace, reason, loss, putBack) => {
    mkdirSync(folder());
    const store = await openStoreWithMerchants(file());
    await insertPending(store);
    expect([store.vitals.findMissing(), store.vitals.describeLoss()]).toEqual([null, null]);
    displace();
    // A payment does not look at the file.
    await insertPending(store);
    expect(store.vitals.whyNotWritable()).toBe(reason);
    const refused = await rejectionOf(insertPending(store));
    expect(store.vitals.engineFailureOf(refused)).toEqual({ reason, advice: expect.stringContaining(file()) });
    expect(store.vitals.describeLoss()).toBe(`${reason}: ${loss}`);
    if (putBack) {
      putBack();
      expect(store.vitals.findMissing()).toBeNull();
      await insertPending(store);
    }
    store.close();
    if (putBack) expect(inspectDatabase(file())).toMatchObject({ state: "sound" });
  },
);

test("a close removes no file of the database that is there now", async () => {
  for (const displace of [() => renameSync(folder(), aside()), () => rmSync(folder(), { recursive: true })]) {
    mkdirSync(folder());
    const store = await openStoreWithMerchants(file());
    await insertPending(store);
    displace();
    mkdirSync(folder());
    const other = await openStoreWithMerchants(file());
    store.close();
    expect(readdirSync(folder()).sort()).toEqual(["momo.db", "momo.db-shm", "momo.db-wal"]);
    other.close();
    rmSync(folder(), { recursive: true });
  }
});

test.skipIf(process.platform === "win32")(
  "a server whose database is moved is not ready, and refuses payments with 503, until it is back",
  async () => {
    const faults: string[] = [];
    const reportFault = (error: unknown) => void faults.push(String(error));
    const { post, controlUrl, pay } = await startIn(folder(), { reportFault });
    const ready = async () => (await fetch(`${controlUrl}/ready`)).status;
    await pay();
    renameSync(file(), aside());
    await until(() => faults.length > 0);
    expect(faults).toEqual([
      `Error: the database fails: ${GONE}; put back what was moved or removed, or start momo again, at ${file()}`,
    ]);
    expect(await ready()).toBe(503);
    const refused = await post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 100 });
    expect([refused.status, (await refused.json()) as object]).toEqual([503, { success: false, message: GONE }]);
    renameSync(aside(), file());
    await until(() => faults.length > 1);
    expect([await ready(), existsSync(aside())]).toEqual([200, false]);
    await pay();
  },
);
