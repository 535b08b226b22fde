import { computed, signal } from "@preact/signals";
import { type ClockAt, sandboxNowMs } from "./logic/countdown.ts";
import { type Filters, NO_FILTERS } from "./logic/filters.ts";
import { findingsByRequest } from "./logic/findings.ts";
import { parseRoute, type Route } from "./logic/route.ts";
import { assignSlots, type PhoneInPlay } from "./logic/slots.ts";
import { longMemory, monotonicMs, tabMemory } from "./system.ts";
import type {
  Account,
  Default,
  Fault,
  Finding,
  Key,
  LoggedRequest,
  Merchant,
  Message,
  Outcome,
  Prompt,
  Rule,
  ServerFacts,
  Status,
  Story,
  Summary,
  Transaction,
} from "./wire.ts";

/**
 * Everything that the page knows, in one place. Views read it, and have `actions.ts` change it; `loading.ts`, `arrivals.ts` and
 * `sync.ts` keep it like the server.
 */

/** Bounds of what is kept. What a list leaves out is said below it. */
export const MOST_ROWS = 10_000;
export const MOST_REQUESTS = 1000;
export const MOST_MESSAGES = 500;

export type Connection = "connecting" | "live" | "lost";

export const connection = signal<Connection>("connecting");
/** Whether everything has been loaded once, so that events are enough from now on. */
export const isLoaded = signal(false);

/** The control token, where the server asks for one. It stands in no address, and is forgotten with the tab. */
export const token = signal<string | null>(tabMemory.read("token"));
export const tokenAsked = signal<{ readonly isWrong: boolean } | null>(null);

export type Theme = "auto" | "light" | "dark";
export const theme = signal<Theme>((longMemory.read("theme") as Theme | null) ?? "auto");

export const route = signal<Route>(parseRoute(location.hash));

export const server = signal<ServerFacts | null>(null);
export const outcomes = signal<readonly Outcome[]>([]);

/** Counts up while time passes, so that what shows a time is drawn again. */
export const tick = signal(0);

export const clock = signal<ClockAt | null>(null);
/** What time it is for momo; null until it is known. */
export const sandboxNow = computed<number | null>(() => {
  tick.value;
  return clock.value && sandboxNowMs(clock.value, monotonicMs());
});

// Transactions: the newest of those that the filters select, without gaps.
export const merchantId = signal<number | null>(null);
export const filters = signal<Filters>(NO_FILTERS);
export const filterProblem = signal<string | null>(null);
export const rows = signal<readonly Transaction[]>([]);
/** How many the filters select on the server; null until it is known. */
export const totalItems = signal<number | null>(null);
export const summary = signal<Summary | null>(null);
export const isLoadingRows = signal(false);

export const story = signal<Story | null>(null);
export const storyProblem = signal<string | null>(null);

// Requests: the newest calls of the merchant API, oldest first.
export const requests = signal<readonly LoggedRequest[]>([]);
/** Calls answered in the last second. */
export const requestsPerSecond = signal(0);
/** What the audit found. */
export const findings = signal<readonly Finding[]>([]);

/** The same by the call in which each shows, of those that are here. */
export const mistakes = computed(() => findingsByRequest(findings.value, requests.value[0]?.id ?? 0));

// Phones.
export const prompts = signal<ReadonlyMap<string, Prompt>>(new Map());
export const messages = signal<readonly Message[]>([]);
/** Phones in the order in which they came into play. */
export const phonesSeen = signal<readonly string[]>([]);
export const pickedPhone = signal<string | null>(null);
/** How many handsets there is room for. */
export const phonePlaces = signal(1);

/** What a phone shows for a while after a prompt has gone. */
export interface PhoneNote {
  readonly status: Status;
  readonly title: string;
  readonly text: string;
}
export const phoneNotes = signal<ReadonlyMap<string, PhoneNote>>(new Map());

export const promptsByPhone = computed(() => {
  const byPhone = new Map<string, Prompt[]>();
  for (const prompt of prompts.value.values()) {
    const list = byPhone.get(prompt.phone);
    if (list) list.push(prompt);
    else byPhone.set(prompt.phone, [prompt]);
  }
  return byPhone;
});

export const phonesInPlay = computed<readonly PhoneInPlay[]>(() =>
  phonesSeen.value.map((phone) => ({
    phone,
    openPrompts: promptsByPhone.value.get(phone)?.length ?? 0,
    hasNote: phoneNotes.value.has(phone),
  })),
);

let slotsBefore: readonly string[] = [];
/** The phones that are shown. */
export const shownPhones = computed(() => {
  slotsBefore = assignSlots(slotsBefore, phonesInPlay.value, pickedPhone.value, phonePlaces.value);
  return slotsBefore;
});

// Steering and registry.
export const rules = signal<readonly Rule[]>([]);
export const faults = signal<{ readonly seed: number; readonly faults: readonly Fault[] }>({ seed: 0, faults: [] });
export const fallback = signal<Default | null>(null);
export const merchants = signal<readonly Merchant[]>([]);
export const accounts = signal<readonly Account[]>([]);
export const keys = signal<readonly Key[]>([]);
