import { afterAll, test } from "bun:test";
import { join } from "node:path";
import { cleanUp } from "../support/cleanup.ts";
import { DELIVERY, expectFound } from "./expect-shown.ts";
import { live } from "./history.ts";
import { startIn } from "./javascript.ts";
import { Shop, type ShopParts } from "./shop.ts";
import type { Client, SaidOrder } from "./world.ts";

/** Mistakes of a shop that uses the right client. */

const SOURCE = join(import.meta.dir, "../../clients/client.mjs");

class DeliversWhateverIsCompleted extends Shop {
  protected override book({ reference, receipt }: SaidOrder): void {
    this.parts.database.setPaid(reference);
    this.parts.database.deliver(reference, receipt);
  }
}

class AsksForOpenOrdersAlone extends Shop {
  protected override async unpaid(): Promise<readonly string[]> {
    return (await this.open()).map(({ reference }) => reference);
  }
}

afterAll(cleanUp);

test.each([
  ["delivers whenever it learns that an order is completed", DeliversWhateverIsCompleted, 1],
  ["has a cron that asks for open orders alone", AsksForOpenOrdersAlone, 8],
])(
  "a shop that %s is found",
  async (_, Kind, from) => {
    const start = startIn(await import(SOURCE));
    const createShop = (client: Client, parts: ShopParts) => new Kind(client, parts);
    await expectFound(DELIVERY, from, (seed) => live(seed, start, { createShop }));
  },
  600_000,
);
