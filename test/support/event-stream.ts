import { createParser } from "eventsource-parser";

/** A client's side of a stream of server-sent events. */
export interface EventStream {
  readonly events: { readonly name: string; readonly id: string; readonly data: Record<string, unknown> }[];
  readonly comments: string[];
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>;
  /** Reads until `enough` says so. */
  until(enough: () => boolean): Promise<void>;
  /** Goes away. */
  leave(): Promise<void>;
}

export function readEvents(response: Response): EventStream {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const events: EventStream["events"] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: ({ event = "", id = "", data }) =>
      void events.push({ name: event, id, data: JSON.parse(data) as Record<string, unknown> }),
    onComment: (comment) => void comments.push(comment),
  });

  /** @returns whether there was more */
  async function readOn(): Promise<boolean> {
    const { value, done } = await reader.read();
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
      while (!enough()) if (!(await readOn())) throw new Error(`the stream ended after ${events.length} events`);
    },
    leave: () => reader.cancel(),
  };
}
