import { createRequestIds } from "../../src/domain/identifiers.ts";
import { openForReading } from "../../src/store/sqlite/database.ts";
import { ListReader } from "../../src/store/sqlite/list-reader.ts";
import { type Claim, databaseIn, dataOf } from "../support/servers.ts";
import { compare } from "../support/table.ts";

const FILTERS = [{}, { status: "failed" as const }];
const SEARCHES = ["2547", "254100000", "ORDER-", "order-12", "inv-9", "none"].flatMap((search) =>
  FILTERS.map((filter) => ({ ...filter, search, findsEnds: true })),
);

/** A page that would be the slowest is read so often. What is slow by itself stays slow; a pause of the garbage collector does not. */
const MOST_ROUNDS = 20;

/** The slowest step of all pages and of searches: other work waits for it. Of each step the fastest round counts. */
export const steps: Claim = async (bench) => {
  const { client, close } = openForReading(databaseIn(await dataOf(bench, bench.manyRows)));
  const reader = new ListReader(client, createRequestIds(new Uint8Array(32)));
  function slowestStep(what: string, filters: typeof FILTERS, mostPages: number) {
    const slowest = { ms: 0, page: "" };
    for (const filter of filters) {
      for (let number = 1, isBehind = false; number <= mostPages && !isBehind; number += 1) {
        const fastestMs: number[] = [];
        const isSlowest = () => Math.max(...fastestMs) > slowest.ms;
        for (let round = 0; round < bench.pageRounds || (round < MOST_ROUNDS && isSlowest()); round += 1) {
          const reading = reader.read(1, filter, { number, limit: 100 });
          for (let isDone = false, place = 0; !isDone; place += 1) {
            const startedMs = performance.now();
            const { done, value } = reading.next();
            fastestMs[place] = Math.min(performance.now() - startedMs, fastestMs[place] ?? Number.POSITIVE_INFINITY);
            isDone = done === true;
            if (done) isBehind = value.rows.length === 0;
          }
        }
        if (isSlowest()) {
          Object.assign(slowest, { ms: Math.max(...fastestMs), page: `${JSON.stringify(filter)}, page ${number}` });
        }
      }
    }
    return compare(`slowest step of ${what} (${slowest.page})`, "ms", { momo: [slowest.ms] }, "≤ 5 ms");
  }
  const lines = [slowestStep("all pages", FILTERS, Number.POSITIVE_INFINITY), slowestStep("searches", SEARCHES, 1)];
  close();
  return lines;
};
