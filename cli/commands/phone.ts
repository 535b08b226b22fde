import { Command } from "commander";
import type { promptView } from "../../sandbox/control/prompt-view.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { sleep, systemClock } from "../../src/system.ts";
import { timeIn } from "../client/beside.ts";
import { type Answer, controlClient, openEvents } from "../client/client.ts";
import { followEvents, type SandboxEvent } from "../client/follow.ts";
import { resolveControl, type TargetFlags } from "../client/target.ts";
import { isAttended } from "../terminal/ask.ts";
import { EXIT, Failure, toFailure } from "../terminal/failure.ts";
import { type Key, openKeyboard } from "../terminal/keyboard.ts";
import { controlOptions } from "../terminal/options.ts";
import { amountText, reasonText } from "../terminal/payment-lines.ts";
import { openStatusLine } from "../terminal/status-line.ts";
import { readTypedPhone } from "../terminal/typed-phone.ts";
import { countdown } from "../terminal/watch.ts";

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
  const target = () => resolveControl(flags);
  const first = await openEvents(target());
  const handset = createHandset(owner, () => controlClient(target()));
  const off = new AbortController();
  const keyboard = openKeyboard((key) => (key === "off" ? off.abort() : handset.press(key)), handset.show);
  handset.note(`Phone ${owner ?? "of every customer"}. Ctrl+C switches it off.`);
  void followEvents(target, first, handset.hear, off.signal);
  while (!off.signal.aborted) {
    handset.show();
    await sleep(1000, off.signal);
  }
  keyboard.close();
  handset.clear();
  handset.note("Switched off.");
  process.exit(EXIT.done);
}

/** A prompt as the control API shows it. */
type OpenPrompt = ReturnType<typeof promptView>;

/** The phone's screen and its one state: the prompts that are open, the one that is shown, and the digits typed so far. */
function createHandset(owner: string | null, client: () => ReturnType<typeof controlClient>) {
  const line = openStatusLine();
  let open: readonly OpenPrompt[] = [];
  let current: OpenPrompt | null = null;
  let typed = "";
  let isWaiting = false;
  let isConnected = true;
  let time = { aheadMs: 0, isFrozen: false };
  /** Looks run one after another, so that an old answer never replaces a newer one. */
  let looking: Promise<void> = Promise.resolve();

  const leftOf = ({ expires_at_ms }: OpenPrompt) =>
    time.isFrozen ? "the clock stands still" : `${countdown(expires_at_ms - systemClock.nowMs() - time.aheadMs)} left`;

  function look(): void {
    looking = looking.then(lookNow).catch(() => {}); // a server that has gone is told by the stream
  }

  async function lookNow(): Promise<void> {
    const [answer, clock] = await Promise.all([
      client().get("/prompts", owner === null ? {} : { phone: owner }),
      client().get("/clock", {}),
    ]);
    const { nowMs, isFrozen } = timeIn(clock, systemClock.nowMs());
    time = { aheadMs: nowMs - systemClock.nowMs(), isFrozen };
    open = (answer as Answer & { prompts: OpenPrompt[] }).prompts;
    const id = current?.checkout_request_id;
    if (current && !open.some(({ checkout_request_id }) => checkout_request_id === id)) drop("That prompt is gone.");
    if (!current) next();
    show();
  }

  /** Shows the oldest prompt, or that there is none. */
  function next(): void {
    const [oldest, following] = open;
    current = oldest ?? null;
    typed = "";
    if (!oldest) {
      if (!isWaiting) line.note("Waiting for a prompt …");
      isWaiting = true;
      return;
    }
    isWaiting = false;
    const place = open.length > 1 ? `1 of ${open.length}: ` : "";
    line.note("");
    line.note(`${place}${oldest.business} asks ${oldest.phone}, ${leftOf(oldest)}`);
    line.note(`  Pay Ksh${amountText(oldest.amount)}${oldest.reference ? ` for account ${oldest.reference}` : ""}`);
    if (oldest.description) line.note(`  ${oldest.description}`);
    if (following) {
      line.note(`  Next: Ksh${amountText(following.amount)} for ${following.business}, ${leftOf(following)}`);
    }
    if (!line.isLive) line.note("Type the PIN and Enter; c and Enter cancels.");
  }

  function drop(why: string): void {
    line.note(why);
    current = null;
  }

  function show(): void {
    if (!isConnected) line.show("The server has gone; waiting for it …");
    else if (!current) line.show("");
    else line.show(`M-PIN ${"•".repeat(typed.length).padEnd(6)}  ${leftOf(current)}  Enter sends, Escape cancels`);
  }

  async function answer(body: object): Promise<void> {
    const prompt = current;
    if (!prompt) return;
    current = null; // so that its own end is not told as somebody else's
    line.clear();
    const id = prompt.checkout_request_id;
    try {
      const answered = await client().post(`/prompts/${encodeURIComponent(id)}/answer`, body, {
        lookWith: `momo status ${id}`,
      });
      const transaction = answered.transaction as Record<string, unknown>;
      const reason = reasonText(transaction);
      line.note(
        typeof answered.sms === "string" ? `✓ ${answered.sms}` : `✗ ${answered.message}${reason ? `: ${reason}` : ""}`,
      );
    } catch (error) {
      // Somebody else was faster, or the server has gone: the phone lives on.
      const { code, message } = toFailure(error);
      line.note(code === "not_found" ? "That prompt is gone." : `That prompt is gone: ${message}`);
    }
    look();
  }

  return {
    show,
    note: line.note,
    clear: line.clear,
    press(key: Key): void {
      if (!current) return;
      if (key === "escape") void answer({ outcome: "cancelled" });
      else if (key === "backspace") typed = typed.slice(0, -1);
      else if (key === "enter" && typed.length >= 4) void answer({ pin: typed });
      else if (key === "enter") line.note("A PIN has 4 to 6 digits; 0000 is the wrong one.");
      else if (typeof key === "object" && typed.length < 6) typed += key.digit;
      show();
    },
    hear({ name, data }: SandboxEvent): void {
      if (name === "lost") {
        isConnected = false;
        if (current) drop("That prompt is gone: the server has gone.");
        line.note("The server has gone; waiting for it …");
        isWaiting = false;
      }
      if (name === "connected") isConnected = true;
      const { checkout_request_id, status } = data;
      if (name === "transaction" && status !== "pending" && checkout_request_id === current?.checkout_request_id) {
        const reason = reasonText(data);
        if (status === "expired") drop("The prompt has expired: nobody answered in time.");
        else drop(`Too late: the payment is ${status}${reason ? `, ${reason}` : ""}.`);
      }
      if (["connected", "transaction", "steering", "gap"].includes(name)) look();
      show();
    },
  };
}
