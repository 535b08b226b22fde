/** The control API of a sandbox that this process has started. */

type Answer = Record<string, unknown>;

export type ControlClient = ReturnType<typeof connect>;

export function connect(controlUrl: string) {
  return {
    /** @throws Error in the words of the sandbox, if it refuses */
    async send(method: string, path: string, body?: object): Promise<Answer> {
      const response = await fetch(controlUrl + path, {
        method,
        ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
      }).catch((error: unknown) => {
        throw new Error(`the sandbox at ${controlUrl} does not answer: was it stopped?`, { cause: error });
      });
      const answer = (await response.json()) as Answer;
      if (!response.ok) throw new Error(String(answer.message));
      return answer;
    },
  };
}

/** A whole list, page by page, oldest first. */
export async function readPages<T extends { readonly id: number }>(
  { send }: ControlClient,
  path: string,
  name: string,
): Promise<T[]> {
  const entries: T[] = [];
  for (;;) {
    const [oldest] = entries;
    const answer = await send("GET", oldest ? `${path}?before=${oldest.id}` : path);
    entries.unshift(...(answer[name] as T[]));
    if (answer.next === null) return entries;
  }
}
