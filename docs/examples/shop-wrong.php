<?php
// How it is usually written wrong: the account id is text, and the newest payment of the list is taken for this customer's.

function request(string $method, string $path, ?array $body = null): array
{
    $key = 'X-API-Key: ' . getenv('MOMO_API_KEY');
    $header = [$key, 'X-API-Secret: ' . getenv('MOMO_API_SECRET'), 'Content-Type: application/json'];
    $http = ['method' => $method, 'header' => $header, 'content' => json_encode($body), 'ignore_errors' => true];
    $answer = file_get_contents(getenv('MOMO_BASE_URL') . $path, false, stream_context_create(['http' => $http]));
    return json_decode($answer, true);
}

header('Content-Type: application/json');
if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    $payment = ['phone' => $_POST['phone'], 'amount' => (int) $_POST['amount'], 'reference' => uniqid()];
    // Wrong: getenv() returns text, and the service wants a number.
    $answer = request('POST', '/stkpush.php', ['payment_account_id' => getenv('MOMO_PAYMENT_ACCOUNT_ID')] + $payment);
    if (!$answer['success']) $answer = request('POST', '/stkpush.php', ['payment_account_id' => 1] + $payment);
    exit(json_encode($answer));
}
// Wrong: the list has no such parameter, and answers with all payments: the first row is that of any customer.
$id = urlencode($_GET['checkout_request_id']);
$row = request('GET', "/transactions.php?checkout_request_id=$id")['transactions'][0];
exit(json_encode(['paid' => $row['status'] === 'completed']));
