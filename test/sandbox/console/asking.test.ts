import { expect, test } from "bun:test";
import { type Signal, signal } from "@preact/signals";
import { rejectionOf } from "../../support/waiting.ts";
import { ANYTHING, asking, loading, pass, phones, server, settle, startEachTestAnew, state } from "./page.ts";

/** The rule for answers that come late, and when a part is asked for. */

startEachTestAnew();
const { ask, beginAnew, partOf } = asking;

interface Scene {
  readonly question: Signal<string | null>;
  readonly part: { load(): Promise<void>; refresh(): void };
  /** What the part took, refused and cleared, in this order. */
  readonly seen: string[];
}

function startScene(options: object = {}): Scene {
  const question = signal<string | null>("/first");
  const seen: string[] = [];
  const part = partOf({
    question: () => question.value,
    take: ({ value }: { value: string }) => seen.push(value),
    refuse: ({ message }: { message: string }) => seen.push(message),
    clear: () => seen.push("cleared"),
    ...options,
  });
  seen.splice(0);
  return { question, part, seen };
}

const named = async (path: string) => Response.json({ value: path.slice("/_momo".length) });
const refused = async (path: string) => Response.json({ message: path.slice("/_momo".length) }, { status: 404 });

const MEANWHILE: [what: string, act: (scene: Scene) => unknown, seen: string[]][] = [
  ["nothing", () => {}, ["/first"]],
  ["the page asks for something else", ({ question }) => setTo(question, "/second"), ["cleared"]],
  ["nothing is open any more", ({ question }) => setTo(question, null), []],
  ["the page has begun anew", () => beginAnew(), ["cleared"]],
];

function setTo(question: Signal<string | null>, path: string | null): void {
  question.value = path;
}

for (const [kind, answer] of [
  ["an answer", named],
  ["a refusal", refused],
] as const) {
  test.each(MEANWHILE)(`${kind} counts only if the page would ask the same now: %s`, async (_, act, expected) => {
    const scene = startScene();
    const held = Promise.withResolvers<Response>();
    server.answer = () => held.promise;
    const loaded = scene.part.load();
    await act(scene);
    held.resolve(await answer("/_momo/first"));
    await loaded;
    expect(scene.seen).toEqual(expected);
  });
}

test("a refused token, and a server that does not answer, are no refusals of the question", async () => {
  const { part, seen } = startScene();
  server.answer = async () => Response.json({ message: "no token" }, { status: 401 });
  expect(await rejectionOf(part.load())).toMatchObject({ message: "no token" });
  server.answer = () => Promise.reject(new Error("no route"));
  expect(await rejectionOf(part.load())).toMatchObject({ message: "the server does not answer" });
  expect(seen).toEqual([]);
  state.tokenAsked.value = null;
});

test("of two equal questions, only the answer to the last one counts, whichever comes first", async () => {
  const { part, seen } = startScene();
  const held = Promise.withResolvers<Response>();
  server.answer = () => held.promise;
  const first = part.load();
  server.answer = () => named("/_momo/last");
  await part.load();
  held.resolve(await named("/_momo/late"));
  await first;
  expect(seen).toEqual(["/last"]);
});

test("without an answer that counts, a question by itself has none", async () => {
  server.answer = named;
  expect(await ask(() => null)).toBe(null);
  const answered = ask(() => "/page");
  beginAnew();
  expect([await answered, server.asked]).toEqual([null, ["/_momo/page"]]);
});

test("a part is asked for when its question changes, once it has settled; not before the page is loaded", async () => {
  const { question, part, seen } = startScene({ settleMs: 100 });
  const askedHere = () => server.asked.filter((path: string) => path.includes("typed"));
  server.answer = async (path) => (path.includes("typed") ? named(path) : Response.json(ANYTHING));
  question.value = "/typed before";
  await pass(1000);
  expect(askedHere()).toEqual([]);
  await loading.loadAll();
  await pass(100);
  expect(seen.splice(0).at(-1)).toBe("/typed before");
  await pass(1000);
  for (const text of ["/typed a", "/typed ab", "/typed abc"]) {
    question.value = text;
    await pass(99);
  }
  await pass(1);
  expect(askedHere()).toEqual(["/_momo/typed before", "/_momo/typed abc"]);
  expect(seen.splice(0)).toEqual(["cleared", "cleared", "cleared", "/typed abc"]);
  await pass(1000);
  // It is closed and opened again: what was answered before may no longer be true.
  question.value = null;
  question.value = "/typed abc";
  await pass(100);
  expect(seen).toEqual(["cleared", "cleared", "/typed abc"]);
  expect(askedHere()).toHaveLength(3);
  part.refresh();
  part.refresh();
  await pass(1000);
  expect(askedHere()).toHaveLength(4);
});

test("what is opened while the server is lost is asked for when it is back", async () => {
  const { question, seen } = startScene();
  server.answer = async () => Response.json({ ...ANYTHING, value: "answered" });
  state.connection.value = "lost";
  state.isLoaded.value = true;
  question.value = "/opened";
  await pass(1000);
  expect(server.asked).toEqual([]);
  state.connection.value = "live";
  await pass(1000);
  expect(seen.at(-1)).toBe("answered");
  state.connection.value = "connecting";
});

test("what is opened, picked, chosen and typed is asked for", async () => {
  server.answer = async () => Response.json(ANYTHING);
  await loading.loadAll();
  await pass(1000);
  const asked = async (act: () => void) => {
    server.asked.splice(0);
    act();
    await pass(1000);
    return server.asked.map((path) => path.slice("/_momo".length)).sort();
  };
  const go =
    (view: string, selected: string | null = null, query: object = {}) =>
    () => {
      state.route.value = { view, selected, query };
    };
  expect(await asked(go("transactions", "ws_CO_1"))).toEqual(["/transactions/ws_CO_1"]);
  expect(await asked(go("start"))).toEqual(["/transactions?merchant_id=1&limit=1"]);
  expect(await asked(() => phones.pickPhone("254711000009"))).toEqual(["/messages?phone=254711000009"]);
  expect(await asked(go("transactions", null, { search: "pear" }))).toEqual([
    "/transactions?search=pear&ends=true&merchant_id=1&page=1&limit=50",
  ]);
  expect(
    await asked(() => {
      state.merchants.value = [{ id: 2, name: "Corner Shop" }];
      go("transactions", null, { merchant: "2" })();
    }),
  ).toEqual(["/accounts?merchant_id=2", "/keys?merchant_id=2", "/transactions?merchant_id=2&page=1&limit=50"]);
  state.merchants.value = [];
  await settle();
});
