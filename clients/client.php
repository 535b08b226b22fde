<?php
// A client for the mobile-money API in one file, for PHP 8.2 and later with curl. Copy it into your program.
//   $momo = new Momo\Client($baseUrl, $apiKey, $apiSecret, $paymentAccountId, new Momo\FileStore('/srv/orders'));
//   $order = $momo->pay('ORDER-0001', '0712345678', 100);
// A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
//   pending                      the customer is asked, and may have paid (may_have_paid): show "Look at your phone."
//   unknown                      the answer to the push was lost: the customer may be asked, and have paid, or not
//   completed                    final: paid; receipt is the network's
//   failed, cancelled, expired   final: not paid; result_code and result_desc say why
//   not_started                  not paid: the push was refused or never came; one that comes late opens it again
// A script calls pay, which asks every 5 s, 24 times. Call it again later, also after a crash: it goes on.
// A web request calls start, which returns soon. The page calls your server every 5 s, and that calls ask($reference).
// Anybody can send a webhook: ask for the order that has its checkout_request_id. Without one, answer 404.
// A cron asks each minute for every order that is not paid in your database. One that has ended needs no request.
// Each books a completed order in a transaction: UPDATE … SET paid = true WHERE id = ? AND paid = false, and if that
// changed a row, INSERT what is to deliver. A crash before that loses nothing, because the cron asks again.
// A test uses a new folder. To move the sandbox's clock, sleep($seconds) moves it; now() returns by how much so far.
namespace Momo;

/** The final statuses and the kinds of errors, with exit codes. unreachable: nothing was sent. unknown: no answer. */
const FINAL_STATUSES = ['completed' => 0, 'failed' => 10, 'cancelled' => 11, 'expired' => 12, 'not_started' => 5];
const ERRORS = ['store' => 1, 'usage' => 2, 'credentials' => 4, 'refused' => 5, 'unreachable' => 6, 'unknown' => 6];
final class MomoError extends \Exception {
    public function __construct(public string $kind, string $message, public bool $mayHavePaid = false) {
        parent::__construct($message);
    }
}

/** Keeps values as files, for programs in all languages. A store of your own, such as a table, needs these methods. */
final class FileStore {
    public function __construct(private string $folder) {
        $refusal = "the folder of the orders must be an absolute path, such as /srv/orders; it is '$folder'";
        if (!preg_match('~^(/|\\\\|[a-z]:)~i', $folder)) throw new MomoError('usage', $refusal);
    }
    public function get(string $name): mixed {
        $path = $this->path($name);
        $text = @file_get_contents($path); // another process can add or remove it at any time
        if ($text === false && file_exists($path)) $text = file_get_contents($path);
        if ($text !== false) return json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        if (is_dir($this->folder)) opendir("$this->folder/."); // fails if the file may be there, but cannot be seen
        return null;
    }
    /** Of several processes, the first adds its own, unless one replaces it. A crash leaves no half file. */
    public function add(string $name, array $value, bool $replaces = false): void {
        if (!is_dir($this->folder)) mkdir($this->folder, 0700, true);
        $draft = tempnam($this->folder, 'draft-'); // for this user alone
        try {
            $file = fopen($draft, 'w');
            fwrite($file, json_encode($value, JSON_THROW_ON_ERROR));
            if (!fsync($file)) throw new \ErrorException('the disk did not take it');
            $replaces ? rename($draft, $this->path($name)) : link($draft, $this->path($name));
        } catch (\ErrorException $error) {
            if ($replaces || !file_exists($this->path($name))) throw $error;
        } finally {
            if (file_exists($draft)) unlink($draft);
        }
        if (PHP_OS_FAMILY !== 'Windows') fsync(fopen($this->folder, 'r')); // Windows syncs no folders
    }
    public function remove(string $name): bool { return !is_file($this->path($name)) || unlink($this->path($name)); }
    public function names(): array {
        if (!is_dir($this->folder)) return [];
        $files = preg_grep('/^([2-7][0-9a-f])+[.]json$/D', scandir($this->folder));
        return array_map(fn ($file) => hex2bin(basename($file, '.json')), array_values($files));
    }
    private function path(string $name): string { return "$this->folder/" . bin2hex($name) . '.json'; }
}

/** Times are in seconds. An order is not_started if the service has not found it for $notStartedAfter seconds. */
final class Client {
    private string $service;
    public function __construct(
        private string $baseUrl, private string $apiKey, private string $apiSecret, private int $paymentAccountId,
        private object $store, private float $timeout = 10, private float $interval = 5, private float $deadline = 120,
        private float $notStartedAfter = 600, private ?\Closure $now = null, private ?\Closure $sleep = null,
    ) {
        $this->baseUrl = rtrim(trim($baseUrl), '/');
        $this->service = "$this->baseUrl, account $paymentAccountId";
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
        $order = [
            'service' => $this->service,
            'reference' => $reference,
            'service_reference' => createServiceReference($reference),
            ...parsePayment($phone, $amount),
            'status' => 'unknown',
            'checkout_request_id' => null,
            'asked_ms' => (int) round(1000 * ($this->now)()), // when the service has last not found it; at first, now
            'not_found_ms' => 0, // for how long the service has not found it
        ];
        if ($this->get($key) === null) useStore($key, false, fn () => $this->store->add($key, $order));
        $stored = $this->read($key); // of another process, or ended by one while this one stood still
        if (isFinal($stored) || $stored['service_reference'] !== $order['service_reference']) {
            if ($stored['phone'] === $order['phone'] && $stored['amount'] == $order['amount']) return $stored;
            $mayHavePaid = !isFinal($stored) || $stored['status'] === 'completed';
            throw new MomoError('usage', "$key is already an order of another phone or amount", $mayHavePaid);
        }
        $push = ['payment_account_id' => $this->paymentAccountId, 'reference' => $order['service_reference']];
        $push += ['phone' => $order['phone'], 'amount' => $order['amount']];
        try {
            $news = ['status' => 'pending'] + $this->call('/stkpush.php', $push);
        } catch (MomoError $error) {
            if ($error->kind !== 'unknown' && $error->kind !== 'not_started') {
                useStore($key, false, fn () => $this->store->remove($key)); // it was not pushed
                throw $error;
            }
            $news = ['status' => $error->kind, 'result_desc' => $error->getMessage()];
        }
        $asked = "$order[service_reference]~asked"; // what was counted before the push
        if ($news['status'] === 'unknown') useStore($key, true, fn () => $this->store->remove($asked));
        return $this->record($key, $order, $news);
    }
    /** Asks for an order once, now. If no answer comes, it stays as it was. If the service refuses, this throws. */
    public function ask(string $reference): array {
        $key = keyOf($reference);
        $order = $this->read($key);
        if (isFinal($order)) return $order;
        $id = $order['checkout_request_id'];
        try {
            $news = $id ? $this->call('/status.php', ['checkout_request_id' => $id]) : $this->search($order);
        } catch (MomoError $error) {
            if ($error->kind !== 'unknown' && $error->kind !== 'unreachable') throw $error;
            $news = [];
        }
        if ($news === null) $this->countNotFound($this->read($key)); // as it is now: another process may have counted
        return $this->record($key, $order, $news ?? []);
    }

    /** The orders that are not final. One that cannot be read is unreadable, and has an error. */
    public function open(): array {
        $orders = [];
        $names = useStore('the folder', true, fn () => $this->store->names());
        $isStored = array_flip($names);
        foreach ($names as $key) {
            if (str_contains($key, '~') || isset($isStored["$key~ended"])) continue;
            try {
                $orders[] = $this->read($key);
            } catch (MomoError $error) {
                $orders[] = ['reference' => $key, 'status' => 'unreadable', 'error' => $error->getMessage()];
            }
        }
        return array_values(array_filter($orders, fn ($order) => !isFinal($order)));
    }
    /** The payment of an order as the list shows it, or null. The order need not be stored. */
    public function find(string $reference, string $phone, int|float|string $amount): ?array {
        $order = ['reference' => keyOf($reference), 'service_reference' => "$reference~"];
        return $this->search($order + parsePayment($phone, $amount));
    }

    /** All payments, newest first. None is there twice or left out, also if payments arrive meanwhile. */
    public function list(array $filters = []): array {
        $rows = [];
        for ($page = 1, $isNew = true; $isNew && $page <= 10_000; $page += 1) {
            $query = http_build_query(['page' => $page, 'limit' => 100] + $filters, encoding_type: PHP_QUERY_RFC3986);
            $answer = $this->call("/transactions.php?$query");
            $pageRows = $answer['transactions'] ?? $answer['data'] ?? null;
            if (!is_array($pageRows) || array_filter($pageRows, fn ($row) => isset($row['id'])) !== $pageRows) break;
            $isNew = array_diff_key(array_column($pageRows, null, 'id'), $rows) !== [];
            $rows = array_replace($rows, array_column($pageRows, null, 'id'));
            $isLast = $page >= ($answer['pagination']['total_pages'] ?? INF);
            if ($isLast || (!$isNew && count($pageRows) < 100)) return array_values($rows);
        }
        throw new MomoError('unknown', '/transactions.php: no list, or a list without its end', true);
    }
    private function waitForEnd(array $order): array {
        $pause = max(0.1, min($this->interval, $this->deadline));
        for ($waited = 0; !isFinal($order) && $waited < $this->deadline; $waited += $pause) {
            ($this->sleep)($pause);
            $order = $this->ask($order['reference']);
        }
        return $order;
    }

    /** The payment of an order without an id, or null. Rows have no reference. */
    private function search(array $order): ?array {
        $number = substr($order['phone'], 3);
        $isOwn = fn ($row) => ($row['amount'] ?? 0) == $order['amount'] && str_ends_with($row['phone'] ?? '', $number);
        $rowsOf = fn ($text) => array_values(array_filter($this->list(['search' => $text]), $isOwn));
        $rows = $rowsOf($order['service_reference']);
        // A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
        $isExact = $rows !== [] && $this->list(['search' => createServiceReference($order['reference'])]) === [];
        // A proxy can repeat a push. What is paid counts; while one of them is pending, none is final.
        $paid = array_filter($rows, fn ($row) => ($row['status'] ?? '') === 'completed');
        $isOpen = count($rows) > 1 && in_array('pending', array_column($rows, 'status'), true);
        if ($isExact) return $isOpen && !$paid ? [] : [...$paid, ...$rows][0];
        // §4.3 promises the search for a phone alone; a service may show phones as 07…
        $rows = [...$rows, ...$rowsOf($order['phone']), ...$rowsOf("0$number")];
        if ($rows === []) return null;
        $isOther = fn ($name) => !str_starts_with($name, keyOf($order['reference']) . '~');
        $names = preg_grep('/~(pending|ended)$/D', useStore('the folder', true, fn () => $this->store->names()));
        $others = array_map($this->get(...), array_filter($names, $isOther));
        $ids = array_filter(array_column($others, 'checkout_request_id'));
        if (array_diff(array_map(fn ($row) => $row['checkout_request_id'] ?? '', $rows), $ids) === []) return null;
        $same = "another payment of $order[phone] for $order[amount]";
        throw new MomoError('unknown', "$same can be that of $order[reference]", true);
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
        $reason = curl_error($curl) ?: "HTTP $status";
        $message = is_string($answer['message'] ?? null) ? $answer['message'] : "$path: $reason";
        $isSent = curl_getinfo($curl, CURLINFO_PRETRANSFER_TIME) > 0; // 0: the connection was never ready
        $isRefusal = ($answer['success'] ?? null) === false; // without one, it may have been pushed
        $kind = $isSent ? 'unknown' : 'unreachable';
        $isOfNetwork = $status === 500 && str_starts_with($message, 'STK push initiation failed'); // §4.1
        $isOfService = $status >= 400 && $status < 500 && $status !== 408 && $status !== 429;
        if ($isRefusal && $isOfNetwork) $kind = 'not_started';
        if ($isRefusal && $isOfService) $kind = $status === 401 ? 'credentials' : 'refused';
        throw new MomoError($kind, $message, $kind === 'unknown' || $path !== '/stkpush.php');
    }
    /** Adds the time since the last look, at most the interval: a push can come late, and now() can jump. */
    private function countNotFound(array $order): void {
        $nowMs = (int) round(1000 * ($this->now)());
        $elapsedMs = max(0, min($nowMs - $order['asked_ms'], (int) (1000 * $this->interval)));
        $asked = ['asked_ms' => $nowMs, 'not_found_ms' => $order['not_found_ms'] + $elapsedMs];
        $name = "$order[service_reference]~asked";
        useStore($name, true, fn () => $this->store->add($name, $asked, true));
    }

    /** An order as it was stored last: each of its states is a file, which is never changed. */
    private function read(string $key): array {
        $order = $this->get("$key~ended") ?? $this->get("$key~pending") ?? $this->get($key);
        if ($order === null) throw new MomoError('refused', "$key has not been started");
        $owner = isset($order['service_reference']) ? $order['service'] : 'another program or version';
        $refusal = "$key is an order of $owner, not of $this->service: use another folder";
        if ($owner !== $this->service) throw new MomoError('usage', $refusal, true);
        $order = [...$order, ...($this->get("$order[service_reference]~asked") ?? [])];
        $isLost = $order['status'] === 'unknown' && $order['not_found_ms'] >= 1000 * $this->notStartedAfter;
        if ($isLost) $order['status'] = 'not_started';
        return isFinal($order) ? $order : [...$order, 'may_have_paid' => true];
    }
    /** Stores news of an order beside what is stored: no process takes back what another has stored. */
    private function record(string $key, array $order, array $news): array {
        $status = $news['status'] ?? null;
        if ($status !== $order['status'] && ($status === 'pending' || isFinal($news))) {
            $order['status'] = $status;
            $order['checkout_request_id'] ??= $news['checkout_request_id'] ?? null;
            $order['receipt'] = $news['momo_receipt_number'] ?? null;
            $order['result_code'] = $news['result_code'] ?? null;
            $order['result_desc'] = $news['result_desc'] ?? null;
            unset($order['may_have_paid']); // read adds it
            $state = isFinal($news) ? '~ended' : '~pending';
            useStore($key, true, fn () => $this->store->add($key . $state, $order));
        }
        return $this->read($key); // another process may have been faster, or know more
    }
    private function get(string $name): mixed { return useStore($name, true, fn () => $this->store->get($name)); }
}

function isFinal(array $order): bool { return isset(FINAL_STATUSES[$order['status'] ?? '']); }
/** The reference for the service, at most 100 characters. The token tells it from an earlier order of this name. */
function createServiceReference(string $reference): string { return "$reference~" . bin2hex(random_bytes(4)); }
function useStore(string $name, bool $mayHavePaid, \Closure $action): mixed {
    clearstatcache(); // other processes change the files
    set_error_handler(fn ($level, $text) => error_reporting() & $level ? throw new \ErrorException($text) : true);
    try {
        return $action();
    } catch (\Throwable $error) {
        $message = "$name cannot be read or stored: " . $error->getMessage();
        throw new MomoError('store', $mayHavePaid ? "$message; the customer may have paid" : $message, $mayHavePaid);
    } finally {
        restore_error_handler();
    }
}
function keyOf(string $reference): string {
    $refusal = "reference must be 1-91 ASCII characters, no ~, no outer spaces; it is '$reference'";
    if (!preg_match('/^(?! )[ -}]{1,91}(?<! )$/D', $reference)) throw new MomoError('usage', $refusal);
    return strtolower($reference); // the service ignores the case
}
function parsePayment(string $phone, int|float|string $amount): array {
    $isPhone = preg_match('/^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/D', preg_replace('/[\s().-]/u', '', $phone), $match);
    if (!$isPhone) throw new MomoError('usage', "the phone must be such as 0712345678; it is '$phone'");
    $refusal = "the amount must be from 1, with two decimals at most; it is '$amount'";
    if (!preg_match('/^[1-9]\d{0,8}(\.\d{1,2})?$/D', (string) $amount)) throw new MomoError('usage', $refusal);
    return ['phone' => "254$match[1]", 'amount' => 0 + (string) $amount]; // the number that was checked
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
        $doubt = $error->mayHavePaid ?? true;
        $result = ['error' => ['code' => $kind, 'message' => $error->getMessage(), 'may_have_paid' => $doubt]];
    }
    echo json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES), "\n";
    exit($code);
}
