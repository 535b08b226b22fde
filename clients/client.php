<?php // A client for the mobile-money API in one file, for PHP 8.2 and later with curl. Copy it into your program.
//   $momo = new Momo\Client($baseUrl, $apiKey, $apiSecret, $paymentAccountId, new Momo\FileStore('/srv/orders'));
//   $order = $momo->pay('ORDER-0001', '0712345678', 100);
// A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
//   pending, unknown             not final (may_have_paid, reason); unknown: the answer to the push was lost
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the push was refused or never came; ask finds one that comes late
// An error has mayHavePaid: if it is false, nothing was pushed. A web request calls start. Its page asks your server
// every 5 s, and that calls ask($reference). A webhook, which anybody can send, only says when to ask for its order. A
// cron asks for every order unpaid in your database. Each books what is completed: UPDATE … WHERE id = ? AND paid =
// false; if a row changed, deliver. In tests, sleep($seconds) moves the sandbox's clock, and now() tells its time.
namespace Momo;

/** The final statuses and the kinds of errors, with exit codes. unreachable: nothing was sent. unknown: no answer. */
const FINAL_STATUSES = ['completed' => 0, 'failed' => 10, 'cancelled' => 11, 'expired' => 12, 'not_started' => 5];
const ERRORS = ['usage' => 2, 'not_found' => 3, 'credentials' => 4, 'refused' => 5, 'unreachable' => 6, 'unknown' => 6];
const REFUSALS = [400 => 'refused', 401 => 'credentials', 403 => 'refused', 404 => 'refused', 405 => 'refused'];
const UNKNOWN = ['checkout_request_id' => null, 'receipt' => null, 'result_code' => null, 'result_desc' => null];
const ADDRESS = '~^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?(/[^\s?#]*)?$~Di';

final class MomoError extends \Exception {
    public function __construct(public string $kind, string $message, public bool $mayHavePaid = true) {
        parent::__construct($message);
    }
}

/** Keeps values as files, for programs in all languages. A store of yours, such as a table, needs these methods. */
final class FileStore {
    public function __construct(private string $folder) {
        check($folder, '~^(/|\\\\|[a-z]:)~i', 'the folder of the orders', 'an absolute path, such as /srv/orders');
    }

    public function get(string $name): ?array {
        if (is_dir($this->folder)) opendir("$this->folder/."); // fails if this user may not see what is there
        if (!file_exists($this->path($name))) return null;
        return (array) json_decode(file_get_contents($this->path($name)), true, flags: JSON_THROW_ON_ERROR);
    }

    /** Keeps a value that is there, unless it replaces it, for all processes. A crash leaves no half file. */
    public function add(string $name, array $value, bool $replaces = false): void {
        if (!is_dir($this->folder)) mkdir($this->folder, 0700, true);
        $draft = tempnam($this->folder, 'draft-'); // for this user alone
        try {
            file_put_contents($draft, json_encode($value, JSON_THROW_ON_ERROR));
            if (!fsync(fopen($draft, 'r+'))) throw new \ErrorException('the disk did not take it');
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
        if (!file_exists($this->folder)) return [];
        $files = preg_grep('/^([2-7][0-9a-f])+[.]json$/D', scandir($this->folder));
        return array_map(fn ($file) => hex2bin(basename($file, '.json')), array_values($files));
    }

    private function path(string $name): string { return "$this->folder/" . bin2hex($name) . '.json'; }
}

/** Times are in seconds. An order is not_started after $notStartedAfter seconds of looks (an interval each at most). */
final class Client {
    private string $service;
    public function __construct(
        private ?string $baseUrl, private ?string $apiKey, private ?string $apiSecret, private mixed $paymentAccountId,
        private object $store, private float $timeout = 10, private float $interval = 5, private float $deadline = 120,
        private float $notStartedAfter = 600, private ?\Closure $now = null, private ?\Closure $sleep = null,
    ) {
        check($apiKey, '/^[!-~]+$/D', 'apiKey (MOMO_API_KEY)', 'ASCII without spaces');
        check($apiSecret, '/^[!-~]+$/D', 'apiSecret (MOMO_API_SECRET)', 'ASCII without spaces');
        check($paymentAccountId, '/^[1-9]\d{0,14}$/D', 'account (MOMO_PAYMENT_ACCOUNT_ID)', 'a number');
        $this->baseUrl = rtrim(check($baseUrl, ADDRESS, 'baseUrl (MOMO_BASE_URL)', 'such as https://host/v2'), '/');
        $this->service = "$this->baseUrl, account $paymentAccountId";
        $this->now ??= fn () => microtime(true);
        $this->sleep ??= fn (float $seconds) => usleep((int) ($seconds * 1e6));
    }

    public function pay(string $reference, string $phone, int|float|string $amount): array {
        return $this->wait($reference, $this->start($reference, $phone, $amount));
    }

    /** Starts an order. If it is stored already, it is returned, and nothing is pushed. */
    public function start(string $reference, string $phone, int|float|string $amount): array {
        $key = keyOf($reference);
        $order = [
            'service' => $this->service,
            'reference' => $reference,
            'service_reference' => "$reference~" . bin2hex(random_bytes(4)), // 100 characters at most
            ...parsePayment($phone, $amount),
            'status' => 'unknown',
            ...UNKNOWN,
            'asked_ms' => (int) round(1000 * ($this->now)()), // when the service has last not found it; at first, now
            'not_found_ms' => 0, // for how long the service has not found it
        ];
        if ($this->get($key) === null) useStore($key, fn () => $this->store->add($key, $order), mayHavePaid: false);
        $stored = $this->read($key); // of another process, or ended by one while this one stood still
        $isOwn = $stored['service_reference'] === $order['service_reference'];
        if ($isOwn && !isFinal($stored)) return $this->push($key, $order);
        if ($stored['phone'] === $order['phone'] && $stored['amount'] == $order['amount']) return $stored;
        throw new MomoError('usage', "$key is already an order of another phone or amount");
    }

    private function push(string $key, array $order): array {
        $body = ['payment_account_id' => (int) $this->paymentAccountId, 'reference' => $order['service_reference']];
        $body += ['phone' => $order['phone'], 'amount' => $order['amount']];
        try {
            $payment = ['status' => 'pending'] + $this->call('/stkpush.php', $body);
        } catch (MomoError $error) {
            if ($error->kind !== 'unknown' && $error->kind !== 'not_started') {
                useStore($key, fn () => $this->store->remove($key), mayHavePaid: false); // nothing was pushed
                throw $error;
            }
            $payment = ['status' => $error->kind, 'result_desc' => $error->getMessage()];
        }
        useStore($key, fn () => $this->store->remove("$order[service_reference]~asked")); // looks before it say nothing
        return $this->record($key, $order, $payment, $payment['result_desc'] ?? null);
    }

    public function wait(string $reference, ?array $started = null): array {
        $pause = max(0.1, min($this->interval, $this->deadline));
        $order = $started ?? $this->ask($reference);
        for ($waited = 0; !isFinal($order) && $waited < $this->deadline; $waited += $pause) {
            ($this->sleep)($pause);
            $order = $this->ask($reference);
        }
        return $order;
    }

    /** Asks for an order once, now. If no answer comes, it stays as it was. If the service refuses, this throws. */
    public function ask(string $reference): array {
        $key = keyOf($reference);
        $order = $this->read($key);
        if (isFinal($order) && ($order['status'] !== 'not_started' || $order['not_found_ms'] === 0)) return $order;
        try {
            $payment = $this->findPayment($order);
        } catch (MomoError $error) {
            if ($error->kind !== 'unknown' && $error->kind !== 'unreachable') throw $error;
            return $this->read($key, $error->getMessage());
        }
        if ($payment !== null) return $this->record($key, $order, $payment);
        $this->countNotFound($key);
        return $this->read($key, 'the service shows no payment');
    }

    /** The orders that are not final. */
    public function open(): array {
        $keys = preg_grep('/~/', useStore('the folder', fn () => $this->store->names()), PREG_GREP_INVERT);
        return array_values(array_filter(array_map($this->read(...), $keys), fn ($order) => !isFinal($order)));
    }

    /** The payment of an order as the list shows it, or null. The order need not be stored. */
    public function find(string $reference, string $phone, int|float|string $amount): ?array {
        $order = ['reference' => keyOf($reference), 'service_reference' => "$reference~"];
        return $this->findPayment($order + parsePayment($phone, $amount) + ['checkout_request_id' => null]);
    }

    /** All payments, newest first. Each is there once, also if payments arrive meanwhile. */
    public function list(array $filter = []): array {
        $rows = [];
        for ($page = 1; ; $page += 1) {
            $answer = $this->call('/transactions.php?' . http_build_query(['page' => $page, 'limit' => 100] + $filter));
            $pageRows = $answer['transactions'] ?? $answer['data'] ?? null;
            $isList = is_array($pageRows) && array_filter($pageRows, fn ($row) => $row['id'] ?? null) === $pageRows;
            if (!$isList) throw new MomoError('unknown', '/transactions.php: the answer has no list of payments');
            $isNew = array_diff_key(array_column($pageRows, null, 'id'), $rows) !== [];
            $rows = array_replace($rows, array_column($pageRows, null, 'id'));
            $isLast = $page === ($answer['pagination']['total_pages'] ?? null) || (!$isNew && count($pageRows) < 100);
            if ($isLast) return array_values($rows);
            if (!$isNew) throw new MomoError('unknown', '/transactions.php: a list without its end');
        }
    }

    /** The payment of an order, or null. A proxy can repeat a push: a paid one counts, or else all must have ended. */
    private function findPayment(array $order): ?array {
        $id = $order['checkout_request_id'];
        $payments = $id ? [$this->call('/status.php', ['checkout_request_id' => $id])] : $this->findByReference($order);
        $isOther = $id && ($payments[0]['checkout_request_id'] ?? $id) !== $id;
        if ($isOther) throw new MomoError('unknown', "/status.php: the answer is not of $id");
        $statuses = array_map(fn ($payment) => $payment['status'] ?? null, $payments);
        if (in_array('completed', $statuses, true)) return $payments[array_search('completed', $statuses, true)];
        $isUnpaid = fn ($status) => in_array($status, ['failed', 'cancelled', 'expired'], true);
        if ($statuses === ['pending'] || array_filter($statuses, $isUnpaid) === $statuses) return $payments[0] ?? null;
        throw new MomoError('unknown', 'the service shows ' . json_encode($statuses));
    }

    private function findByReference(array $order): array { // empty only if no payment can be its own
        ['reference' => $reference, 'phone' => $phone, 'amount' => $amount] = $order;
        $isPhone = fn ($row) => str_ends_with((string) ($row['phone'] ?? ''), substr($phone, 3));
        $isOwn = fn ($row) => $isPhone($row) && ($row['amount'] ?? 0) == $amount;
        $found = $this->list(['search' => $order['service_reference']]);
        $own = array_values(array_filter($found, $isOwn));
        // A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
        if ($own && $this->list(['search' => "$reference~" . bin2hex(random_bytes(4))]) === []) return $own;
        // §4.3 promises the search for a phone alone; a service may show phones as 07…
        $rows = [...$this->list(['search' => $phone]), ...$this->list(['search' => '0' . substr($phone, 3)])];
        $rowIds = array_map(fn ($row) => $row['checkout_request_id'] ?? '', array_filter($rows, $isOwn));
        $isOfOther = fn ($name) => !str_starts_with($name, keyOf($reference) . '~');
        $names = array_filter(useStore('the folder', fn () => $this->store->names()), $isOfOther);
        $ids = array_filter(array_column(array_map($this->get(...), $names), 'checkout_request_id'));
        if ($found === [] && array_diff($rowIds, $ids) === []) return [];
        throw new MomoError('unknown', "the service shows a payment that can be that of $reference");
    }

    /** The answer of the service, if it is a success. */
    private function call(string $path, ?array $body = null): array {
        $curl = curl_init($this->baseUrl . $path);
        $headers = ["X-API-Key: $this->apiKey", "X-API-Secret: $this->apiSecret", 'Content-Type: application/json'];
        curl_setopt($curl, CURLOPT_HTTPHEADER, $headers);
        curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
        curl_setopt($curl, CURLOPT_TIMEOUT_MS, max(1, (int) (1000 * $this->timeout)));
        if ($body !== null) curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body));
        $answer = json_decode((string) curl_exec($curl), true);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status === 200 && ($answer['success'] ?? null) === true) return $answer;
        $isReady = curl_getinfo($curl, CURLINFO_PRETRANSFER_TIME) > 0; // the connection
        $kind = $isReady || curl_errno($curl) === CURLE_OPERATION_TIMEDOUT ? 'unknown' : 'unreachable';
        $message = (string) ($answer['message'] ?? '') ?: "$path: " . (curl_error($curl) ?: "HTTP $status");
        $isOfNetwork = $status === 500 && str_starts_with($message, 'STK push initiation failed'); // §4.1
        $isRefusal = ($answer['success'] ?? null) === false; // without one, it may have been pushed
        if ($isRefusal) $kind = REFUSALS[$status] ?? ($isOfNetwork ? 'not_started' : 'unknown');
        throw new MomoError($kind, $message, mayHavePaid: $kind === 'unknown' || $path !== '/stkpush.php');
    }

    /** Adds the time since the last look, at most the interval: a push can come late, and now() can jump. */
    private function countNotFound(string $key): void {
        $order = $this->read($key); // another process may have counted meanwhile
        $nowMs = (int) round(1000 * ($this->now)());
        $elapsedMs = max(0, min($nowMs - $order['asked_ms'], (int) (1000 * $this->interval)));
        $asked = ['asked_ms' => $nowMs, 'not_found_ms' => $order['not_found_ms'] + $elapsedMs];
        useStore($key, fn () => $this->store->add("$order[service_reference]~asked", $asked, replaces: true));
    }

    /** Stores what a payment says, beside what is stored: no process takes back what another has stored. */
    private function record(string $key, array $stored, array $payment, ?string $reason = null): array {
        $status = $payment['status'];
        if ($status !== $stored['status'] && $status !== 'unknown') {
            $order = [...$stored, 'status' => $status, 'receipt' => $payment['momo_receipt_number'] ?? null ?: null];
            $order['checkout_request_id'] ??= $payment['checkout_request_id'] ?? null ?: null;
            $order['result_code'] = $payment['result_code'] ?? null;
            $order['result_desc'] = $payment['result_desc'] ?? null;
            unset($order['may_have_paid']); // read adds it
            useStore($key, fn () => $this->store->add($key . (isFinal($order) ? '~ended' : '~pending'), $order));
        }
        return $this->read($key, $reason);
    }

    /** An order as it was stored last, and why it is not final. Each of its states is a file that never changes. */
    private function read(string $key, ?string $reason = null): array {
        $order = $this->get("$key~ended") ?? $this->get("$key~pending") ?? $this->get($key);
        if ($order === null) throw new MomoError('not_found', "$key has not been started with this folder");
        $owner = $order['service'] ?? 'another program';
        if ($owner !== $this->service)
            throw new MomoError('usage', "$key is an order of $owner, not of $this->service: use another folder");
        $order = [...$order, ...($this->get("$order[service_reference]~asked") ?? [])];
        if ($order['status'] === 'unknown' && $order['not_found_ms'] >= 1000 * $this->notStartedAfter)
            return ['status' => 'not_started', 'result_desc' => 'the service did not find it in time'] + $order;
        return isFinal($order) ? $order : [...$order, 'may_have_paid' => true, ...array_filter(['reason' => $reason])];
    }

    private function get(string $name): mixed { return useStore($name, fn () => $this->store->get($name)); }
}

function useStore(string $name, \Closure $action, bool $mayHavePaid = true): mixed {
    clearstatcache(); // other processes change the files
    set_error_handler(fn ($level, $text) => throw new \ErrorException($text));
    try {
        return $action();
    } catch (\Throwable $error) {
        $message = "$name cannot be read or stored: " . $error->getMessage();
        throw new MomoError('store', $mayHavePaid ? "$message; the customer may have paid" : $message, $mayHavePaid);
    } finally {
        restore_error_handler();
    }
}

function isFinal(array $order): bool { return isset(FINAL_STATUSES[$order['status']]); }

function check(mixed $value, string $pattern, string $name, string $right): mixed {
    $usage = "$name must be $right" . (str_contains($name, 'Secret') ? '' : "; it is '$value'");
    return preg_match($pattern, (string) $value) ? $value : throw new MomoError('usage', $usage, mayHavePaid: false);
}

function keyOf(string $name): string { // the service ignores the case
    return strtolower(check($name, '/^(?! )[ -}]{1,91}(?<! )$/D', 'reference', '1-91 of ASCII, no ~, no outer spaces'));
}

function parsePayment(string $phone, int|float|string $amount): array {
    $digits = preg_replace('/[\s().-]/u', '', $phone) ?? $phone;
    check($digits, '/^(?:\+?254|0|(?=[17]\d{8}$))\d{9}$/D', 'the phone', 'such as 0712345678');
    check($amount, '/^[1-9]\d{0,8}(\.\d{1,2})?$/D', 'the amount', 'from 1, two decimals at most');
    return ['phone' => '254' . substr($digits, -9), 'amount' => 0 + (string) $amount]; // the number that was checked
}

const COMMANDS = ['pay' => 3, 'start' => 3, 'find' => 3, 'wait' => 1, 'ask' => 1, 'open' => 0]; // with their arguments
const VARIABLES = ['MOMO_BASE_URL', 'MOMO_API_KEY', 'MOMO_API_SECRET', 'MOMO_PAYMENT_ACCOUNT_ID'];
const USAGE = 'client.php pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open';

if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    try {
        $command = $argv[1] ?? '';
        $refusal = 'the command must be ' . USAGE . '; it is "' . implode(' ', array_slice($argv, 1)) . '"';
        if ((COMMANDS[$command] ?? null) !== $argc - 2) throw new MomoError('usage', $refusal, mayHavePaid: false);
        [$baseUrl, $apiKey, $apiSecret, $account] = array_map(fn ($name) => getenv($name) ?: null, VARIABLES);
        $store = new FileStore(getenv('MOMO_ORDERS') ?: __DIR__ . '/momo-orders');
        $result = (new Client($baseUrl, $apiKey, $apiSecret, $account, $store))->$command(...array_slice($argv, 2));
        $code = $result === null ? 3 : FINAL_STATUSES[$result['status'] ?? ''] ?? 13; // 3: find has found nothing
        if ($command === 'open') $code = 0;
    } catch (MomoError $e) {
        $code = ERRORS[$e->kind] ?? 1;
        $result = ['error' => ['code' => $e->kind, 'message' => $e->getMessage(), 'may_have_paid' => $e->mayHavePaid]];
    }
    echo json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES), "\n";
    exit($code);
}
