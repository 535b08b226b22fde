import { Command } from "commander";
import { createParser } from "eventsource-parser";
import type { PromptOnWire } from "../../sandbox/control/shapes/payments.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { type Answer, type Client, controlClient, openEvents } from "../client/client.ts";
import { resolveControl, type TargetFlags } from "../client/target.ts";
import { isAttended } from "../terminal/ask.ts";
import { openDialogue } from "../terminal/dialogue.ts";
import { EXIT, Failure } from "../terminal/failure.ts";
import { controlOptions } from "../terminal/options.ts";
import { readTypedPhone } from "../terminal/typed-phone.ts";

type PhoneFlags = Pick<TargetFlags, "baseUrl" | "data">;

export function phoneCommand(): Command {
  const command = new Command("phone").argument("[phone...]", "the customer's number (default: everybody's)");
  for (const option of controlOptions()) command.addOption(option);
  return command.action(phone);
}

async function phone(words: readonly string[], flags: PhoneFlags): Promise<void> {
  if (!isAttended()) {
    throw new Failure("usage", "momo phone needs a person at a terminal", "scripts use momo answer");
  }
  const owner = words.length === 0 ? null : parsePhone(readTypedPhone(words));
  const target = resolveControl(flags);
  const client = controlClient(target);
  const changes = watchPrompts(await openEvents(target), owner);
  const { intro, outro, step } = await openDialogue();
  intro(`Phone ${owner ?? "of every customer"}. Ctrl+C switches it off.`);
  let isWaiting = false;
  for (;;) {
    const prompt = await nextPrompt(client, owner);
    if (prompt) {
      isWaiting = false;
      if ((await showPrompt(prompt, client, changes)) === "off") break;
    } else {
      if (!isWaiting) step("Waiting for a prompt …");
      isWaiting = true;
      await changes.next();
    }
  }
  outro("Switched off.");
  process.exit(EXIT.done);
}

/** The oldest prompt on this phone. */
async function nextPrompt(client: Client, owner: string | null): Promise<PromptOnWire | null> {
  const answer = await client.get("/prompts", owner === null ? {} : { phone: owner });
  return (answer as Answer & { prompts: PromptOnWire[] }).prompts[0] ?? null;
}

/** Shows one prompt until its customer answers, or it is over for another reason. */
async function showPrompt(prompt: PromptOnWire, client: Client, changes: Changes): Promise<"answered" | "off"> {
  const { info, isCancel, note, password, select, success, warn } = await openDialogue();
  const over = new AbortController();
  const stopWatching = changes.whenFinal(prompt.checkout_request_id, (status) => {
    over.abort();
    if (status !== "gone") warn(`Too late: the payment is ${status}.`);
  });
  note(describe(prompt), `${prompt.business} asks ${prompt.phone}`);
  try {
    const choice = await select({
      message: "What do you do?",
      options: [
        { value: "pin", label: "Enter the PIN" },
        { value: "cancel", label: "Cancel" },
      ],
      signal: over.signal,
    });
    if (over.signal.aborted) return "answered";
    if (isCancel(choice)) return "off";
    if (choice === "cancel") return await answer({ outcome: "cancelled" });
    const pin = await password({
      message: "M-PIN",
      signal: over.signal,
      validate: (text) => (/^[0-9]{4,6}$/.test(text ?? "") ? undefined : "4 to 6 digits; 0000 is the wrong one"),
    });
    if (over.signal.aborted) return "answered";
    return isCancel(pin) ? "off" : await answer({ pin });
  } finally {
    stopWatching();
  }

  async function answer(body: object): Promise<"answered"> {
    stopWatching();
    const path = `/prompts/${encodeURIComponent(prompt.checkout_request_id)}/answer`;
    try {
      const { message, sms } = await client.post(path, body, { lookWith: `momo status ${prompt.checkout_request_id}` });
      if (typeof sms === "string") success(sms);
      else info(message);
    } catch (error) {
      // Somebody else was faster, or the server has gone: the next look tells which.
      if (!(error instanceof Failure) || error.code !== "refused") throw error;
      warn(error.message);
    }
    return "answered";
  }
}

function describe({ amount, reference, description }: PromptOnWire): string[] {
  const shillings = amount.toLocaleString("en-US", { minimumFractionDigits: 2 });
  const lines = [`Pay Ksh${shillings}`];
  if (reference) lines.push(`for account ${reference}`);
  if (description) lines.push(description);
  return lines;
}

/** What the server tells of transactions on this phone. */
interface Changes {
  /** Resolves at the next change, at once where there was one since the last call. */
  next(): Promise<void>;
  /** Calls back when this payment is final, or the server is gone; returns a function that stops that. */
  whenFinal(checkoutRequestId: string, call: (status: string) => void): () => void;
}

function watchPrompts(events: ReadableStream<Uint8Array>, owner: string | null): Changes {
  let news = Promise.withResolvers<void>();
  let watched: { id: string; call: (status: string) => void } | null = null;
  const parser = createParser({
    onEvent({ event, data }) {
      if (event !== "transaction") return;
      const { checkout_request_id, status, phone } = JSON.parse(data) as Record<string, string>;
      if (status === undefined || (owner !== null && phone !== owner)) return;
      if (status !== "pending" && watched && checkout_request_id === watched.id) watched.call(status);
      news.resolve();
    },
  });

  async function listen(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of events) parser.feed(decoder.decode(chunk, { stream: true }));
    } catch {
      // Broken off; which way a server goes makes no difference.
    }
    watched?.call("gone");
    news.reject(new Failure("unreachable", "the server has gone", "start it again with momo serve"));
  }

  news.promise.catch(() => {}); // told by next, when somebody asks
  void listen();
  return {
    async next() {
      await news.promise;
      news = Promise.withResolvers();
      news.promise.catch(() => {});
    },
    whenFinal(id, call) {
      watched = { id, call };
      return () => {
        watched = null;
      };
    },
  };
}
