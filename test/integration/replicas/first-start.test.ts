import { afterAll, expect, test } from "bun:test";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { startForwarder } from "../../support/connection.ts";
import { newDatabase, sharedServer } from "../../support/postgres.ts";
import { describeWithPostgres, VERSION } from "../../support/replicas.ts";
import { startIn } from "../../support/sandbox.ts";

afterAll(cleanUp);

const MOST_COMMITS = 50;

/** Starts on an empty database, and loses the answer to one COMMIT. @returns how many were sent until it was ready */
async function startWithout(answer: number): Promise<number> {
  const server = await sharedServer(VERSION);
  let commits = 0;
  const forwarder = await startForwarder(server.port, (sent) => {
    if (!sent.includes("COMMIT\0")) return false;
    commits += 1;
    return commits === answer;
  });
  later(() => forwarder.close());
  const url = new URL(await newDatabase(server, { empty: true }));
  url.port = String(forwarder.port);
  const sandbox = await startIn(newFolder(), {
    database: {
      ...{ url: url.href, password: null, connections: 4, commitDeadlineMs: 60_000, requireReplica: false },
      replica: { name: "first", allowsReset: false },
    },
  });
  const sent = commits;
  // It knows the secret: else it could not start a payment.
  await sandbox.pay();
  const { merchants } = await sandbox.control("GET", "/merchants");
  expect(merchants).toEqual([{ id: 1, name: "Demo Shop" }]);
  expect((await sandbox.control("GET", "/accounts")).accounts).toHaveLength(1);
  expect((await sandbox.control("GET", "/keys")).keys).toHaveLength(1);
  await sandbox.stop();
  return sent;
}

describeWithPostgres("the first start on an empty database", () => {
  test("whichever answer to a COMMIT is lost, there is one merchant, with one key, and its secret is known", async () => {
    let answer = 1;
    while ((await startWithout(answer)) >= answer) {
      answer += 1;
      expect(answer).toBeLessThan(MOST_COMMITS);
    }
    expect(answer).toBeGreaterThan(3);
  });
});
