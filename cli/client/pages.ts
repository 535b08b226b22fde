import type { Client } from "./client.ts";

/** A whole list, page by page. */
export async function readPages<T extends { readonly id: number }>(
  control: Client,
  path: string,
  name: string,
): Promise<T[]> {
  const entries: T[] = [];
  for (;;) {
    const [oldest] = entries;
    const answer = await control.get(path, oldest ? { before: String(oldest.id) } : {});
    entries.unshift(...(answer[name] as T[]));
    if (answer.next === null) return entries;
  }
}
