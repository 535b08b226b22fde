import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../support/cleanup.ts";
import { type RunOptions, runMomo } from "../../support/momo.ts";
import { findProgram } from "../../support/needs.ts";
import { python } from "../../support/python.ts";

/**
 * Programs that start a payment, each in the way of its language, with the address of a service in their source. Those that
 * import packages are files in programs/, beside them.
 */

const SERVICE = "https://payflow.example/api/v2/stkpush.php";
/** The same in JSON and Python. */
const ORDER = `{"payment_account_id": 1, "phone": "0712345678", "amount": 100}`;

const SOURCES: Readonly<Record<string, string>> = {
  "fetch.mjs": `const response = await fetch("${SERVICE}", {
  method: "POST",
  headers: { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" },
  body: JSON.stringify(${ORDER}),
});
console.log(JSON.stringify(await response.json()));`,
  "https.mjs": `import { request } from "node:https";

const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };
const call = request("${SERVICE}", { method: "POST", headers }, async (response) => {
  let text = "";
  for await (const chunk of response) text += chunk;
  console.log(text);
});
call.end(JSON.stringify(${ORDER}));`,
  "curl.sh": String.raw`exec curl -sS ${SERVICE} \
  -H "X-API-Key: live_key" -H "X-API-Secret: live_secret" -H "Content-Type: application/json" \
  -d '${ORDER}'`,
  "urllib_client.py": `import json
import urllib.request

call = urllib.request.Request(
    "${SERVICE}",
    data=json.dumps(${ORDER}).encode(),
    headers={"X-API-Key": "live_key", "X-API-Secret": "live_secret", "Content-Type": "application/json"},
)
print(urllib.request.urlopen(call).read().decode())`,
  "requests_client.py": `import requests

answer = requests.post(
    "${SERVICE}",
    json=${ORDER},
    headers={"X-API-Key": "live_key", "X-API-Secret": "live_secret"},
)
print(answer.text)`,
  "aiohttp_client.py": `import asyncio

import aiohttp


async def pay():
    async with aiohttp.ClientSession(trust_env=True) as session:
        call = session.post(
            "${SERVICE}",
            json=${ORDER},
            headers={"X-API-Key": "live_key", "X-API-Secret": "live_secret"},
        )
        async with call as answer:
            print(await answer.text())


asyncio.run(pay())`,
  "urllib3_client.py": `import json
import os

import urllib3

proxy = os.environ["HTTPS_PROXY"]
auth = urllib3.make_headers(proxy_basic_auth=urllib3.util.parse_url(proxy).auth)
http = urllib3.ProxyManager(proxy, proxy_headers=auth, ca_certs=os.environ["SSL_CERT_FILE"])
answer = http.request(
    "POST",
    "${SERVICE}",
    body=json.dumps(${ORDER}),
    headers={"X-API-Key": "live_key", "X-API-Secret": "live_secret", "Content-Type": "application/json"},
)
print(answer.data.decode())`,
  "streams.php": String.raw`<?php
$http = [
    'method' => 'POST',
    'header' => ['X-API-Key: live_key', 'X-API-Secret: live_secret', 'Content-Type: application/json'],
    'content' => json_encode(['payment_account_id' => 1, 'phone' => '0712345678', 'amount' => 100]),
];
$proxy = parse_url(getenv('HTTPS_PROXY'));
$http['proxy'] = "tcp://$proxy[host]:$proxy[port]";
$http['header'][] = 'Proxy-Authorization: Basic ' . base64_encode("$proxy[user]:$proxy[pass]");
echo file_get_contents('${SERVICE}', false, stream_context_create(['http' => $http])), "\n";`,
  "wget.sh": String.raw`exec wget -q -O - ${SERVICE} \
  --header="X-API-Key: live_key" --header="X-API-Secret: live_secret" --header="Content-Type: application/json" \
  --post-data='${ORDER}'`,
  "lwp.pl": `use LWP::UserAgent;

my $answer = LWP::UserAgent->new->post(
    "${SERVICE}",
    "X-API-Key"    => "live_key",
    "X-API-Secret" => "live_secret",
    "Content-Type" => "application/json",
    Content        => '${ORDER}',
);
$answer->is_success or die $answer->as_string;
print $answer->decoded_content;`,
  "curl.php": `<?php
$call = curl_init('${SERVICE}');
curl_setopt_array($call, [
    CURLOPT_HTTPHEADER => ['X-API-Key: live_key', 'X-API-Secret: live_secret', 'Content-Type: application/json'],
    CURLOPT_POSTFIELDS => json_encode(['payment_account_id' => 1, 'phone' => '0712345678', 'amount' => 100]),
]);
curl_exec($call) || exit(fwrite(STDERR, curl_error($call)));`,
};

export const PYTHON = findProgram("python3") ? python() : "python3";

/** Commands that `momo exec --intercept` runs, and the parts of a call that one of them makes. */

export const intercept = (command: readonly string[], options?: RunOptions) =>
  runMomo(["exec", "--intercept", "payflow.example", "--", ...command], options);
export const sh = (script: string, options?: RunOptions) => intercept(["sh", "-c", script], options);

export const PUSH = `curl -sS https://payflow.example/api/v2/stkpush.php -H "Content-Type: application/json" \
  -d '{"payment_account_id": 1, "phone": "0712345678", "amount": 100, "reference": "ORDER-1"}'`;
export const KEY = `-H "X-API-Key: live_key_of_a_shop"`;
export const SECRET = `-H "X-API-Secret: live_secret_of_a_shop"`;

/** Writes a program of SOURCES, perhaps with another address in it. @returns its path */
export function writeProgram(file: string, url = SERVICE): string {
  const path = join(newFolder(), file);
  writeFileSync(path, SOURCES[file]?.replaceAll(SERVICE, url) ?? "");
  return path;
}

/** Runs a program unchanged, and expects that its payment is accepted. @param line a program of SOURCES, or a file of programs/ and its arguments */
export async function expectToPay(command: readonly string[], line: string): Promise<void> {
  const [file = "", ...args] = line.split(" ");
  const path = file in SOURCES ? writeProgram(file) : join(import.meta.dir, "programs", file);
  expect(await intercept([...command, path, ...args])).toEqual({
    stdout: expect.stringMatching(/^\{"success":true,.*"checkout_request_id":"ws_CO_/),
    stderr: "",
    exitCode: 0,
  });
}
