import php from "../snippets/payment.php.txt" with { type: "text" };
import python from "../snippets/payment.py.txt" with { type: "text" };
import curl from "../snippets/payment.sh.txt" with { type: "text" };
import typescript from "../snippets/payment.ts.txt" with { type: "text" };
import type { ServerFacts } from "../wire.ts";

export const LANGUAGES = ["curl", "TypeScript", "PHP", "Python"] as const;

export type Language = (typeof LANGUAGES)[number];

/** What a snippet is filled in with. */
export type SnippetFacts = Pick<ServerFacts, "base_url" | "api_key" | "payment_account_id">;

/** How a shell comes to know the secret, which no page can show again. */
export const SECRET_LINE = "export MOMO_API_SECRET='ms_…'";

const TEMPLATES: Readonly<Record<Language, string>> = { curl, TypeScript: typescript, PHP: php, Python: python };

/** A payment from its start to its end, to begin with: it asks every 3 seconds, and reads a status as what it says. */
export function snippet(language: Language, { base_url, api_key, payment_account_id }: SnippetFacts): string {
  return TEMPLATES[language]
    .replaceAll("__BASE_URL__", () => base_url)
    .replaceAll("__API_KEY__", () => api_key ?? "mk_…")
    .replaceAll("__PAYMENT_ACCOUNT_ID__", () => String(payment_account_id ?? 1));
}
