import php from "../snippets/payment.php.txt" with { type: "text" };
import python from "../snippets/payment.py.txt" with { type: "text" };
import curl from "../snippets/payment.sh.txt" with { type: "text" };
import typescript from "../snippets/payment.ts.txt" with { type: "text" };
import type { ServerFacts } from "../wire.ts";
import { secretFrom } from "./commands.ts";

export const LANGUAGES = ["curl", "TypeScript", "PHP", "Python"] as const;

export type Language = (typeof LANGUAGES)[number];

export type SnippetFacts = Pick<ServerFacts, "base_url" | "api_key" | "payment_account_id" | "data">;

/** Each example, and the shell command that runs the lines after it, up to the end marker; null if the shell runs them. */
const EXAMPLES: Readonly<Record<Language, readonly [template: string, runner: string | null]>> = {
  curl: [curl, null],
  TypeScript: [typescript, "node --input-type=module"],
  PHP: [php, "php"],
  Python: [python, "python3 -"],
};

/** Example code that starts a payment, as one text to paste into a terminal. The page never has the secret. */
export function paste(language: Language, { base_url, api_key, payment_account_id, data }: SnippetFacts): string {
  const [template, runner] = EXAMPLES[language];
  const { protocol, host, pathname } = new URL(base_url);
  const values = {
    BASE_URL: base_url,
    CONNECTION: protocol === "https:" ? "HTTPSConnection" : "HTTPConnection",
    HOST: host,
    PATH: pathname,
    API_KEY: api_key ?? "mk_…",
    PAYMENT_ACCOUNT_ID: String(payment_account_id ?? 1),
  };
  const lines = template.replaceAll(/__([A-Z_]+)__/g, (_, name: keyof typeof values) => values[name]);
  const secret = data === null ? "'ms_…'" : secretFrom(data, "credentials", "api_secret");
  return `export MOMO_API_SECRET=${secret}\n${runner === null ? lines : `${runner} <<'MOMO'\n${lines}MOMO\n`}`;
}
