import { emitKeypressEvents, type Interface, type Key as Pressed } from "node:readline";
import type { PromptOnWire } from "../../sandbox/control/shapes/payments.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { timeLeft } from "../../src/domain/duration.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { sleep } from "../../src/system.ts";
import { type Client, controlOf, openEvents, timeIn } from "../client/client.ts";
import { followEvents, type SandboxEvent } from "../client/follow.ts";
import type { Answer } from "../client/request.ts";
import { type ControlFlags, commandFor, resolveControl } from "../client/target.ts";
import type { Io } from "../io.ts";
import { isAttended } from "../terminal/ask.ts";
import { Command } from "../terminal/command.ts";
import { Failure, toFailure } from "../terminal/failure.ts";
import { controlOptions, readTypedPhone, withOptions } from "../terminal/options.ts";
import { amountText, reasonText } from "../terminal/payment-lines.ts";
import { openStatusLine, type StatusLine } from "../terminal/status-line.ts";

export function phoneCommand(io: Io): Command {
  const command = new Command("phone").argument("[phone...]", "the customer's number (default: every customer)");
  withOptions(command, ...controlOptions());
  return command.action((words: readonly string[], flags: ControlFlags) => phone(io, words, flags));
}

async function phone(io: Io, words: readonly string[], flags: ControlFlags): Promise<void> {
  if (!isAttended(io)) {
    throw new Failure("usage", "momo phone needs a person at a terminal", "scripts use momo answer");
  }
  const owner = words.length === 0 ? null : parsePhone(readTypedPhone(words));
  const target = () => resolveControl(io, flags);
  const first = await openEvents(target());
  const off = new AbortController();
  const client = () => controlOf(io, flags);
  const handset = new Handset(openStatusLine(io), owner, flags, client, io.clock, off.signal);
  const keyboard = openKeyboard(
    io.environment.canRedraw(),
    (key) => (key === "off" ? off.abort() : handset.press(key)),
    () => handset.show(),
  );
  handset.line.note(`Phone ${owner ?? "of every customer"}. Ctrl+C switches it off.`);
  const following = followEvents(target, first, (event) => handset.handle(event), off.signal);
  while (!off.signal.aborted) {
    handset.show();
    await sleep(1000, off.signal);
  }
  keyboard.close();
  handset.line.clear();
  handset.line.note("Switched off.");
  await following;
}

/** The screen of the phone: the open prompts, the one that is shown, and the digits typed so far. */
class Handset {
  #open: readonly PromptOnWire[] = [];
  #current: PromptOnWire | null = null;
  #typed = "";
  #isWaiting = false;
  #isConnected = true;
  #time = { aheadMs: 0, isFrozen: false };
  /** Reads run one after another, so that an old answer never replaces a newer one. */
  #refreshing: Promise<void> = Promise.resolve();

  constructor(
    readonly line: StatusLine,
    readonly owner: string | null,
    readonly flags: ControlFlags,
    readonly client: () => Client,
    readonly clock: Clock,
    readonly off: AbortSignal,
  ) {}

  show(): void {
    const prompt = this.#current;
    if (!this.#isConnected) this.line.show("The server has gone; waiting for it …");
    else if (!prompt) this.line.show("");
    else {
      const dots = "•".repeat(this.#typed.length).padEnd(6);
      this.line.show(`M-PIN ${dots}  ${this.#leftOf(prompt)}`);
    }
  }

  press(key: Key): void {
    if (!this.#current) return;
    if (key === "escape") void this.#answer({ outcome: "cancelled" });
    else if (key === "backspace") this.#typed = this.#typed.slice(0, -1);
    else if (key === "enter" && this.#typed.length >= 4) void this.#answer({ pin: this.#typed });
    else if (key === "enter") this.line.note("A PIN has 4 to 6 digits; 0000 is the wrong one.");
    else if (typeof key === "object" && this.#typed.length < 6) this.#typed += key.digit;
    this.show();
  }

  handle({ name, data }: SandboxEvent): void {
    if (name === "lost") {
      this.#isConnected = false;
      if (this.#current) this.#drop("That prompt is gone: the server has gone.");
      this.line.note("The server has gone; waiting for it …");
      this.#isWaiting = false;
    }
    if (name === "connected") this.#isConnected = true;
    const { checkout_request_id, status } = data;
    if (name === "transaction" && status !== "pending" && checkout_request_id === this.#current?.checkout_request_id) {
      const reason = reasonText(data);
      if (status === "expired") this.#drop("The prompt has expired: no answer came in time.");
      else this.#drop(`Too late: the payment is ${status}${reason ? `, ${reason}` : ""}.`);
    }
    if (["connected", "transaction", "steering", "gap"].includes(name)) this.#refresh();
    this.show();
  }

  #leftOf({ expires_at_ms }: PromptOnWire): string {
    const { aheadMs, isFrozen } = this.#time;
    return isFrozen ? "the clock is frozen" : `${timeLeft(expires_at_ms - this.clock.nowMs() - aheadMs)} left`;
  }

  #refresh(): void {
    // The stream of events reports a lost server.
    this.#refreshing = this.#refreshing.then(() => this.#refreshNow()).catch(() => {});
  }

  async #refreshNow(): Promise<void> {
    const options = { signal: this.off };
    const [answer, clock] = await Promise.all([
      this.client().get("/prompts", this.owner === null ? {} : { phone: this.owner }, options),
      this.client().get("/clock", {}, options),
    ]);
    if (this.off.aborted) return;
    const { nowMs, isFrozen } = timeIn(clock, this.clock.nowMs());
    this.#time = { aheadMs: nowMs - this.clock.nowMs(), isFrozen };
    this.#open = (answer as Answer & { prompts: PromptOnWire[] }).prompts;
    const id = this.#current?.checkout_request_id;
    const isOpen = this.#open.some(({ checkout_request_id }) => checkout_request_id === id);
    if (this.#current && !isOpen) this.#drop("That prompt is gone.");
    if (!this.#current) this.#next();
    this.show();
  }

  /** Shows the oldest prompt, or that there is none. */
  #next(): void {
    const [oldest, following] = this.#open;
    this.#current = oldest ?? null;
    this.#typed = "";
    if (!oldest) {
      if (!this.#isWaiting) this.line.note("Waiting for a prompt …");
      this.#isWaiting = true;
      return;
    }
    this.#isWaiting = false;
    const place = this.#open.length > 1 ? `1 of ${this.#open.length}: ` : "";
    this.line.note("");
    this.line.note(`${place}${oldest.business} asks ${oldest.phone}, ${this.#leftOf(oldest)}`);
    this.line.note(
      `  Pay Ksh${amountText(oldest.amount)}${oldest.reference ? ` for account ${oldest.reference}` : ""}`,
    );
    if (oldest.description) this.line.note(`  ${oldest.description}`);
    if (following) {
      this.line.note(
        `  Next: Ksh${amountText(following.amount)} for ${following.business}, ${this.#leftOf(following)}`,
      );
    }
    this.line.note(`Type the PIN and Enter; ${this.line.isLive ? "Escape" : "c and Enter"} cancels.`);
  }

  #drop(why: string): void {
    this.line.note(why);
    this.#current = null;
  }

  async #answer(body: object): Promise<void> {
    const prompt = this.#current;
    if (!prompt) return;
    this.#current = null; // so that its end is not reported as another client's answer
    this.line.clear();
    const id = prompt.checkout_request_id;
    try {
      const ifLost = { checkWith: commandFor(this.flags, "status", id) };
      const answered = await this.client().post(`/prompts/${encodeURIComponent(id)}/answer`, body, { ifLost });
      const reason = reasonText(answered.transaction as Record<string, unknown>);
      const failed = `✗ ${answered.message}${reason ? `: ${reason}` : ""}`;
      this.line.note(typeof answered.sms === "string" ? `✓ ${answered.sms}` : failed);
    } catch (error) {
      // Another client answered first, or the server is down: the phone continues.
      const { code, message, hint } = toFailure(error);
      if (code === "not_found") this.line.note("That prompt is gone.");
      else if (code === "refused") this.line.note(`That prompt is gone: ${message}`);
      else this.line.note(`The answer may not have arrived: ${message}${hint === null ? "" : ` (${hint})`}`);
    }
    this.#refresh();
  }
}

/** Reads single keys. A terminal that cannot redraw sends whole lines: there, `c` stands for Escape. */

type Key = "enter" | "escape" | "backspace" | "off" | { readonly digit: string };

/** How long a lone Escape waits for the rest of a sequence, such as that of an arrow key. */
const ESCAPE_MS = 50;

/**
 * @param isRaw whether single keys can be read
 * @param onBack called when the process goes on after Ctrl+Z
 */
function openKeyboard(isRaw: boolean, onKey: (key: Key) => void, onBack: () => void) {
  const { stdin } = process;
  const grab = (raw: boolean) => {
    if (isRaw) stdin.setRawMode(raw);
  };
  const read = (text: string | undefined, { name, ctrl }: Pressed) => {
    if (ctrl && name === "z") {
      grab(false);
      process.kill(process.pid, "SIGTSTP");
    } else if (ctrl && (name === "c" || name === "d")) onKey("off");
    else if (name === "return" || name === "enter") onKey("enter");
    else if (name === "escape" || (name === "c" && !isRaw)) onKey("escape");
    else if (name === "backspace") onKey("backspace");
    // With Alt there is no text.
    else if (text !== undefined && /^[0-9]$/.test(text)) onKey({ digit: text });
  };
  const goOn = () => {
    grab(true);
    onBack();
  };
  const off = () => onKey("off");
  process.on("SIGCONT", goOn).on("SIGINT", off);
  grab(true);
  // Its type wants a whole interface of node:readline; it reads this member alone.
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  stdin.on("keypress", read).on("end", off).resume();
  return {
    close(): void {
      grab(false);
      stdin.off("keypress", read).off("end", off).pause();
      process.off("SIGCONT", goOn).off("SIGINT", off);
    },
  };
}
