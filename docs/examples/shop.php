<?php
// A shop in plain PHP. momo client php > client.php; php -S 127.0.0.1:3000 shop.php; every minute a cron: php shop.php
require __DIR__ . '/client.php';

$folder = getenv('MOMO_ORDERS') ?: __DIR__ . '/orders';
$store = new Momo\FileStore($folder);
$account = (int) getenv('MOMO_PAYMENT_ACCOUNT_ID');
$keys = [getenv('MOMO_BASE_URL'), getenv('MOMO_API_KEY'), getenv('MOMO_API_SECRET')];
$momo = new Momo\Client(...$keys, paymentAccountId: $account, store: $store);

// Yours: a table of your database, and its column paid: the file ID.delivered. The price never comes from the browser.
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

/** The tries of an order, as they are stored. Each has a reference of its own. */
function triesOf(string $id): array
{
    global $store;
    $tries = [];
    for (;;) {
        $key = strtolower("$id-" . (count($tries) + 1)); // as the client stores it
        $stored = $store->get("$key~ended") ?? $store->get("$key~pending") ?? $store->get($key);
        if ($stored === null) return $tries;
        $tries[] = $stored;
    }
}

/** Starts the first try, or a new one if the last has ended unpaid. */
function pay(string $id, string $phone): array
{
    global $momo;
    $tries = triesOf($id);
    $last = $tries === [] ? null : $momo->ask(end($tries)['reference']);
    if ($last !== null && !isset(UNPAID[$last['status']])) return $last;
    return $momo->start("$id-" . (count($tries) + 1), $phone, PRICES[$id]);
}

function isPaid(string $id): bool
{
    global $folder;
    return file_exists("$folder/$id.delivered");
}

/**
 * Books a paid order, once. In a database, one transaction: UPDATE orders SET paid = 1 WHERE id = ? AND paid = 0, and if
 * that changed a row, INSERT what is to deliver. Here, the file is both.
 */
function book(array $order): array
{
    global $folder;
    $id = preg_replace('/-\d+$/', '', $order['reference']);
    if ($order['status'] !== 'completed' || isPaid($id)) return $order;
    $file = @fopen("$folder/$id.delivered", 'x'); // none if another process was faster
    if (!$file) return isPaid($id) ? $order : throw new RuntimeException("$id cannot be booked");
    fwrite($file, $order['receipt']);
    error_log("deliver $id, receipt $order[receipt]");
    return $order;
}

/** What the page shows. While it is not final, the page asks again after 5 s. */
function show(int $status, array $answer): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    exit(json_encode($answer));
}

if (PHP_SAPI === 'cli') { // the cron: the customer may have closed the page, and a process may have ended before it has booked
    $unpaid = array_filter(array_keys(PRICES), fn ($id) => !isPaid($id));
    foreach (array_merge(...array_map(triesOf(...), $unpaid)) as $try) {
        try {
            book($momo->ask($try['reference']));
        } catch (Exception $error) {
            error_log($error->getMessage()); // the others go on
        }
    }
    exit;
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/hook') { // a webhook only says where to look: anybody can send one
    $body = json_decode(file_get_contents('php://input'), true);
    $id = $body['checkout_request_id'] ?? $body['data']['checkout_request_id'] ?? '';
    $tries = array_column(array_merge(...array_map(triesOf(...), array_keys(PRICES))), 'reference', 'checkout_request_id');
    if (!is_string($id) || !isset($tries[$id])) show(404, []);
    book($momo->ask($tries[$id]));
    show(200, []);
}

$id = explode('/', $path)[2] ?? '';
if (!isset(PRICES[$id])) show(404, ['text' => 'There is no such order.']);
try {
    $last = array_slice(triesOf($id), -1)[0] ?? ['reference' => "$id-1"];
    $isPay = $_SERVER['REQUEST_METHOD'] === 'POST';
    $order = book($isPay ? pay($id, $_POST['phone'] ?? '') : $momo->ask($last['reference']));
    $asksAgain = $order['may_have_paid'] ?? false;
    show(200, ['status' => $order['status'], 'text' => TEXTS[$order['status']], 'asks_again' => $asksAgain]);
} catch (Exception $error) {
    error_log($error->getMessage());
    $mayHavePaid = $error->mayHavePaid ?? true;
    if (!$mayHavePaid && $error->kind === 'usage') show(400, ['text' => 'Please enter a phone number.']);
    show(503, ['text' => TEXTS[$mayHavePaid ? 'unknown' : 'not_started']]);
}
