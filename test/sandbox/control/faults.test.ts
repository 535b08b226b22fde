import { beforeEach, describe, expect, test } from "bun:test";
import { testRefusals } from "../../support/refused.ts";
import { expectSoundAnswer, payment } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

const put = (faults: object[], seed?: number) => sandbox.control("PUT", "/faults", { faults, seed });
const push = () => sandbox.ask("POST", "/stkpush.php", { json: payment(sandbox.caller) });
const list = () => sandbox.ask("GET", "/transactions.php");

describe("error", () => {
  test("answered with its status, 500 where none is given; the operation is not carried out", async () => {
    await put([
      { kind: "error", times: 1 },
      { kind: "error", status: 503, times: 1 },
    ]);
    const [first, second, third] = [await push(), await push(), await push()];
    expect([first.status, second.status, third.status]).toEqual([500, 503, 200]);
    expectSoundAnswer(first);
    expect(second.body.message).toBe("fault injected: HTTP 503");
    expect(await sandbox.list()).toHaveLength(1);
  });

  test("seen in the request log as such", async () => {
    await put([{ kind: "error", status: 418, times: 1 }]);
    await push();
    await push();
    expect(await sandbox.logged()).toMatchObject([
      { fault: "error", status: 418, body: JSON.stringify(payment(sandbox.caller)), answer: { success: false } },
      { fault: null, status: 200 },
    ]);
  });

  test("by path: others are spared", async () => {
    await put([{ kind: "error", path: "/transactions.php" }]);
    expect([(await push()).status, (await list()).status, (await push()).status]).toEqual([200, 500, 200]);
  });

  test("without a path: any operation, and never the control API", async () => {
    await put([{ kind: "error" }]);
    const status = await sandbox.ask("POST", "/status.php", { json: {} });
    expect([status.status, (await push()).status, (await list()).status]).toEqual([500, 500, 500]);
    await sandbox.control("GET", "/health");
  });
});

describe("delay", () => {
  test("carried out after this time, in real time even while momo's clock stands still", async () => {
    await put([{ kind: "delay", delay: "40ms", times: 1 }]);
    const startedMs = performance.now();
    expect((await push()).status).toBe(200);
    expect(performance.now() - startedMs).toBeGreaterThan(35);
    expect(await sandbox.logged()).toMatchObject([{ fault: "delay", status: 200 }]);
    expect(Number((await sandbox.logged())[0]?.duration_ms)).toBeGreaterThan(35);
    expect(await sandbox.list()).toHaveLength(1);
  });

  test("others need not wait for it", async () => {
    await put([{ kind: "delay", delay: "200ms", path: "/stkpush.php" }]);
    const slow = push();
    expect(await Promise.race([slow.then(() => "slow"), list().then(() => "quick")])).toBe("quick");
    await slow;
  });
});

describe("probability and seed", () => {
  const statuses = async (seed: number) => {
    await put([{ kind: "error", probability: 0.5 }], seed);
    const answers = Array.from({ length: 40 }, () => list());
    return (await Promise.all(answers)).map(({ status }) => status).join(" ");
  };

  test("same seed, same faults: two runs are equal; a different seed differs", async () => {
    const first = await statuses(42);
    expect(await statuses(42)).toBe(first);
    expect(await statuses(43)).not.toBe(first);
    expect(first).toContain("200");
    expect(first).toContain("500");
  });

  test("without one, one is drawn and shown, and brings the same faults again", async () => {
    const { seed } = await put([{ kind: "error", probability: 0.5 }]);
    const drawn = (await Promise.all(Array.from({ length: 40 }, list))).map(({ status }) => status).join(" ");
    expect(await statuses(Number(seed))).toBe(drawn);
  });
});

describe("GET, PUT and DELETE /_momo/faults", () => {
  const ALL = [
    { path: "/stkpush.php", kind: "error", status: 503, probability: 0.25, times: 2 },
    { kind: "delay", delay: "2m", probability: 1 },
    { kind: "disconnect", probability: 1, times: 1_000_000 },
  ];

  test("each answers with those in force, as they can be given again", async () => {
    expect(await sandbox.control("GET", "/faults")).toMatchObject({ seed: 0, faults: [] });
    const answer = await put(ALL, 7);
    expect(answer).toMatchObject({ success: true, seed: 7, faults: ALL });
    expect(await sandbox.control("GET", "/faults")).toEqual(answer);
    expect((await put(answer.faults as object[], 7)).faults).toEqual(ALL);
    expect(await put([], 8)).toMatchObject({ seed: 8, faults: [] });
  });

  test("the times that are left show", async () => {
    await put([{ kind: "error", times: 3 }]);
    await push();
    expect((await sandbox.control("GET", "/faults")).faults).toMatchObject([{ times: 2 }]);
    await push();
    await push();
    expect((await sandbox.control("GET", "/faults")).faults).toEqual([]);
  });

  test("DELETE: nothing goes wrong any more", async () => {
    await put([{ kind: "error" }], 7);
    expect(await sandbox.control("DELETE", "/faults")).toMatchObject({ seed: 0, faults: [] });
    expect((await push()).status).toBe(200);
  });
});

describe("a fault that makes no sense is refused with its place, and those in force stay", () => {
  const BAD: [body: unknown, says: string][] = [
    [{ faults: [{ kind: "error", path: "/nothing.php" }] }, "faults[0].path: must be one of /stkpush.php, /status.php"],
    [{ faults: [{ kind: "error", path: "/v2/stkpush.php" }] }, "faults[0].path: must be one of /stkpush.php"],
    [{ faults: [{ kind: "error" }, { kind: "crash" }] }, "faults[1].kind: must be one of error, delay, disconnect"],
    [{ faults: [{}] }, "faults[0].kind: must be one of error, delay, disconnect"],
    [{ faults: [{ kind: "error", status: 399 }] }, "faults[0].status: must be at least 400"],
    [{ faults: [{ kind: "error", status: 600 }] }, "faults[0].status: must be at most 599"],
    [{ faults: [{ kind: "error", status: 500.5 }] }, "faults[0].status: must be a whole number"],
    [{ faults: [{ kind: "error", status: "500" }] }, "faults[0].status: must be a number"],
    [{ faults: [{ kind: "delay", delay: "1s", status: 500 }] }, "faults[0].status: only an error has one"],
    [{ faults: [{ kind: "delay" }] }, "faults[0].delay: a delay has one, and nothing else does"],
    [{ faults: [{ kind: "delay", delay: "soon" }] }, "faults[0].delay: it is not a duration up to 24h"],
    [{ faults: [{ kind: "delay", delay: 5 }] }, "faults[0].delay: must be a string"],
    [{ faults: [{ kind: "error", delay: "1s" }] }, "faults[0].delay: a delay has one, and nothing else does"],
    [{ faults: [{ kind: "disconnect", delay: "1s" }] }, "faults[0].delay: a delay has one"],
    [{ faults: [{ kind: "error", probability: 0 }] }, "faults[0].probability: must be more than 0"],
    [{ faults: [{ kind: "error", probability: 1.1 }] }, "faults[0].probability: "],
    [{ faults: [{ kind: "error", times: 0 }] }, "faults[0].times: "],
    [{ faults: [{ kind: "error", time: 1 }] }, 'faults[0]: there is no member "time"; the members are '],
    [{ faults: Array.from({ length: 101 }, () => ({ kind: "error" })) }, "faults: must have at most 100 elements"],
    [{ faults: [], seed: -1 }, "seed: "],
    [{ faults: [], seed: 0.5 }, "seed: "],
    [{ faults: [], seed: "7" }, "seed: "],
    [{ faults: { kind: "error" } }, "faults: must be an array"],
    [{}, "faults: is missing"],
    [[], "the body must be a JSON object"],
  ];
  beforeEach(() => put([{ kind: "error", times: 5 }], 7));
  testRefusals(sandbox, "PUT", "/faults", BAD);
});
