import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Fact } from "../../../sandbox/check/fact.ts";
import type { CheckReport } from "../../../sandbox/check/result.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runMomo, serveMomo, startMomo } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";

/** What `momo check` says of a server that is not momo. */

/** The report in JSON, which has each fact also in words. */
interface Report extends CheckReport {
  readonly summary: string;
  readonly checked: readonly (CheckReport["checked"][number] & {
    readonly fact: (Fact & { readonly text: string }) | null;
  })[];
}

const HERE = import.meta.dir;
const KEY = { MOMO_API_KEY: "field-key", MOMO_API_SECRET: "field-secret" };
const PAYS = ["--account", "7", "--pay", "0712345678", "--max-pushes", "20", "--yes"];

/** Starts a server with node. It takes any free port, and prints its address. */
async function started(file: string): Promise<string> {
  const { stdout } = startMomo([], { program: ["node", join(HERE, file)] });
  const [, target = ""] = await stdout.until(/listening on (http:\S+)/);
  return target;
}

async function check(target: string, ...flags: string[]) {
  const file = join(newFolder(), "profile.json");
  const run = await runMomo(["check", "--target", target, "--json", "--profile", file, ...flags], { env: KEY });
  const report = JSON.parse(run.stdout) as Report;
  const failed = report.checked.filter(({ verdict }) => verdict === "fails");
  return {
    exitCode: run.exitCode,
    report,
    file,
    seen: Object.fromEntries(failed.map(({ id, fact }) => [id, fact?.text])),
  };
}

afterAll(cleanUp);

describeWith(["node", "Express"], "momo check of a service with the habits of the field, in Express", () => {
  let target: string;
  let found: Awaited<ReturnType<typeof check>>;
  beforeAll(async () => {
    target = await started("field-service.mjs");
    found = await check(target, ...PAYS);
  });

  test("its mistakes are named: methods, dates, an id that is no text, pages in HTML, an order without a phone, a fee that is never deducted", () => {
    expect(found).toMatchObject({ exitCode: 7, report: { stopped: null } });
    // The report names each payment that the check has pushed.
    expect(found.report.notes).toEqual(
      Array(3).fill(
        expect.objectContaining({ kind: "pushed", checkoutRequestId: expect.stringMatching(/^"ws_CO_\d+_F\d+"/) }),
      ),
    );
    expect(found.seen).toEqual({
      "pay.no-phone": "it was answered with 200",
      "pay.amount-type": "it was answered with 200",
      ...Object.fromEntries(
        ["by-type", "dates"].map((one) => [`list.${one}`, "the list has a transaction that does not fit"]),
      ),
      ...Object.fromEntries(
        ["push", "status", "list"].map((one) => [`method.${one}`, "it was answered with 404, not with 405"]),
      ),
      ...Object.fromEntries(
        ["no-id", "id-type"].map((one) => [`bad.${one}`, "it was answered with 404, not with 400"]),
      ),
      "completed.fee_deducted": 'it is false while the status is "completed"',
      "answers.json": "an answer with 404 is not a JSON object",
      "answers.failure": "an answer with 404 is not a JSON object",
    });
  });

  test("its profile is what its source says, and momo with this profile has no other", async () => {
    const profile = {
      ...{
        base_path: "/api/v2",
        accept: "lenient",
        response_form: "short",
        phone: "0",
        timestamps: "utc",
        fee: "0%",
      },
      unknown_id: { status: 404, message: "Transaction not found" },
      invalid_account: { status: 400, message: "Invalid payment account ID" },
      ...{ bad_filter: "ignored", page_bounds: "clamped", filter_case: "lower" },
    };
    expect(found.report.profile).toEqual(profile);
    const { ready } = await serveMomo(["--profile", found.file]);
    const [key, secret] = [ready.api_key, ready.api_secret];
    const env = { MOMO_BASE_URL: ready.base_url, MOMO_API_KEY: key, MOMO_API_SECRET: secret };
    await runMomo(["pay", "0722000000", "20", "--account", "1", "--outcome", "wrong_pin; after=0s", "-q"], { env });
    const own = await runMomo(["check", "--target", ready.base_url, ...PAYS, "--account", "1", "--json"], { env });
    const report = JSON.parse(own.stdout) as Report;
    expect(report.profile).toEqual(profile);
    expect(report.checked.filter(({ verdict }) => verdict === "fails")).toEqual([]);
    expect(own.exitCode).toBe(0);
  });

  test("without --pay, nothing is pushed", async () => {
    const { report } = await check(target);
    const needs = report.checked.filter(({ fact }) => fact?.kind === "needs_payment");
    expect(needs.length).toBeGreaterThan(10);
  });
});
