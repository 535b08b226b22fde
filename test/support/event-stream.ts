import { createParser } from "eventsource-parser";
import { inTime } from "./waiting.ts";

/** More than any test needs: a server that repeats one event must not keep a test busy until its time-out. */
const MOST_EVENTS = 50_000;

interface ReceivedEvent {
  readonly name: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** A client's side of a stream of server-sent events. */
export interface EventStream {
  readonly events: readonly ReceivedEvent[];
  readonly comments: string[];
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>;
  /** Reads until there are `enough` events, or until `enough` returns true. @returns all events so far */
  until(enough: number | ((events: readonly ReceivedEvent[]) => boolean)): Promise<ReceivedEvent[]>;
  leave(): Promise<void>;
}

export const isSteering = ({ name }: ReceivedEvent): boolean => name === "steering";

export function readEvents(response: Response): EventStream {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const events: ReceivedEvent[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: ({ event = "", id = "", data }) =>
      void events.push({ name: event, id, data: JSON.parse(data) as Record<string, unknown> }),
    onComment: (comment) => void comments.push(comment),
  });

  /** @returns whether there was more */
  async function readOn(): Promise<boolean> {
    const last = events.slice(-20);
    const told = last.map(({ name, id }) => `${name} ${id}`).join(", ");
    if (events.length > MOST_EVENTS) throw new Error(`more than ${MOST_EVENTS} events came, the last: ${told}`);
    const { value, done } = await inTime(reader.read(), () => `no event came after: ${told || "none"}`);
    if (value) parser.feed(decoder.decode(value, { stream: true }));
    return !done;
  }

  return {
    events,
    comments,
    get ended() {
      return (async () => {
        while (await readOn());
      })();
    },
    async until(enough) {
      const isEnough = typeof enough === "number" ? () => events.length >= enough : enough;
      while (!isEnough(events)) {
        if (!(await readOn())) throw new Error(`the stream ended after ${events.length} events`);
      }
      return events;
    },
    leave: () => reader.cancel(),
  };
}
