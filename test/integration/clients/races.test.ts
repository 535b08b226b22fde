import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, FAST_FOLDER, newFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith, type Needed, testWith } from "../../support/needs.ts";
import {
  CHECKOUT_ID,
  CLIENTS,
  ENDED_FILE,
  FILE,
  fileOf,
  json,
  PAID,
  PAYMENT,
  PROGRAMS,
  PYTHON,
  processesOf,
  serveService,
  storeNotFound,
} from "./programs.ts";

/** Several processes that use one order at once: none takes back what another has stored. */

/** Answers that wait until the test gives them. */
function holdAnswers() {
  const waiting: ((answer: Response) => void)[] = [];
  const arrivals: (() => void)[] = [];
  let later: (() => Response) | undefined;
  return {
    answer: () =>
      new Promise<Response>((resolve) => {
        if (later) resolve(later());
        waiting.push(resolve);
        for (const arrive of arrivals.splice(0)) arrive();
      }),
    async arrived(count: number): Promise<void> {
      while (waiting.length < count)
        await new Promise<void>((resolve) => {
          arrivals.push(resolve);
        });
    },
    give: (index: number, answer: Response) => waiting[index]?.(answer),
    /** Answers all that wait, and all that come. */
    giveAll(answer: () => Response): void {
      later = answer;
      for (const resolve of waiting) resolve(answer());
    },
  };
}

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs } = program;
  const run = processesOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test("pushes once if three processes start one order", async () => {
      const { promise: others, resolve: answer } = Promise.withResolvers<void>();
      const { baseUrl, pushes } = serveService({
        push: async () => {
          await others;
          return json({ checkout_request_id: CHECKOUT_ID });
        },
      });
      const orders = newFolder();
      const statuses: (string | undefined)[] = [];
      async function start(): Promise<void> {
        statuses.push((await run(baseUrl, orders, "start", ...PAYMENT)).status);
        if (statuses.length === 2) answer();
      }
      await Promise.all([start(), start(), start()]);
      expect(statuses).toEqual(["unknown", "unknown", "pending"]);
      expect(pushes()).toBe(1);
    });

    test("does not take back an end when an older answer comes late", async () => {
      const held = holdAnswers();
      const { baseUrl, orders } = serveService({ status: held.answer });
      await run(baseUrl, orders, "start", ...PAYMENT);
      const slow = run(baseUrl, orders, "ask", "ORDER-0001");
      await held.arrived(1);
      const fast = run(baseUrl, orders, "ask", "ORDER-0001");
      await held.arrived(2);
      held.give(1, json(PAID));
      expect((await fast).status).toBe("completed");
      const ended = readFileSync(join(orders, ENDED_FILE), "utf8");
      held.give(0, json({ status: "failed", result_code: 1 }));
      expect((await slow).status).toBe("completed");
      expect(readFileSync(join(orders, ENDED_FILE), "utf8")).toBe(ended);
      expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
    });

    test("does not lose the id of a push that is accepted while a cron looks for it", async () => {
      const pushed = holdAnswers();
      const listed = holdAnswers();
      const { baseUrl, orders } = serveService({ push: pushed.answer, list: listed.answer });
      const start = run(baseUrl, orders, "start", ...PAYMENT);
      await pushed.arrived(1);
      const ask = run(baseUrl, orders, "ask", "ORDER-0001");
      await listed.arrived(1);
      pushed.give(0, json({ checkout_request_id: CHECKOUT_ID }));
      expect((await start).status).toBe("pending");
      listed.giveAll(() => json({ transactions: [] }));
      expect(await ask).toMatchObject({ status: "pending", checkout_request_id: CHECKOUT_ID });
      const [order] = (await run(baseUrl, orders, "open")).result as object[];
      expect(order).toMatchObject({ status: "pending", checkout_request_id: CHECKOUT_ID });
    });

    test("returns what another process has found, if the answer to its own push is lost", async () => {
      const pushed = holdAnswers();
      const row = { id: 1, amount: 100, phone: "254712345678", checkout_request_id: CHECKOUT_ID, ...PAID };
      const { baseUrl, orders } = serveService({ push: pushed.answer, row });
      const start = run(baseUrl, orders, "start", ...PAYMENT);
      await pushed.arrived(1);
      expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
      pushed.give(0, json({}, 504));
      expect((await start).status).toBe("completed");
    });

    test.each([
      ["is accepted", () => json({ checkout_request_id: CHECKOUT_ID }), "pending"],
      ["has no answer", () => json({}, 504), "unknown"],
    ])(
      "opens an order again that another process has seen as not started, if its push %s",
      async (_, answer, status) => {
        const pushed = holdAnswers();
        const { baseUrl, pushes, orders } = serveService({ push: pushed.answer });
        const start = run(baseUrl, orders, "start", ...PAYMENT);
        await pushed.arrived(1);
        storeNotFound(orders, 599_000);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("not_started");
        expect((await run(baseUrl, orders, "open")).result).toEqual([]);
        pushed.give(0, answer());
        expect(await start).toMatchObject({ status, may_have_paid: true });
        expect((await run(baseUrl, orders, "open")).result).toMatchObject([{ status, may_have_paid: true }]);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe(status);
        expect(pushes()).toBe(1);
      },
    );

    test("counts the time between two looks once if two processes look at once", async () => {
      const listed = holdAnswers();
      const { baseUrl, orders } = serveService({ push: () => json({}, 504), list: listed.answer });
      expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("unknown");
      const { service_reference: push } = JSON.parse(readFileSync(join(orders, FILE), "utf8"));
      const asked = join(orders, fileOf(`${push}~asked`));
      storeNotFound(orders, 0);
      const looks = [run(baseUrl, orders, "ask", "ORDER-0001"), run(baseUrl, orders, "ask", "ORDER-0001")];
      await listed.arrived(2);
      listed.giveAll(() => json({ transactions: [] }));
      await Promise.all(looks);
      const [{ not_found_ms: notFoundMs }] = JSON.parse(readFileSync(asked, "utf8")).clocks;
      expect(notFoundMs).toBeGreaterThan(0);
      expect(notFoundMs).toBeLessThan(10_000);
    });
  });
}

const AT_ONCE = 6;

/** Programs that wait for each other, and then store a value in each of many folders that are not there. */
const MAKE_FOLDERS: readonly [
  name: string,
  needs: readonly Needed[],
  program: (folder: string) => readonly string[],
][] = [
  [
    "JavaScript",
    ["node"],
    (folder) => [
      ...["node", "--input-type=module", "-e"],
      `import { fileStore } from "${CLIENTS}/client.mjs"; import { readdirSync, writeFileSync } from "node:fs";
       writeFileSync("${folder}/" + process.pid, ""); while (readdirSync("${folder}").length < ${AT_ONCE}) {}
       for (let number = 0; number < 200; number += 1) fileStore("${folder}/n" + number + "/a/b").add("x", {});`,
    ],
  ],
  [
    "Python",
    ["python3"],
    (folder) => [
      ...[...PYTHON, "-c"],
      `import os, sys; sys.path.insert(0, "${CLIENTS}"); from client import FileStore
open(f"${folder}/{os.getpid()}", "w").close()
while len(os.listdir("${folder}")) < ${AT_ONCE}: pass
for number in range(200): FileStore(f"${folder}/n{number}/a/b").add("x", {})`,
    ],
  ],
  [
    "PHP",
    ["php", "php curl"],
    (folder) => [
      ...["php", "-r"],
      `require "${CLIENTS}/client.php";
       touch("${folder}/" . getmypid()); while (count(scandir("${folder}")) < ${AT_ONCE} + 2);
       for ($number = 0; $number < 200; $number++)
         Momo\\useStore("x", fn () => (new Momo\\FileStore("${folder}/n$number/a/b"))->add("x", []));`,
    ],
  ],
];

for (const [name, needs, program] of MAKE_FOLDERS)
  testWith(needs, `the client in ${name} makes the folder of the orders while other processes do so`, async () => {
    const folder = newFolder(FAST_FOLDER);
    const runs = await Promise.all(Array.from({ length: AT_ONCE }, () => runToEnd(program(folder))));
    expect(runs).toEqual(runs.map(() => ({ stdout: "", stderr: "", exitCode: 0 })));
  });

describeWith(["node", "python3", "php", "php curl"], "the clients in all languages, at once on one order", () => {
  test("push once, agree on its end, and leave no draft", async () => {
    let looks = 0;
    const { baseUrl, pushes } = serveService({
      status: () => {
        looks += 1;
        return json(looks % 4 === 3 ? PAID : { status: "pending" });
      },
    });
    const orders = newFolder();
    const all = (...args: readonly string[]) =>
      Promise.all([...PROGRAMS, ...PROGRAMS].map((program) => processesOf(program)(baseUrl, orders, ...args)));
    await all("start", ...PAYMENT);
    const said = [...(await all("ask", "ORDER-0001")), ...(await all("ask", "ORDER-0001"))];
    expect(said.filter(({ status }) => status !== "pending" && status !== "completed")).toEqual([]);
    for (const { status } of await all("ask", "ORDER-0001")) expect(status).toBe("completed");
    expect([pushes(), readdirSync(orders).filter((file) => !file.endsWith(".json"))]).toEqual([1, []]);
  });
});
