import type { ServerFacts } from "../wire.ts";
import { secretFrom } from "./shell.ts";

export const LANGUAGES = ["curl", "TypeScript", "PHP", "Python"] as const;

export type Language = (typeof LANGUAGES)[number];

export type SnippetFacts = Pick<ServerFacts, "base_url" | "api_key" | "payment_account_id" | "data">;

/** Example code that starts a payment, as one text to paste into a terminal. The page never has the secret. */
export function paste(language: Language, { base_url, api_key, payment_account_id, data }: SnippetFacts): string {
  const lines = EXAMPLES[language](base_url, api_key ?? "mk_…", payment_account_id ?? 1);
  const secret = data === null ? "'ms_…'" : secretFrom(data, "credentials", "api_secret");
  const runner = RUNNERS[language];
  return `export MOMO_API_SECRET=${secret}\n${runner === null ? lines : `${runner} <<'MOMO'\n${lines}MOMO\n`}`;
}

/** The shell command that runs the lines after it, up to the end marker; null if the shell runs them. */
const RUNNERS: Readonly<Record<Language, string | null>> = {
  curl: null,
  TypeScript: "node --input-type=module",
  PHP: "php",
  Python: "python3 -",
};

/** In plain strings, because it is not the environment or the output of this program (test/tidy/tidy.test.ts). */
const NODE = { secret: "process.env.MOMO_API_SECRET", print: "console.log" };

const EXAMPLES: Readonly<Record<Language, (baseUrl: string, apiKey: string, account: number) => string>> = {
  curl: (baseUrl, apiKey, account) => `curl -s ${baseUrl}/stkpush.php -H "Content-Type: application/json" \\
  -H "X-API-Key: ${apiKey}" -H "X-API-Secret: $MOMO_API_SECRET" \\
  -d '{"payment_account_id": ${account}, "phone": "0712345678", "amount": 100, "reference": "ORDER-0001"}'
`,
  TypeScript: (baseUrl, apiKey, account) => `const response = await fetch("${baseUrl}/stkpush.php", {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "X-API-Key": "${apiKey}",
    "X-API-Secret": ${NODE.secret} ?? "",
  },
  body: JSON.stringify({ payment_account_id: ${account}, phone: "0712345678", amount: 100, reference: "ORDER-0001" }),
});
${NODE.print}(await response.text());
`,
  PHP: (baseUrl, apiKey, account) => `<?php
$request = ['payment_account_id' => ${account}, 'phone' => '0712345678', 'amount' => 100, 'reference' => 'ORDER-0001'];
$headers = ['Content-Type: application/json', 'X-API-Key: ${apiKey}', 'X-API-Secret: ' . getenv('MOMO_API_SECRET')];
$options = ['method' => 'POST', 'header' => $headers, 'content' => json_encode($request), 'ignore_errors' => true];
echo file_get_contents('${baseUrl}/stkpush.php', false, stream_context_create(['http' => $options]));
`,
  Python(baseUrl, apiKey, account) {
    const { protocol, host, pathname } = new URL(baseUrl);
    return `import http.client, json, os

body = {"payment_account_id": ${account}, "phone": "0712345678", "amount": 100, "reference": "ORDER-0001"}
headers = {"Content-Type": "application/json", "X-API-Key": "${apiKey}", "X-API-Secret": os.environ["MOMO_API_SECRET"]}
server = http.client.${protocol === "https:" ? "HTTPSConnection" : "HTTPConnection"}("${host}")
server.request("POST", "${pathname}/stkpush.php", json.dumps(body), headers)
print(server.getresponse().read().decode())
`;
  },
};
