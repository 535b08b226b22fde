<?php
$http = [
    'method' => 'POST',
    'header' => ['X-API-Key: live_key', 'X-API-Secret: live_secret', 'Content-Type: application/json'],
    'content' => json_encode(['payment_account_id' => 1, 'phone' => '0712345678', 'amount' => 100]),
];
$proxy = parse_url(getenv('HTTPS_PROXY'));
$http['proxy'] = "tcp://$proxy[host]:$proxy[port]";
$http['header'][] = 'Proxy-Authorization: Basic ' . base64_encode("$proxy[user]:$proxy[pass]");
echo file_get_contents('https://payflow.example/api/v2/stkpush.php', false, stream_context_create(['http' => $http])), "\n";
