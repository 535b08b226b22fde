<?php
// A client for the mobile-money API in one file, for PHP 8.2 and later with curl. Copy it into your program.
//   $momo = new Momo\Client($baseUrl, $apiKey, $apiSecret, $paymentAccountId, new Momo\FileStore('/srv/orders'));
//   settle($momo->pay('ORDER-0001', '0712345678', 100)); // yours: it delivers an order that is completed, once
// A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
//   pending                      the customer is asked: show "Look at your phone."
//   unknown                      the answer to the push was lost: the customer may be asked, or not
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the network refused the push, or the service never got it
// While it is pending or unknown, the customer may have paid (may_have_paid): ask again. The others never change.
// A script calls pay, which waits for two minutes at most. Call it again later, also after a crash: it goes on.
// A web request calls start, which returns soon. The page calls your server every 5 s, and that calls ask($reference).
// A cron runs every minute. For each order of open() it calls settle(ask($order['reference'])), and logs a MomoError.
// Anybody can send a webhook. Ask for the order in open() that has its checkout_request_id. Without one, answer 404.
// A test uses a new folder. To move the sandbox's clock, sleep($seconds) moves it; now() returns by how much so far.
namespace Momo;
/** Exit codes of the command for the final statuses, and for the kinds of errors. */
const FINAL_STATUSES = ['completed' => 0, 'failed' => 10, 'cancelled' => 11, 'expired' => 12, 'not_started' => 5];
/** refused: by the service. unreachable: nothing was sent. unknown: the answer was lost. store: the store failed. */
const ERRORS = ['store' => 1, 'usage' => 2, 'credentials' => 4, 'refused' => 5, 'unreachable' => 6, 'unknown' => 6];
const JSON_FORM = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS;

final class MomoError extends \Exception {
    /** kind: one of ERRORS. mayHavePaid: whether the customer may have paid all the same. */
    public function __construct(public string $kind, string $message, public bool $mayHavePaid = false) {
        parent::__construct($mayHavePaid ? "$message; the customer may have paid" : $message);
    }
}

/** Keeps values as files, for processes in all languages. A store of your own, such as a table, needs these methods. */
final class FileStore {
    public function __construct(private string $folder) {
        $isAbsolute = preg_match('~^(/|\\\\|[a-z]:)~i', $folder);
        if (!$isAbsolute) throw refusal('the folder of the orders', 'an absolute path, such as /srv/orders', $folder);
        @mkdir($folder, recursive: true); // it may be there already
        useStore('the folder of the orders', false, fn () => opendir("$folder/."));
    }
    public function get(string $name): mixed {
        $text = file_exists($this->path($name)) ? file_get_contents($this->path($name)) : 'null';
        return json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    }
    /** Whether the value was added, and there was none. Of several processes, one succeeds. */
    public function add(string $name, array $value): bool {
        is_dir($this->folder) || mkdir($this->folder, recursive: true);
        try {
            $this->write($name, $value, link(...));
            return true;
        } catch (\ErrorException $error) {
            return file_exists($this->path($name)) ? false : throw $error;
        }
    }
    public function set(string $name, array $value): void { $this->write($name, $value, rename(...)); }
    public function remove(string $name): void { unlink($this->path($name)); }
    public function names(): array {
        $files = preg_grep('/^([2-7][0-9a-f])+[.]json$/D', scandir($this->folder));
        return array_map(fn ($file) => hex2bin(basename($file, '.json')), array_values($files));
    }
    private function path(string $name): string { return "$this->folder/" . bin2hex($name) . '.json'; }
    private function write(string $name, array $value, \Closure $linkOrRename): void {
        $draft = "$this->folder/" . bin2hex(random_bytes(16)) . '.draft';
        try {
            $file = fopen($draft, 'x');
            fwrite($file, json_encode($value, JSON_FORM | JSON_THROW_ON_ERROR));
            (fsync($file) && fclose($file)) || throw new \ErrorException('the disk did not take it');
            $linkOrRename($draft, $this->path($name)); // a crash leaves no half file of this name
        } finally {
            file_exists($draft) && unlink($draft);
        }
        PHP_OS_FAMILY === 'Windows' || fsync(fopen($this->folder, 'r')); // Windows syncs no folders
    }
}

/** Times are in seconds. An order is not_started if the service has not found it for $notStartedAfter seconds. */
final class Client {
    private int $retryAfter = 0; // for how long the service wants no request
    public function __construct(
        private string $baseUrl, private string $apiKey, private string $apiSecret, private int $paymentAccountId,
        private object $store, private float $timeout = 10, private float $interval = 5, private float $deadline = 120,
        private float $notStartedAfter = 600, private ?\Closure $now = null, private ?\Closure $sleep = null,
    ) {
        $this->baseUrl = rtrim(trim($baseUrl), '/');
        $this->now ??= fn () => microtime(true);
        $this->sleep ??= fn (float $seconds) => usleep((int) ($seconds * 1e6));
    }
    public function pay(string $reference, string $phone, int|float|string $amount): array {
        return $this->waitForEnd($this->start($reference, $phone, $amount));
    }
    public function wait(string $reference): array { return $this->waitForEnd($this->ask($reference)); }
    /** Starts an order. If it is stored already, it is returned, and nothing is pushed. */
    public function start(string $reference, string $phone, int|float|string $amount): array {
        $key = keyOf($reference);
        $payment = parsePayment($phone, $amount);
        $order = [
            'service' => $this->baseUrl,
            'reference' => $reference,
            'service_reference' => createServiceReference($reference),
            ...$payment,
            'status' => 'unknown',
            'checkout_request_id' => null,
            'may_have_paid' => true,
            'asked_ms' => (int) round(1000 * ($this->now)()), // when the service was last asked for it
            'not_found_ms' => 0, // for how long the service has answered that it does not find it
        ];
        $isNew = $this->read($key, $order)['service_reference'] === $order['service_reference'];
        if (!$isNew || !useStore($key, false, fn () => $this->store->add($key, $order))) {
            $stored = $this->read($key);
            if ($stored['phone'] === $order['phone'] && $stored['amount'] == $order['amount']) return $stored;
            throw new MomoError('usage', "$key is an order of $stored[phone] for $stored[amount] already");
        }
        $push = $payment + ['reference' => $order['service_reference']];
        try {
            $answer = $this->call('/stkpush.php', ['payment_account_id' => $this->paymentAccountId, ...$push]);
        } catch (MomoError $error) {
            $refusal = ['status' => $error->kind, 'result_desc' => $error->getMessage()];
            if ($error->kind === 'not_started') return $this->record($key, $order, $refusal);
            if ($error->kind === 'unknown') return $order; // it may have been pushed: ask looks for it
            useStore($key, false, fn () => $this->store->remove($key)); // it was not pushed
            throw $error;
        }
        $answer['status'] = isset($answer['checkout_request_id']) ? 'pending' : 'unknown';
        return $this->record($key, $order, $answer);
    }
    /** Asks for an order once, now. If no answer comes, the order stays as it was. If the service refuses to answer, as
     * with 404 for a payment that it had, this throws, and the order stays open: nobody knows if it was paid. */
    public function ask(string $reference): array {
        $key = keyOf($reference);
        $order = $this->read($key);
        if (isFinal($order)) return $order;
        $nowMs = (int) round(1000 * ($this->now)());
        $elapsedMs = max(0, min($nowMs - $order['asked_ms'], (int) (1000 * $this->interval))); // now() can jump
        $this->recordAsk($order, ['asked_ms' => $nowMs, 'not_found_ms' => $order['not_found_ms']]);
        try {
            $id = $order['checkout_request_id'];
            $payment = $id ? $this->call('/status.php', ['checkout_request_id' => $id]) : $this->search($order);
        } catch (MomoError $error) {
            if ($error->kind === 'unknown' || $error->kind === 'unreachable') return $this->read($key, $order);
            $error->mayHavePaid = true;
            throw $error;
        }
        if ($payment === null) {
            $notFoundMs = $order['not_found_ms'] + $elapsedMs; // it may come later: a push can take minutes
            $this->recordAsk($order, ['asked_ms' => $nowMs, 'not_found_ms' => $notFoundMs]);
            $payment = ['status' => $notFoundMs >= 1000 * $this->notStartedAfter ? 'not_started' : 'unknown'];
        }
        return $this->record($key, $order, $payment);
    }
    /** The orders that have not ended. One that cannot be read is listed as unreadable, with an error. */
    public function open(): array {
        $names = useStore('the folder of the orders', true, fn () => array_flip($this->store->names()));
        $isOpen = fn ($name) => !str_contains($name, '~') && !isset($names["$name~ended"]);
        $orders = [];
        foreach (array_filter(array_keys($names), $isOpen) as $key) {
            try {
                $orders[] = $this->read($key);
            } catch (MomoError $error) {
                if ($error->kind === 'refused') continue; // it was removed meanwhile
                $orders[] = ['reference' => (string) $key, 'status' => 'unreadable', 'error' => $error->getMessage()];
            }
        }
        return array_values(array_filter($orders, fn ($order) => !isFinal($order)));
    }
    /** The payment of an order as the list shows it, or null. The order need not be stored. */
    public function find(string $reference, string $phone, int|float|string $amount): ?array {
        $order = ['reference' => keyOf($reference), 'service_reference' => "$reference~"];
        return $this->search($order + parsePayment($phone, $amount));
    }
    /** All payments, newest first. None is there twice or left out, also if payments arrive or change meanwhile. */
    public function list(array $filters = []): array {
        $rows = [];
        for ($page = 1; $page <= 10_000; $page += 1) {
            $parameters = ['status' => null, 'page' => $page, 'limit' => 100] + $filters;
            $query = http_build_query($parameters, encoding_type: PHP_QUERY_RFC3986);
            $answer = $this->call("/transactions.php?$query");
            $pageRows = $answer['transactions'] ?? $answer['data'] ?? null;
            if (!is_array($pageRows) || array_filter($pageRows, fn ($row) => isset($row['id'])) !== $pageRows) break;
            $newRows = array_diff_key(array_column($pageRows, null, 'id'), $rows);
            $rows = array_replace($rows, array_column($pageRows, null, 'id'));
            $totalPages = $answer['pagination']['total_pages'] ?? null;
            $isLast = is_int($totalPages) ? $page >= $totalPages : $newRows === [] && count($pageRows) < 100;
            $status = $filters['status'] ?? null; // it can change between two pages, so it is compared at the end
            $isWanted = fn ($row) => $status === null || ($row['status'] ?? null) === $status;
            if ($isLast) return array_values(array_filter($rows, $isWanted));
            if ($newRows === []) break;
        }
        throw new MomoError('unknown', '/transactions.php: no list, or a list without its end', true);
    }
    private function waitForEnd(array $order): array {
        $waited = 0;
        while (!isFinal($order) && $waited < $this->deadline) {
            $pause = min(max($this->interval, $this->retryAfter), $this->deadline);
            $before = hrtime(true); // now() can jump
            ($this->sleep)($pause);
            $stored = $this->read(keyOf($order['reference']), $order); // another process may have asked
            $order = $stored['asked_ms'] === $order['asked_ms'] ? $this->ask($order['reference']) : $stored;
            $waited += max($pause, (hrtime(true) - $before) / 1e9);
        }
        return $order;
    }
    /** Stores news of a payment beside what is stored: no process takes back what another has stored. */
    private function record(string $key, array $started, array $payment): array {
        $order = $this->read($key, $started); // a file that was removed is written again
        $status = $payment['status'] ?? null;
        $isNews = $status !== $order['status'] && ($status === 'pending' || isFinal($payment));
        $isTooLate = isFinal($order) || ($status === 'not_started' && $order['status'] === 'pending');
        if ($isTooLate || !$isNews) return $order;
        $order['status'] = $status;
        $order['checkout_request_id'] ??= $payment['checkout_request_id'] ?? null;
        $order['receipt'] = $payment['momo_receipt_number'] ?? null;
        $order['result_code'] = $payment['result_code'] ?? null;
        $order['result_desc'] = $payment['result_desc'] ?? null;
        $name = isFinal($order) ? "$key~ended" : "$key~accepted";
        if (isFinal($order)) unset($order['may_have_paid']);
        useStore($key, true, fn () => $this->store->add($name, $order));
        return $this->read($key); // another process may have been faster
    }
    /** The payment of an order without an id, or null. Rows have no reference. */
    private function search(array $order): ?array {
        $rows = $this->list(['search' => $order['service_reference']]);
        $number = substr($order['phone'], 3);
        $isOwn = fn ($row) => ($row['amount'] ?? 0) == $order['amount'] && str_ends_with($row['phone'] ?? '', $number);
        $own = array_values(array_filter($rows, $isOwn));
        $paid = array_values(array_filter($own, fn ($row) => ($row['status'] ?? '') === 'completed'));
        // A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
        $isExact = $own !== [] && $this->list(['search' => createServiceReference($order['reference'])]) === [];
        if ($isExact || $rows === []) return $paid[0] ?? $own[0] ?? null;
        throw new MomoError('unknown', "the search for $order[service_reference] finds other payments", true);
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
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => json_encode($body)]));
        $answer = json_decode((string) curl_exec($curl), true);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $this->retryAfter = min(curl_getinfo($curl, CURLINFO_RETRY_AFTER), 60);
        if ($status === 200 && ($answer['success'] ?? null) === true) return $answer;
        $reason = curl_error($curl) ?: "HTTP $status";
        $message = is_string($answer['message'] ?? null) ? $answer['message'] : "$path: $reason";
        $isRefusal = ($answer['success'] ?? null) === false; // without one, it may have been pushed
        // The time at which the connection was ready for the request; 0 if it never was.
        $kind = curl_getinfo($curl, CURLINFO_PRETRANSFER_TIME) > 0 ? 'unknown' : 'unreachable';
        $isOfNetwork = $status === 500 && str_starts_with($message, 'STK push initiation failed'); // §4.1
        $isOfService = $status >= 400 && $status < 500 && $status !== 408 && $status !== 429;
        if ($isRefusal && $isOfNetwork) $kind = 'not_started';
        if ($isRefusal && $isOfService) $kind = $status === 401 ? 'credentials' : 'refused';
        throw new MomoError($kind, $message, $kind === 'unknown');
    }
    private function recordAsk(array $order, array $asked): void {
        useStore($order['reference'], true, fn () => $this->store->set("$order[service_reference]~asked", $asked));
    }
    /** The order as it was stored last. If there is none, the fallback or an error. */
    private function read(string $key, ?array $fallback = null): array {
        $get = fn ($name) => useStore($key, true, fn () => $this->store->get($name));
        $order = $get("$key~ended") ?? $get("$key~accepted") ?? $get($key) ?? $fallback;
        $order ?? throw new MomoError('refused', "$key has not been started");
        $owner = isset($order['service_reference']) ? $order['service'] : 'another program or version';
        if ($owner === $this->baseUrl) return [...$order, ...($get("$order[service_reference]~asked") ?? [])];
        throw new MomoError('usage', "$key is an order of $owner, not of $this->baseUrl: use another folder");
    }
}

function isFinal(array $order): bool { return isset(FINAL_STATUSES[$order['status'] ?? '']); }
/** The reference for the service, at most 100 characters. The token tells it from an earlier order of this name. */
function createServiceReference(string $reference): string { return "$reference~" . bin2hex(random_bytes(4)); }
function refusal(string $name, string $rule, string $value): MomoError {
    return new MomoError('usage', "$name must be $rule; it is '$value'");
}
function useStore(string $name, bool $mayHavePaid, \Closure $action): mixed {
    set_error_handler(fn ($level, $message) => throw new \ErrorException($message)); // each warning is an error
    try {
        return $action();
    } catch (\Throwable $error) {
        throw new MomoError('store', "$name cannot be read or stored: " . $error->getMessage(), $mayHavePaid);
    } finally {
        restore_error_handler();
    }
}
function keyOf(string $reference): string {
    $rule = '1 to 91 printable ASCII characters, without ~ and outer spaces';
    $isReference = preg_match('/^(?! )[ -}]{1,91}(?<! )$/D', $reference);
    return $isReference ? strtolower($reference) : throw refusal('reference', $rule, $reference);
}
function parsePayment(string $phone, int|float|string $amount): array {
    $isPhone = preg_match('/^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/D', preg_replace('/[ ().-]/', '', $phone), $match);
    $isPhone || throw refusal('phone', 'such as 0712345678', $phone);
    $isAmount = preg_match('/^[1-9]\d{0,8}(\.\d{1,2})?$/D', (string) $amount);
    $isAmount || throw refusal('amount', 'from 1, with two decimals at most', (string) $amount);
    $number = (float) (string) $amount; // the number that was checked
    return ['phone' => "254$match[1]", 'amount' => $number == (int) $number ? (int) $number : $number];
}
const COMMANDS = ['pay' => 3, 'start' => 3, 'find' => 3, 'wait' => 1, 'ask' => 1, 'open' => 0]; // with their arguments
const VARIABLES = 'MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET, MOMO_PAYMENT_ACCOUNT_ID';
const USAGE = 'client.php pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open, with ' . VARIABLES;
if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    try {
        $command = $argv[1] ?? '';
        $arguments = array_slice($argv, 2);
        [$baseUrl, $apiKey, $apiSecret, $account] = array_map(getenv(...), explode(', ', VARIABLES));
        $isComplete = $baseUrl && $apiKey && $apiSecret && preg_match('/^[1-9][0-9]{0,14}$/D', $account);
        if (!$isComplete || (COMMANDS[$command] ?? null) !== count($arguments)) throw new MomoError('usage', USAGE);
        $store = new FileStore(getenv('MOMO_ORDERS') ?: __DIR__ . '/momo-orders');
        $result = (new Client($baseUrl, $apiKey, $apiSecret, (int) $account, $store))->$command(...$arguments);
        $code = $result === null ? 3 : FINAL_STATUSES[$result['status'] ?? ''] ?? 13; // 3: find has found nothing
        if ($command === 'open') $code = array_column($result, 'error') === [] ? 0 : ERRORS['store'];
    } catch (\Throwable $error) {
        $kind = $error->kind ?? 'unexpected';
        $code = ERRORS[$kind] ?? 1;
        $doubt = ['may_have_paid' => $error->mayHavePaid ?? true];
        $result = ['error' => ['code' => $kind, 'message' => $error->getMessage(), ...$doubt]];
    }
    echo json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_FORM), "\n";
    exit($code);
}
