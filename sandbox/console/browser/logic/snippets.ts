import php from "../snippets/payment.php.txt" with { type: "text" };
import python from "../snippets/payment.py.txt" with { type: "text" };
import curl from "../snippets/payment.sh.txt" with { type: "text" };
import typescript from "../snippets/payment.ts.txt" with { type: "text" };
import type { ServerFacts } from "../wire.ts";
import { quote } from "./commands.ts";

export const LANGUAGES = ["curl", "TypeScript", "PHP", "Python"] as const;

export type Language = (typeof LANGUAGES)[number];

export type SnippetFacts = Pick<ServerFacts, "base_url" | "api_key" | "payment_account_id">;

const TEMPLATES: Readonly<Record<Language, string>> = { curl, TypeScript: typescript, PHP: php, Python: python };

/** Example code of a whole payment: it polls every 3 seconds until the payment is final. */
export function snippet(language: Language, { base_url, api_key, payment_account_id }: SnippetFacts): string {
  return TEMPLATES[language]
    .replaceAll("__BASE_URL__", () => base_url)
    .replaceAll("__API_KEY__", () => api_key ?? "mk_…")
    .replaceAll("__PAYMENT_ACCOUNT_ID__", () => String(payment_account_id ?? 1));
}

/** The shell command that runs the lines after it, up to the end marker. */
const RUNNERS: Readonly<Record<Language, string>> = {
  curl: "bash",
  TypeScript: "node --input-type=module",
  PHP: "php",
  Python: "python3 -",
};

/**
 * The snippet as one text to paste into a terminal. The page never has the secret: the shell reads it from the data directory.
 * @param data the data directory; null if the shell cannot read it
 */
export function paste(language: Language, { data, ...facts }: SnippetFacts & Pick<ServerFacts, "data">): string {
  const secret =
    data === null ? "'ms_…'" : `$(sed -n 's/.*"api_secret": "\\(.*\\)".*/\\1/p' ${quote(`${data}/credentials.json`)})`;
  const lines = snippet(language, facts).trimEnd();
  return `export MOMO_API_SECRET=${secret}\n${RUNNERS[language]} <<'MOMO'\n${lines}\nMOMO\n`;
}
