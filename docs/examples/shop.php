<?php
// A shop in plain PHP. momo client php > client.php; php -S 127.0.0.1:3000 shop.php; every minute a cron: php shop.php
// A customer pays: curl -d phone=0712345678 http://127.0.0.1:3000/orders/order1001. Its page asks: the same address, without -d.
require __DIR__ . '/client.php';

$folder = getenv('MOMO_ORDERS') ?: __DIR__ . '/orders';
$account = (int) getenv('MOMO_PAYMENT_ACCOUNT_ID');
$keys = [getenv('MOMO_BASE_URL'), getenv('MOMO_API_KEY'), getenv('MOMO_API_SECRET')];
$momo = new Momo\Client(...$keys, paymentAccountId: $account, store: new Momo\FileStore($folder));

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
    global $momo;
    $tries = [];
    for (;;) {
        $stored = $momo->stored("$id-" . (count($tries) + 1));
        if ($stored === null) return $tries;
        $tries[] = $stored;
    }
}

/** The reference of a payment, or null. If the file of one order cannot be read, the others are found. */
function referenceOf(string $checkoutRequestId): ?string
{
    $unreadable = null;
    foreach (array_keys(PRICES) as $id) {
        try {
            $references = array_column(triesOf($id), 'reference', 'checkout_request_id');
        } catch (Throwable $error) {
            $unreadable = $error;
            continue;
        }
        if (isset($references[$checkoutRequestId])) return $references[$checkoutRequestId];
    }
    if ($unreadable) throw $unreadable; // the payment can be of that order: the webhook comes again
    return null;
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
    fwrite($file, $order['receipt'] ?? '');
    error_log("deliver $id, receipt $order[receipt]");
    return $order;
}

/**
 * Asks for all tries of an order, as a push that came late can open an earlier one again, and books what was paid.
 * Returns the try that may be paid, or else the last; null if there is none.
 */
function look(string $id): ?array
{
    global $momo;
    if (isPaid($id)) return ['status' => 'completed'];
    $orders = [];
    foreach (triesOf($id) as $try) {
        $orders[] = book($momo->ask($try['reference']));
    }
    if (isPaid($id)) return ['status' => 'completed'];
    $mayBePaid = array_filter($orders, fn ($order) => !isset(UNPAID[$order['status']]));
    return reset($mayBePaid) ?: end($orders) ?: null;
}

/** Starts the first try, or a new one if all have ended unpaid. */
function pay(string $id, string $phone): array
{
    global $momo;
    $order = look($id);
    if ($order !== null && !isset(UNPAID[$order['status']])) return $order;
    $number = $order === null ? 1 : (int) preg_replace('/^.*-/', '', $order['reference']) + 1;
    return book($momo->start("$id-$number", $phone, PRICES[$id]));
}

/** What the page shows. While it is not final, the page asks again after 5 s. */
function show(int $status, array $answer): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    exit(json_encode($answer));
}

if (PHP_SAPI === 'cli') { // the cron: the customer may have closed the page, and a process may have ended before it has booked
    foreach (array_keys(PRICES) as $id) {
        try {
            look($id);
        } catch (Throwable $error) {
            error_log("$id: " . $error->getMessage()); // the others go on
        }
    }
    exit;
}

try {
    $path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    if ($path === '/hook') { // a webhook only says where to look: anybody can send one
        $body = json_decode(file_get_contents('php://input'), true);
        $id = $body['checkout_request_id'] ?? $body['data']['checkout_request_id'] ?? '';
        $reference = is_string($id) ? referenceOf($id) : null;
        if ($reference === null) show(404, []);
        book($momo->ask($reference));
        show(200, []);
    }
    $id = explode('/', $path)[2] ?? '';
    if (!isset(PRICES[$id])) show(404, ['text' => 'There is no such order.']);
    $isPay = $_SERVER['REQUEST_METHOD'] === 'POST';
    $order = $isPay ? pay($id, (string) filter_input(INPUT_POST, 'phone')) : look($id);
    if ($order === null) show(404, ['text' => 'The payment of this order has not been started.']);
    $asksAgain = $order['may_have_paid'] ?? false;
    show(200, ['status' => $order['status'], 'text' => TEXTS[$order['status']], 'asks_again' => $asksAgain]);
} catch (Throwable $error) {
    error_log($error->getMessage());
    $mayHavePaid = $error->mayHavePaid ?? true;
    if (!$mayHavePaid && $error->kind === 'usage') show(400, ['text' => 'Please enter a phone number.']);
    show(503, ['text' => TEXTS[$mayHavePaid ? 'unknown' : 'not_started'], 'asks_again' => $mayHavePaid]);
}
