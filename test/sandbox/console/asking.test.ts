import { expect, test } from "bun:test";
import { type Signal, signal } from "@preact/signals";
import { rejectionOf } from "../../support/waiting.ts";
import {
  ANYTHING,
  api,
  asking,
  holdNext,
  loading,
  pass,
  server,
  settle,
  startEachTestAnew,
  state,
  throttled,
  tokenAsked,
} from "./page.ts";

/** The rule for answers that come late, and when a part is asked for. */

startEachTestAnew();
const { beginAnew, connection, isLoaded, partOf } = asking;

interface Scene {
  readonly question: Signal<string | null>;
  readonly part: { readonly value: string; load(): Promise<void>; refresh(): void };
}

function startScene(options: object = {}): Scene {
  const question = signal<string | null>("/first");
  const part = partOf({
    question: () => question.value,
    none: "none",
    read: ({ value = "" }: { value?: string }) => value,
    refused: ({ message }: { message: string }) => message,
    clears: true,
    ...options,
  });
  return { question, part };
}

const named = async (path: string) => Response.json({ value: path.slice("/_momo".length) });
const refused = async (path: string) => Response.json({ message: path.slice("/_momo".length) }, { status: 404 });

function setTo(question: Signal<string | null>, path: string | null): void {
  question.value = path;
}

const MEANWHILE: [what: string, act: (scene: Scene) => unknown, shown: string][] = [
  ["nothing", () => {}, "/first"],
  ["the page asks for something else", ({ question }) => setTo(question, "/second"), "none"],
  ["nothing is open any more", ({ question }) => setTo(question, null), "none"],
  ["the page has begun anew", () => beginAnew(), "none"],
];
for (const [kind, answer] of [
  ["an answer", named],
  ["a refusal", refused],
] as const) {
  test.each(MEANWHILE)(`${kind} counts only if the page would ask the same now: %s`, async (_, act, shown) => {
    const scene = startScene();
    const held = Promise.withResolvers<Response>();
    server.answer = () => held.promise;
    const loaded = scene.part.load();
    act(scene);
    held.resolve(await answer("/_momo/first"));
    await loaded;
    expect(scene.part.value).toBe(shown);
  });
}

test("of two equal questions, only the answer to the last one counts, whichever comes first", async () => {
  const { part } = startScene();
  const held = Promise.withResolvers<Response>();
  server.answer = () => held.promise;
  const first = part.load();
  server.answer = () => named("/_momo/last");
  await part.load();
  held.resolve(await named("/_momo/late"));
  await first;
  expect(part.value).toBe("/last");
});

test("a refused token, and a server that does not answer, are no refusals of the question", async () => {
  const { part } = startScene();
  server.answer = async () => Response.json({ message: "no token" }, { status: 401 });
  expect(await rejectionOf(part.load())).toMatchObject({ message: "no token" });
  server.answer = () => Promise.reject(new Error("no route"));
  expect(await rejectionOf(part.load())).toMatchObject({ message: "the server does not answer" });
  expect(part.value).toBe("none");
  tokenAsked.value = null;
});

test.each([
  ["an error page of a proxy", "the server answers HTTP 502", () => new Response("<h1>Bad</h1>", { status: 502 })],
  ["a log-in page of a proxy", "the server does not answer", () => new Response("<h1>Log in</h1>")],
])("%s is a refusal: %s", async (_, message, answered) => {
  server.answer = async () => answered();
  expect(await rejectionOf(api.get("/rules"))).toMatchObject({ message });
});

test.each(["get", "blob"])("a body that breaks off is a refusal: api.%s", async (read) => {
  server.answer = async () => new Response(new ReadableStream({ pull: (body) => body.error(new Error("reset")) }));
  expect(await rejectionOf(api[read]("/rules"))).toMatchObject({ message: "the server does not answer" });
});

test("a part is asked for when its question changes, once it has settled; not before the page is loaded", async () => {
  const { question, part } = startScene({ settleMs: 100 });
  const askedHere = () => server.asked.filter((path: string) => path.includes("typed"));
  server.answer = async (path) => (path.includes("typed") ? named(path) : Response.json(ANYTHING));
  question.value = "/typed before";
  await pass(1000);
  expect(askedHere()).toEqual([]);
  await loading.loadAll();
  expect(part.value).toBe("/typed before");
  for (const text of ["/typed a", "/typed ab", "/typed abc"]) {
    question.value = text;
    await pass(99);
  }
  expect(part.value).toBe("none");
  await pass(1);
  expect([part.value, askedHere()]).toEqual(["/typed abc", ["/_momo/typed before", "/_momo/typed abc"]]);
  await pass(1000);
  // It is closed and opened again: what was answered before may no longer be true.
  question.value = null;
  question.value = "/typed abc";
  await pass(100);
  expect(askedHere()).toHaveLength(3);
  question.value = null;
});

test("what is opened while the server is lost is asked for when it is back", async () => {
  const { question, part } = startScene();
  server.answer = async () => Response.json({ ...ANYTHING, value: "answered" });
  connection.value = "lost";
  isLoaded.value = true;
  question.value = "/opened";
  await pass(1000);
  expect(server.asked).toEqual([]);
  connection.value = "live";
  await pass(1000);
  expect(part.value).toBe("answered");
  connection.value = "connecting";
});

test("a refresh that is asked for while another one loads is made after it and after its pause, once", async () => {
  const underWay: (() => void)[] = [];
  const refresh = throttled(
    () => 50,
    () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      underWay.push(resolve);
      return promise;
    },
  );
  for (let time = 0; time < 3; time += 1) refresh();
  await pass(1000);
  expect(underWay).toHaveLength(1);
  underWay[0]?.();
  await settle();
  await pass(49);
  expect(underWay).toHaveLength(1);
  await pass(1);
  underWay[1]?.();
  await settle();
  await pass(1000);
  expect(underWay).toHaveLength(2);
});

test.each(["/merchants", "/outcomes"])(
  "of two resets, the page is loaded when it is after the last one: %s",
  async (call) => {
    const held = holdNext(call);
    const first = loading.loadAll();
    await settle();
    const last = holdNext("/keys?merchant_id=1");
    const second = loading.loadAll();
    await settle();
    held.resolve(Response.json(ANYTHING));
    expect([await first, isLoaded.value]).toEqual([false, false]);
    last.resolve(Response.json(ANYTHING));
    expect([await second, isLoaded.value]).toEqual([true, true]);
    expect(state.server.value.default_merchant_id).toBe(1);
  },
);
