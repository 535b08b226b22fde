import type { ServerFacts } from "../wire.ts";
import { quote } from "./commands.ts";

export const LANGUAGES = ["curl", "TypeScript", "PHP", "Python"] as const;

export type Language = (typeof LANGUAGES)[number];

/** What a snippet is filled in with. */
export type SnippetFacts = Pick<ServerFacts, "base_url" | "api_key" | "payment_account_id">;

/** How a shell comes to know the secret, which no page can show again. */
export const secretLine = "export MOMO_API_SECRET='ms_…'";

/** A payment from its start to its end, to begin with: it asks every 3 seconds, and reads a status as what it says. */
export function snippet(language: Language, facts: SnippetFacts): string {
  switch (language) {
    case "curl":
      return curlSnippet(facts);
    case "TypeScript":
      return typescriptSnippet(facts);
    case "PHP":
      return phpSnippet(facts);
    case "Python":
      return pythonSnippet(facts);
  }
}

function curlSnippet({ base_url, api_key, payment_account_id }: SnippetFacts): string {
  return `BASE_URL=${quote(base_url)}
call() {
  curl -s "$BASE_URL/$1" -d "$2" -H "Content-Type: application/json" \\
    -H "X-API-Key: ${api_key}" -H "X-API-Secret: $MOMO_API_SECRET"
}

started=$(call stkpush.php '{"payment_account_id": ${payment_account_id}, "phone": "0712345678", "amount": 100, "reference": "ORDER-1"}')
checkout_id=$(echo "$started" | sed -n 's/.*"checkout_request_id":"\\([^"]*\\)".*/\\1/p')
test -n "$checkout_id" || { echo "$started"; exit 1; }

status=pending
while [ "$status" = pending ]; do
  sleep 3
  answer=$(call status.php "{\\"checkout_request_id\\": \\"$checkout_id\\"}")
  status=$(echo "$answer" | sed -n 's/.*"status":"\\([^"]*\\)".*/\\1/p')
done
echo "$status"
`;
}

function typescriptSnippet({ base_url, api_key, payment_account_id }: SnippetFacts): string {
  return `const baseUrl = ${JSON.stringify(base_url)};
const headers = {
  "Content-Type": "application/json",
  "X-API-Key": ${JSON.stringify(api_key)},
  "X-API-Secret": process.env.MOMO_API_SECRET ?? "",
};

async function call(path: string, body: object) {
  const response = await fetch(\`\${baseUrl}/\${path}\`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

const { checkout_request_id } = await call("stkpush.php", {
  payment_account_id: ${payment_account_id},
  phone: "0712345678",
  amount: 100,
  reference: "ORDER-1",
});

let payment: { status: string; result_desc?: string };
do {
  await new Promise((resolve) => setTimeout(resolve, 3000));
  payment = await call("status.php", { checkout_request_id });
} while (payment.status === "pending");

console.log(payment.status);
`;
}

function phpSnippet({ base_url, api_key, payment_account_id }: SnippetFacts): string {
  return `<?php
const BASE_URL = ${phpText(base_url)};

function call(string $path, array $body): array {
    $request = curl_init(BASE_URL . '/' . $path);
    curl_setopt_array($request, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_POSTFIELDS => json_encode($body),
        CURLOPT_HTTPHEADER => [
            'Content-Type: application/json',
            'X-API-Key: ' . ${phpText(api_key)},
            'X-API-Secret: ' . getenv('MOMO_API_SECRET'),
        ],
    ]);
    $answer = json_decode(curl_exec($request), true);
    if (!$answer['success']) {
        throw new RuntimeException($answer['message']);
    }
    return $answer;
}

$started = call('stkpush.php', [
    'payment_account_id' => ${payment_account_id},
    'phone' => '0712345678',
    'amount' => 100,
    'reference' => 'ORDER-1',
]);

do {
    sleep(3);
    $payment = call('status.php', ['checkout_request_id' => $started['checkout_request_id']]);
} while ($payment['status'] === 'pending');

echo $payment['status'], PHP_EOL;
`;
}

function pythonSnippet({ base_url, api_key, payment_account_id }: SnippetFacts): string {
  return `import json, os, time, urllib.request

BASE_URL = ${JSON.stringify(base_url)}


def call(path, body):
    request = urllib.request.Request(
        f"{BASE_URL}/{path}",
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "X-API-Key": ${JSON.stringify(api_key)},
            "X-API-Secret": os.environ["MOMO_API_SECRET"],
        },
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


started = call("stkpush.php", {
    "payment_account_id": ${payment_account_id},
    "phone": "0712345678",
    "amount": 100,
    "reference": "ORDER-1",
})

payment = {"status": "pending"}
while payment["status"] == "pending":
    time.sleep(3)
    payment = call("status.php", {"checkout_request_id": started["checkout_request_id"]})

print(payment["status"])
`;
}

const phpText = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
