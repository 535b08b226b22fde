import { createParser } from "eventsource-parser";
import type { Told } from "../../support/shop-receiver.ts";

/** A listener to the events of each replica, which counts how often each payment ended. */
export function openListeners() {
  const ended = new Map<number, number>();
  let gaps = 0;
  async function read(controlUrl: string): Promise<void> {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === "gap") gaps += 1;
        if (event !== "transaction") return;
        const { id, status } = JSON.parse(data) as { id: number; status: string };
        if (status !== "pending") ended.set(id, (ended.get(id) ?? 0) + 1);
      },
    });
    const { body } = await fetch(`${controlUrl}/events`);
    for await (const part of body ?? []) parser.feed(decoder.decode(part, { stream: true }));
  }
  return {
    /** Listens until the replica ends. */
    listen: (controlUrl: string): void => void read(controlUrl).catch(() => {}), // it was killed
    get gaps() {
      return gaps;
    },
    told(ids: readonly number[]): Told {
      const times = ids.map((id) => ended.get(id) ?? 0);
      const [once, never] = [times.filter((n) => n === 1).length, times.filter((n) => n === 0).length];
      return { once, more: ids.length - once - never, never };
    },
  };
}
