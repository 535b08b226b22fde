<?php
// A client for the mobile-money API in one file, for PHP 8.2 and later with curl. Copy it into your program.
//   $momo = new Momo\Client($baseUrl, $apiKey, $apiSecret, $paymentAccountId, new Momo\FileStore('orders'));
//   $order = $momo->pay('ORDER-0001', '0712345678', 100);
//   settle($order); // yours: it delivers an order that is completed, once
// A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
//   pending                      the customer is asked: show "Look at your phone."
//   unknown                      the answer to the push was lost: the customer may be asked, or not
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the network refused the push, or the service never got it
// While it is pending or unknown, the customer may have paid (may_have_paid): ask again. The others never change.
// A script calls pay, which waits for two minutes at most. Call it again later, also after a crash: it goes on.
// A web request calls start, which returns soon. The page calls your server every 5 s, and that calls ask($reference).
// A cron runs every minute:  foreach ($momo->open() as $order) settle($momo->ask($order['reference']));
// Anybody can send a webhook. Ask for the order in open() that has its checkout_request_id. Without one, answer 404.
// A test uses a new folder. If it moves the sandbox's clock, it gives two functions: sleep($seconds) moves that
// clock, and now() returns by how many seconds sleep has moved it in all.
namespace Momo;

/** The final statuses and the kinds of errors, with the exit codes of the command. */
const FINAL_STATUSES = ['completed' => 0, 'failed' => 10, 'cancelled' => 11, 'expired' => 12, 'not_started' => 5];
/** refused: by the service. unreachable: nothing was sent. unknown: the answer was lost. store: the store failed. */
const ERRORS = ['store' => 1, 'usage' => 2, 'credentials' => 4, 'refused' => 5, 'unreachable' => 6, 'unknown' => 6];
const JSON_FORM = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS;

/** kind: one of ERRORS. mayHavePaid: whether the customer may have paid all the same. */
final class MomoError extends \Exception {
    public function __construct(public string $kind, string $message, public bool $mayHavePaid = false) {
        parent::__construct($message);
    }
}

/** Keeps each order as a file. Processes can share it, in all languages. A store of your own needs these methods. */
final class FileStore {
    public function __construct(private string $folder) {
        @mkdir($folder, recursive: true); // it may be there already
        useStore('the folder of the orders', false, fn () => opendir("$folder/."));
    }
    /** The order, or null. */
    public function get(string $key): ?array {
        if (!file_exists($this->path($key))) return null;
        return json_decode(file_get_contents($this->path($key)), true, flags: JSON_THROW_ON_ERROR);
    }
    /** Whether the order was added, and not there already. Of several processes, one succeeds. */
    public function add(string $key, array $order): bool {
        try {
            $this->place($key, $order, link(...));
            return true;
        } catch (\ErrorException $error) {
            return file_exists($this->path($key)) ? false : throw $error;
        }
    }
    public function set(string $key, array $order): void { $this->place($key, $order, rename(...)); }
    public function remove(string $key): void { unlink($this->path($key)); }
    public function keys(): array {
        $names = preg_grep('/^([0-9a-f]{2})+[.]json$/D', scandir($this->folder));
        return array_map(fn ($name) => hex2bin(basename($name, '.json')), array_values($names));
    }
    private function path(string $key): string { return "$this->folder/" . bin2hex($key) . '.json'; }
    /** Writes a whole file, and then gives it its name: a crash leaves no half order. */
    private function place(string $key, array $order, \Closure $giveName): void {
        $draft = "$this->folder/" . bin2hex(random_bytes(16)) . '.draft';
        try {
            $file = fopen($draft, 'x');
            fwrite($file, json_encode($order, JSON_FORM | JSON_THROW_ON_ERROR));
            fsync($file);
            fclose($file);
            $giveName($draft, $this->path($key));
        } finally {
            if (file_exists($draft)) unlink($draft);
        }
        if (PHP_OS_FAMILY !== 'Windows') fsync(fopen($this->folder, 'r')); // Windows syncs no folders
    }
}

/** Times are in seconds. An order is not_started once the service has answered for $settled that it has none. */
final class Client {
    public function __construct(
        private string $baseUrl, private string $apiKey, private string $apiSecret, private int $paymentAccountId,
        private object $store, private float $timeout = 10, private float $interval = 5, private float $deadline = 120,
        private float $settled = 600, private ?\Closure $now = null, private ?\Closure $sleep = null,
    ) {
        $this->baseUrl = rtrim(trim($baseUrl), '/');
        $this->now ??= fn () => microtime(true);
        $this->sleep ??= fn (float $seconds) => usleep((int) ($seconds * 1e6));
    }

    /** Starts an order, or goes on with it, and waits for its end. */
    public function pay(string $reference, string $phone, int|float|string $amount): array {
        return $this->waitForEnd($this->start($reference, $phone, $amount));
    }
    /** Asks until the order is final or the deadline has come. */
    public function wait(string $reference): array { return $this->waitForEnd($this->ask($reference)); }
    /** Starts an order. If it is stored already, it is returned, and nothing is pushed. */
    public function start(string $reference, string $phone, int|float|string $amount): array {
        $key = keyOf($reference);
        $charge = chargeOf($phone, $amount);
        $order = [
            'service' => $this->baseUrl,
            'reference' => $reference,
            'pushed_as' => pushedAs($reference, bin2hex(random_bytes(4))),
            'phone' => $charge['phone'],
            'amount' => $charge['amount'],
            'status' => 'unknown',
            'checkout_request_id' => null,
            'receipt' => null,
            'result_code' => null,
            'result_desc' => null,
            'asked_at' => (int) round(1000 * ($this->now)()), // when the service was last asked for it
            'missing_ms' => 0, // for how long the service has answered that it does not have it
        ];
        $isStored = useStore($key, true, fn () => $this->store->get($key)) !== null;
        if ($isStored || !useStore($key, false, fn () => $this->store->add($key, $order))) {
            $stored = $this->read($key);
            $isSame = $stored['phone'] === $charge['phone'] && $stored['amount'] == $charge['amount'];
            if ($isSame) return withDoubt($stored);
            throw new MomoError('usage', "$key is an order of $stored[phone] for $stored[amount] already");
        }
        $payment = ['payment_account_id' => $this->paymentAccountId, ...$charge, 'reference' => $order['pushed_as']];
        try {
            $answer = $this->call('/stkpush.php', $payment);
        } catch (MomoError $error) {
            if ($error->kind === 'unknown') return withDoubt($order); // it may have been pushed: ask looks for it
            $refusal = ['status' => 'not_started', 'result_desc' => $error->getMessage()];
            if ($error->kind === 'not_started') return $this->saveAnswer($key, $refusal, $order);
            useStore($key, false, fn () => $this->store->remove($key)); // it was not pushed
            throw $error;
        }
        $status = isset($answer['checkout_request_id']) ? 'pending' : 'unknown';
        return $this->saveAnswer($key, ['status' => $status] + $answer, $order);
    }
    /** Asks for an order once, now. If no answer comes, the order stays as it was. */
    public function ask(string $reference): array {
        $key = keyOf($reference);
        $order = $this->read($key);
        if (isFinal($order)) return $order;
        $nowMs = (int) round(1000 * ($this->now)());
        $sinceMs = max(0, min($nowMs - $order['asked_at'], (int) (1000 * $this->interval))); // now() can jump
        $this->save($key, [...$order, 'asked_at' => $nowMs]);
        try {
            $id = $order['checkout_request_id'];
            $payment = $id ? $this->call('/status.php', ['checkout_request_id' => $id]) : $this->search($order);
            if ($payment) return $this->saveAnswer($key, $payment, $order);
            $stored = $this->read($key);
            if ($stored['status'] === 'unknown') {
                $stored['missing_ms'] += $sinceMs; // it may come later: a push can take minutes
                if ($stored['missing_ms'] >= 1000 * $this->settled) $stored['status'] = 'not_started';
            }
            return $this->save($key, $stored);
        } catch (MomoError $error) {
            $error->mayHavePaid = true;
            if ($error->kind === 'store' || $error->kind === 'credentials') throw $error;
            return withDoubt($this->read($key, $order));
        }
    }
    /** The orders that are not final. */
    public function open(): array {
        $keys = useStore('the folder of the orders', true, fn () => $this->store->keys());
        $orders = array_map(fn ($key) => withDoubt($this->read($key)), $keys);
        return array_values(array_filter($orders, fn ($order) => !isFinal($order)));
    }
    /** The payment of an order as the list shows it, or null. The order need not be stored. */
    public function find(string $reference, string $phone, int|float|string $amount): ?array {
        keyOf($reference);
        return $this->search(['pushed_as' => pushedAs($reference, ''), ...chargeOf($phone, $amount)]);
    }
    /** All payments, newest first. None is there twice or left out, also if payments arrive or change meanwhile. */
    public function list(array $filters = []): array {
        $rows = [];
        $page = 0;
        do {
            $page += 1;
            $parameters = ['status' => null, 'page' => $page, 'limit' => 100] + $filters;
            $query = http_build_query($parameters, encoding_type: PHP_QUERY_RFC3986);
            $answer = $this->call("/transactions.php?$query");
            $pageRows = $answer['transactions'] ?? $answer['data'] ?? null;
            $isList = is_array($pageRows) && array_filter($pageRows, fn ($row) => isset($row['id'])) === $pageRows;
            $newRows = $isList ? array_column($pageRows, null, 'id') : [];
            $isLast = $isList && count($pageRows) < ($answer['pagination']['per_page'] ?? 100);
            if (!$isLast && array_diff_key($newRows, $rows) === []) {
                throw new MomoError('unknown', '/transactions.php: no list, or the same page again', true);
            }
            $rows = array_replace($rows, $newRows);
        } while (!$isLast);
        $status = $filters['status'] ?? null; // it can change between two pages, so it is compared at the end
        return array_values(array_filter($rows, fn ($row) => $status === null || ($row['status'] ?? null) === $status));
    }

    private function waitForEnd(array $order): array {
        $key = keyOf($order['reference']);
        $waited = 0;
        while (!isFinal($order) && $waited < $this->deadline) {
            $pause = min($this->interval, $this->deadline);
            $before = hrtime(true); // now() can jump
            ($this->sleep)($pause);
            $stored = $this->read($key);
            $isAskedByOther = $stored['asked_at'] !== $order['asked_at'];
            $order = $isAskedByOther ? withDoubt($stored) : $this->ask($key);
            $waited += max($pause, (hrtime(true) - $before) / 1e9);
        }
        return $order;
    }
    /** Stores what the service says of the payment. */
    private function saveAnswer(string $key, array $payment, array $fallback): array {
        $order = $this->read($key, $fallback); // a file that was removed is written again
        if (isFinal($order)) return $order; // another process was faster
        $order['checkout_request_id'] ??= $payment['checkout_request_id'] ?? null;
        if (isFinal($payment) || ($payment['status'] ?? null) === 'pending') $order['status'] = $payment['status'];
        $order['receipt'] = $payment['momo_receipt_number'] ?? null;
        $order['result_code'] = $payment['result_code'] ?? null;
        $order['result_desc'] = $payment['result_desc'] ?? null;
        return $this->save($key, $order);
    }
    /** A search finds what begins with its text, and rows have no reference: compare phone and amount, too. */
    private function search(array $order): ?array {
        $number = substr($order['phone'], 3);
        $isOwn = fn ($row) => ($row['amount'] ?? 0) == $order['amount'] && str_ends_with($row['phone'] ?? '', $number);
        $own = array_values(array_filter($this->list(['search' => $order['pushed_as']]), $isOwn));
        $paid = array_values(array_filter($own, fn ($row) => ($row['status'] ?? '') === 'completed'));
        return $paid[0] ?? $own[0] ?? null;
    }
    /** The answer of the service, if it is a success. */
    private function call(string $path, ?array $body = null): array {
        $curl = curl_init($this->baseUrl . $path);
        $headers = ["X-API-Key: $this->apiKey", "X-API-Secret: $this->apiSecret", 'Content-Type: application/json'];
        curl_setopt_array($curl, [
            CURLOPT_HTTPHEADER => array_map(trim(...), $headers),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => (int) (1000 * $this->timeout),
            CURLOPT_NOPROGRESS => false,
            CURLOPT_PROGRESSFUNCTION => fn ($curl, $total, $received) => $received > 10_000_000 ? 1 : 0, // 1 ends it
        ]);
        if ($body !== null) curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body));
        $answer = json_decode((string) curl_exec($curl), true);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status === 200 && ($answer['success'] ?? null) === true) return $answer;
        $isSent = curl_getinfo($curl, CURLINFO_REQUEST_SIZE) > 0;
        $isRefusal = ($answer['success'] ?? null) === false; // without one, it may have been pushed
        $kind = $isSent ? 'unknown' : 'unreachable';
        if ($isRefusal && $status === 500 && str_starts_with($answer['message'] ?? '', 'STK push initiation failed')) {
            $kind = 'not_started'; // §4.1
        }
        if ($isRefusal && $status >= 400 && $status < 500 && $status !== 408 && $status !== 429) {
            $kind = $status === 401 ? 'credentials' : 'refused';
        }
        $message = $answer['message'] ?? "$path: no answer of the service ($status " . curl_error($curl) . ')';
        throw new MomoError($kind, $message, $kind === 'unknown');
    }
    /** The stored order. If there is none, the fallback or an error. */
    private function read(string $key, ?array $fallback = null): array {
        $order = useStore($key, true, fn () => $this->store->get($key)) ?? $fallback;
        if ($order === null) throw new MomoError('refused', "$key has not been started");
        $service = $order['service'] ?? 'another program';
        if ($service === $this->baseUrl) return $order;
        throw new MomoError('usage', "$key is an order of $service, not of $this->baseUrl: use another folder");
    }
    private function save(string $key, array $order): array {
        useStore($key, true, fn () => $this->store->set($key, $order));
        return withDoubt($order);
    }
}

function isFinal(array $order): bool { return isset(FINAL_STATUSES[$order['status'] ?? '']); }
function withDoubt(array $order): array { return isFinal($order) ? $order : $order + ['may_have_paid' => true]; }
/** The reference for the service, at most 100 characters. The token tells it from an earlier order of this name. */
function pushedAs(string $reference, string $token): string { return substr($reference, 0, 91) . "~$token"; }
/** Runs an action of the store, in which each warning of PHP is an error. */
function useStore(string $name, bool $mayHavePaid, \Closure $action): mixed {
    set_error_handler(fn ($level, $message) => throw new \ErrorException($message));
    try {
        return $action();
    } catch (\Throwable $error) {
        $doubt = $mayHavePaid ? '; the customer may have paid' : '';
        throw new MomoError('store', "$name cannot be read or stored: " . $error->getMessage() . $doubt, $mayHavePaid);
    } finally {
        restore_error_handler();
    }
}
/** The name of an order in the store. The service ignores the case of a reference. */
function keyOf(string $reference): string {
    if (preg_match('/^(?! )[ -}]{1,100}(?<! )$/D', $reference)) return strtolower($reference);
    $rule = '1 to 100 printable ASCII characters, without ~ and outer spaces';
    throw new MomoError('usage', "reference must be $rule; it is '$reference'");
}
function chargeOf(string $phone, int|float|string $amount): array {
    $isPhone = preg_match('/^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/D', preg_replace('/[ ().-]/', '', $phone), $match);
    if (!$isPhone) throw new MomoError('usage', "phone must be such as 0712345678; it is '$phone'");
    $isAmount = preg_match('/^[1-9]\d{0,8}(\.\d{1,2})?$/D', (string) $amount);
    if (!$isAmount) throw new MomoError('usage', "amount must be from 1, with two decimals at most; it is '$amount'");
    $number = (float) $amount;
    return ['phone' => "254$match[1]", 'amount' => $number == (int) $number ? (int) $number : $number];
}

/** The commands, with the number of their arguments. */
const COMMANDS = ['pay' => 3, 'start' => 3, 'find' => 3, 'wait' => 1, 'ask' => 1, 'open' => 0];
const VARIABLES = ['MOMO_BASE_URL', 'MOMO_API_KEY', 'MOMO_API_SECRET', 'MOMO_PAYMENT_ACCOUNT_ID'];
const USAGE = 'client.php pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open, with ';

if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    try {
        $command = $argv[1] ?? '';
        $arguments = array_slice($argv, 2);
        [$baseUrl, $apiKey, $apiSecret, $account] = array_map(fn ($name) => (string) getenv($name), VARIABLES);
        $isComplete = $baseUrl && $apiKey && $apiSecret && preg_match('/^[1-9][0-9]{0,14}$/D', $account);
        $isCommand = (COMMANDS[$command] ?? null) === count($arguments);
        if (!$isComplete || !$isCommand) throw new MomoError('usage', USAGE . implode(', ', VARIABLES));
        $store = new FileStore(getenv('MOMO_ORDERS') ?: 'momo-orders');
        $result = (new Client($baseUrl, $apiKey, $apiSecret, (int) $account, $store))->$command(...$arguments);
        $code = array_is_list($result ?? []) ? 0 : FINAL_STATUSES[$result['status']] ?? 13;
        if ($result === null) $code = 3; // find has found nothing
    } catch (\Throwable $error) {
        $kind = $error->kind ?? 'unexpected';
        $code = ERRORS[$kind] ?? 1;
        $failure = ['code' => $kind, 'message' => $error->getMessage(), 'may_have_paid' => $error->mayHavePaid ?? true];
        $result = ['error' => $failure];
    }
    echo json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_FORM), "\n";
    exit($code);
}
