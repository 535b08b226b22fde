/**
 * Programs that start a payment, each in the way of its language, with the address of a service in their source. Those in JavaScript
 * are files in programs/: they import packages beside them.
 */

const SERVICE = "https://payflow.example/api/v2/stkpush.php";
/** The same in JSON and Python. */
const ORDER = `{"payment_account_id": 1, "phone": "0712345678", "amount": 100}`;

export const SOURCES: Readonly<Record<string, string>> = {
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
  "lwp.pl": String.raw`use LWP::UserAgent;

my $answer = LWP::UserAgent->new->post(
    "${SERVICE}",
    "X-API-Key"    => "live_key",
    "X-API-Secret" => "live_secret",
    "Content-Type" => "application/json",
    Content        => '${ORDER}',
);
print $answer->decoded_content, "\n";`,
  "curl.php": String.raw`<?php
$call = curl_init('${SERVICE}');
curl_setopt_array($call, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['X-API-Key: live_key', 'X-API-Secret: live_secret', 'Content-Type: application/json'],
    CURLOPT_POSTFIELDS => json_encode(['payment_account_id' => 1, 'phone' => '0712345678', 'amount' => 100]),
]);
echo curl_exec($call), curl_error($call), "\n";`,
};
