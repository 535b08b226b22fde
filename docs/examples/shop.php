<?php
// A shop in plain PHP. momo client php > client.php; php -S 127.0.0.1:3000 shop.php; every minute a cron: php shop.php
require __DIR__ . '/client.php';

$folder = getenv('MOMO_ORDERS') ?: __DIR__ . '/orders';
$store = new Momo\FileStore($folder);
$account = (int) getenv('MOMO_PAYMENT_ACCOUNT_ID');
$keys = [getenv('MOMO_BASE_URL'), getenv('MOMO_API_KEY'), getenv('MOMO_API_SECRET')];
$momo = new Momo\Client(...$keys, paymentAccountId: $account, store: $store, settle: settle(...));

// Yours: a table of your database. The price never comes from the browser.
const PRICES = ['order1001' => 100, 'order1002' => 250];

const UNPAID = [
    'failed' => 'The payment failed. Nothing was paid.',
    'cancelled' => 'You cancelled. Nothing was paid.',
    'expired' => 'Nobody entered a PIN in time. Nothing was paid.',
    'not_started' => 'The payment could not be started. Nothing was paid.',
];
const TEXTS = UNPAID + [
    'pending' => 'Look at your phone, and enter your PIN.',
    'unknown' => 'We do not know yet whether you have paid. Please do not pay again: this page will say it.',
    'completed' => 'Thank you. You have paid.',
];

/** The reference of the last try; of the next one, if that ended unpaid and the customer tries again. */
function referenceOf(string $id, bool $triesAgain): string
{
    global $store;
    $number = 1;
    $name = strtolower($id); // as the client stores it
    while ($store->get("$name-" . ($number + 1))) $number += 1;
    $try = "$name-$number";
    $end = $store->get("$try~ended") ?? $store->get("$try~accepted") ?? $store->get("$try~not_started");
    return "$id-" . ($triesAgain && $end && isset(UNPAID[$end['status']]) ? $number + 1 : $number);
}

/**
 * Books a paid order once. The client calls it until it has returned; calls can overlap. In a database, one transaction:
 * UPDATE orders SET paid = 1 WHERE id = ? AND paid = 0, and if that changes a row, INSERT what is to deliver. Here, the file is both.
 */
function settle(array $order): void
{
    global $folder;
    if ($order['status'] !== 'completed') return;
    $id = preg_replace('/-\d+$/', '', $order['reference']);
    if (@fopen("$folder/$id.delivered", 'x')) error_log("deliver $id, receipt $order[receipt]");
    elseif (!file_exists("$folder/$id.delivered")) throw new RuntimeException("$folder/$id.delivered cannot be written");
}

/** What the page shows. While it is not final, the page asks again after 5 s. */
function show(int $status, array $answer): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    exit(json_encode($answer));
}

if (PHP_SAPI === 'cli') { // the cron: the customer may have closed the page
    foreach ($momo->open() as $order) {
        try {
            $momo->ask($order['reference']);
        } catch (Momo\MomoError $error) {
            error_log($error->getMessage()); // the others go on
        }
    }
    exit;
}

$id = explode('/', parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH))[2] ?? '';
if (!isset(PRICES[$id])) show(404, ['text' => 'There is no such order.']);
try {
    $starts = $_SERVER['REQUEST_METHOD'] === 'POST';
    $reference = referenceOf($id, $starts);
    $order = $starts ? $momo->start($reference, $_POST['phone'] ?? '', PRICES[$id]) : $momo->ask($reference);
    $asksAgain = $order['may_have_paid'] ?? false;
    show(200, ['status' => $order['status'], 'text' => TEXTS[$order['status']], 'asks_again' => $asksAgain]);
} catch (Momo\MomoError $error) {
    if ($error->kind === 'usage') show(400, ['text' => $error->getMessage()]);
    show(503, ['text' => TEXTS[$error->mayHavePaid ? 'unknown' : 'not_started']]);
}
