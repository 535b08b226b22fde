import { afterEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Locator, Page, Request } from "playwright-core";
import { describeInBrowser } from "../../support/browser.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { isRecording } from "../../support/recording.ts";
import { createSameText, startSame } from "../../support/sandbox.ts";
import { PATIENCE_MS, until } from "../../support/waiting.ts";
import { changesOf, linesOf } from "./page-text.ts";

/**
 * What a person and a client do, and what the page shows then, word for word, with roles, names and states as a screen reader gets
 * them. A line of a session that begins with > has steps (the table below), of which the last may have an output, the indented lines below
 * it: of a place that was shown before, all that has changed there, if that is shorter (page-text.ts). MOMO_TEST_RECORD=1 writes the
 * output again: read it.
 */

// It stops the sandbox after the page has left it: a page without its server reports errors.
afterEach(cleanUp);

const FOLDER = join(import.meta.dir, "shown");
const IS_RECORDING = isRecording();
/** While a text is recorded: after this time without a change, the page has settled. */
const SETTLED_MS = 1000;
/** The audit forgives a poll within 50 ms after the last answer: it may have been sent before. */
const RACE_MS = 60;
const WIDE = { width: 1700, height: 1000 };
const EXPECTED = /40[0-9] \(/;

interface Session {
  readonly sandbox: Awaited<ReturnType<typeof startSame>>;
  readonly page: Page;
  /** Makes a text the same in each run. */
  readonly same: (text: string) => string;
  /** The part of the page that the next steps are about. */
  place: string;
  /** The lines of each place when it was last shown. */
  readonly shown: Map<string, readonly string[]>;
  /** The payments that were started; a step writes $1 for the id of the first. */
  readonly ids: string[];
}

/** Returns a function that reads the output of the step, again and again until it is as expected. */
type Step = (session: Session, text: string) => unknown;

const STEPS: Readonly<Record<string, Step>> = {
  /** A view, and what is open in it. */
  open: ({ page }, view) => page.evaluate(`location.hash = ${JSON.stringify(view)}`),
  reload: ({ page }) => page.reload(),
  size: ({ page }, text) =>
    page.setViewportSize({ width: Number(text.split("x")[0]), height: Number(text.split("x")[1]) }),
  in(session, name) {
    session.place = name;
  },
  click: (session, name) => controlOf(here(session), name).click(),
  row: ({ page }, text) => page.getByRole("row").filter({ hasText: text }).first().click(),
  point: (session, name) => controlOf(here(session), name).hover(),
  fill: (session, text) => withField(here(session), text, (field, value) => field.fill(value)),
  choose: (session, text) => withField(here(session), text, (field, value) => field.selectOption(value)),
  /** Opens all that is folded. */
  async unfold(session) {
    for (const folded of (await here(session).locator("details:not([open]) > summary").all()).reverse())
      await folded.click();
  },
  back: ({ page }) => page.goBack(),
  /** A key goes to what has the focus, which is known when the page is drawn. */
  press: ({ page }, key) => drawn(page).then(() => page.keyboard.press(key)),
  /** Presses Tab until what has this name has the focus, and again for the next name; tells how often. */
  async tab({ page }, names) {
    const stops: number[] = [];
    for (const name of names.split(" | ")) {
      let count = 0;
      // What the page is still loading is met in a later round.
      const next = async () => {
        await page.keyboard.press("Tab");
        count += 1;
        return focused(page);
      };
      await until(next, (found) => found.startsWith(name));
      stops.push(count);
    }
    return async () => stops.join(" ");
  },
  /** What has the focus. */
  focus:
    ({ page }) =>
    () =>
      focused(page),
  type: ({ page }, text) => page.keyboard.type(text),
  /** A payment as a client starts it: its members, then its outcome for the header. */
  async pay({ sandbox, ids, same }, text) {
    const [, order = "{}", outcome = ""] = /^(\{.*\})? ?(.*)$/.exec(text) ?? [];
    const id = await sandbox.pay(JSON.parse(order), outcome === "" ? undefined : outcome);
    // Ids are named in this order, whatever shows first.
    same(id);
    ids.push(id);
  },
  poll: ({ sandbox }, id) => Bun.sleep(RACE_MS).then(() => sandbox.statusOf(id)),
  /** Any request to the merchant API: method, path and body. */
  async send({ sandbox }, text) {
    const [, method = "GET", path = "", body] = /^(\S+) (\S+) ?(.*)$/.exec(text) ?? [];
    const headers = { ...sandbox.headers, ...(body && { "Content-Type": "application/json" }) };
    await Bun.sleep(RACE_MS);
    await fetch(sandbox.baseUrl + path, { method, headers, ...(body && { body }) }).catch(() => {});
  },
  /** A call of the control API that changes something. */
  async control({ sandbox }, text) {
    const [, method = "", path = "", body] = /^(\S+) (\S+) ?(.*)$/.exec(text) ?? [];
    await sandbox.control(method, path, body ? JSON.parse(body) : undefined);
  },
  /** What the control API answers. */
  ask:
    ({ sandbox }, path) =>
    async () => {
      const { success: _, message: __, ...answer } = await sandbox.control("GET", path);
      return JSON.stringify(answer);
    },
  show(session, name) {
    const place = name || session.place;
    const before = session.shown.get(place);
    return async () => {
      const now = linesOf(steady(session.same(await placeOf(session, place).first().ariaSnapshot())));
      session.shown.set(place, now);
      const changes = changesOf(before ?? [], now);
      const lines = changes.length < now.length ? changes : now;
      return lines.length === 0 ? "nothing has changed" : lines.join("\n");
    };
  },
  /** What the fields contain. */
  values: (session) => async () => {
    const fields = await here(session).locator("input, select").all();
    return (await Promise.all(fields.map((field) => field.inputValue()))).join(" | ");
  },
  address:
    ({ page }) =>
    async () =>
      new URL(page.url()).hash,
};

/** A part of the page by its label or by a selector; the page; the open dialog. */
function placeOf({ page }: Session, name: string): Locator {
  const known: Record<string, string> = { page: "body", main: "main", dialog: "dialog[open]" };
  return page.locator(known[name] ?? (/^[.#]/.test(name) ? name : `[aria-label=${JSON.stringify(name)}]`));
}

const drawn = (page: Page) => page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");

/** The name of what has the focus, or the payment of a row; its first line. */
const focused = (page: Page) =>
  page.evaluate(`(() => {
    const { activeElement: one } = document;
    if (one === document.body) return "nothing";
    return (one.dataset.row ?? one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? (one.id || one.innerText)).split("\\n")[0];
  })()`) as Promise<string>;

const here = (session: Session) => placeOf(session, session.place);

/** What can be clicked, by its name; by a part of it, if the text ends with a star. */
function controlOf(place: Locator, text: string): Locator {
  const name = text.replace(/\*$/, "");
  const roles = (["button", "link", "radio", "checkbox"] as const).map((role) =>
    place.getByRole(role, { name, exact: name === text }),
  );
  return roles.reduce((all, one) => all.or(one), place.locator("summary").filter({ hasText: name })).first();
}

function withField(place: Locator, text: string, run: (field: Locator, value: string) => Promise<unknown>) {
  const [name = "", value = ""] = text.split(/ =(?: |$)/);
  const roles = (["textbox", "searchbox", "combobox"] as const).map((role) =>
    place.getByRole(role, { name, exact: true }),
  );
  return run(roles.reduce((all, one) => all.or(one)).first(), value);
}

for (const file of readdirSync(FOLDER).sort()) {
  describeInBrowser("the page shows, word for word:", (scene) => {
    test(basename(file, ".txt").replaceAll("-", " "), async () => {
      const sandbox = await startSame();
      const url = `${sandbox.controlUrl}/`;
      const page = await scene.open({ url, viewport: WIDE, expected: EXPECTED });
      const answered = watchRequests(page);
      const same = createSameText(sandbox.data);
      const session: Session = { sandbox, page, same, place: "main", shown: new Map(), ids: [] };
      const known = readFileSync(join(FOLDER, file), "utf8");
      const told: string[] = [];
      for (const [, line = "", output = ""] of known.matchAll(/^(.*)\n((?: {2}.*\n)*)/gm)) {
        told.push(`${line}\n`);
        if (!line.startsWith("> ")) continue;
        let read: unknown;
        for (const step of line.slice(2).split(" && ")) {
          read = await carryOut(session, step);
          await answered();
        }
        if (typeof read === "function")
          told.push(
            await settled(async () => `${same(await read()).replaceAll(/^/gm, "  ")}\n`, IS_RECORDING ? null : output),
          );
        if (!IS_RECORDING) expect(told.join("").split("\n")).toEqual(known.slice(0, told.join("").length).split("\n"));
      }
      if (IS_RECORDING) writeFileSync(join(FOLDER, file), told.join(""));
    });
  });
}

async function carryOut(session: Session, step: string): Promise<unknown> {
  const [, name = "", text = ""] = /^(\w+) ?(.*)$/.exec(step) ?? [];
  const filled = text.replaceAll(/\$(\d+)/g, (_, number) => encodeURIComponent(session.ids[number - 1] ?? ""));
  return (STEPS[name] ?? unknown(name))(session, filled);
}

/**
 * Counts the page's requests. A click is over when what it asked for is answered: the next step may move the clock.
 * @returns waits until no request is without an answer, but for those that wait for an event
 */
function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  const isShort = (request: Request) => request.resourceType() === "fetch" && !/\/(?:events|wait)$/.test(request.url());
  page.on("request", (request) => isShort(request) && open.add(request));
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  return async () => {
    // After this turn of the page, its requests are known here.
    await page.evaluate("new Promise((done) => setTimeout(done))");
    await until(() => open.size === 0);
  };
}

function unknown(name: string): never {
  throw new Error(`there is no step ${name}`);
}

/** What is shown when it is as expected, or does not change any more. */
async function settled(read: () => Promise<string>, expected: string | null): Promise<string> {
  const lateAtMs = performance.now() + PATIENCE_MS;
  let [shown, sinceMs] = ["", performance.now()];
  for (;;) {
    const now = await read();
    const nowMs = performance.now();
    if (now !== shown) [shown, sinceMs] = [now, nowMs];
    if (shown === expected || nowMs > lateAtMs) return shown;
    if (expected === null && nowMs - sinceMs > SETTLED_MS) return shown;
    await Bun.sleep(30);
  }
}

/** Without the times that requests took, without how far the clock is from that of the machine, and without cells whose text stands in the name of their row. */
const steady = (text: string): string =>
  text
    .replaceAll(/^ *- (?:cell|columnheader)(?: "[^"\n]*")?\n/gm, "")
    .replaceAll(/[+−]\d+ (?:days?|h)\b(?: \d+ (?:h|min))*/g, "AHEAD")
    .replaceAll(/(?<=took |cell "|(?:no answer|HTTP \d+) after )\d[\d.]* (?:ms|s)\b/g, "TIME")
    .replaceAll(/(?<=^ *- '?row ".*) \d[\d.]* (?:ms|s)(?= [a-z ,]*"'?:$|"'?:)/gm, " TIME");
