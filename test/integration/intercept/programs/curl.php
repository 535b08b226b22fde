<?php
$call = curl_init('https://payflow.example/api/v2/stkpush.php');
curl_setopt_array($call, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['X-API-Key: live_key', 'X-API-Secret: live_secret', 'Content-Type: application/json'],
    CURLOPT_POSTFIELDS => json_encode(['payment_account_id' => 1, 'phone' => '0712345678', 'amount' => 100]),
]);
echo curl_exec($call), curl_error($call), "\n";
