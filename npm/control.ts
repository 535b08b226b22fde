import { send as sendHttp } from "./http.ts";
import type { Issue } from "./records.ts";
import type { Refusal } from "./test-sandbox.ts";

/** The control API of one sandbox. */
export interface Control {
  /**
   * @returns an answer of the type that the control API has for this call
   * @throws Refusal if the sandbox refuses
   */
  send<T extends object>(method: string, path: string, body?: object): Promise<T>;
  /** A whole list, page by page, oldest first. */
  list<T extends { readonly id: number }>(path: string, name: string): Promise<T[]>;
}

export interface ControlAddress {
  readonly url: string;
  /** Those of each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the server has ended: then its port may belong to another. Null while it runs, or if nobody knows. */
  readonly ending: () => string | null;
}

interface Message {
  readonly message: string;
  readonly issues?: readonly Issue[];
}

const UNAUTHORIZED = 401;

/** Another server than the one that the headers name has this address now. */
const MISDIRECTED = 421;

export function controlAt({ url, headers, ending }: ControlAddress): Control {
  const lost = (reason: string, cause?: unknown) => new Error(`the sandbox at ${url} ${reason}`, { cause });

  async function send<T extends object>(method: string, path: string, body?: object): Promise<T> {
    const ended = ending();
    if (ended !== null) throw lost(ended);
    const content = body && { body: JSON.stringify(body) };
    const type = body && { "Content-Type": "application/json" };
    const request = { method, url: url + path, headers: { ...headers, ...type }, ...content };
    const { status, text } = await sendHttp(request).catch((error: Error) => {
      throw lost(ending() ?? `cannot be reached: ${error.message}`, error);
    });
    const answer = parse<T & Message>(text);
    if (answer === null) throw lost(`answered ${status}, without JSON: is this its control API?`);
    if (status === UNAUTHORIZED) throw lost(`refuses the token of MOMO_CONTROL_TOKEN: ${answer.message}`);
    if (status === MISDIRECTED) throw lost(`is another one now: ${answer.message}`);
    if (status !== 200) throw refusalOf(status, answer);
    return answer;
  }

  async function list<T extends { readonly id: number }>(path: string, name: string): Promise<T[]> {
    const entries: T[] = [];
    for (;;) {
      const [oldest] = entries;
      const answer = await send<Record<string, unknown>>("GET", oldest ? `${path}?before=${oldest.id}` : path);
      entries.unshift(...(answer[name] as T[]));
      if (answer.next === null) return entries;
    }
  }

  return { send, list };
}

/** @param issues absent in the answer of an older server */
const refusalOf = (status: number, { message, issues = [] }: Message): Refusal =>
  Object.assign(new Error(message), { status, issues });

function parse<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}
