<?php
// A client for the mobile-money API in one file, for PHP 8.2 and later with curl. Copy it into your program, and keep it.
//   $momo = new Momo\Client($baseUrl, $apiKey, $apiSecret, $paymentAccountId, new Momo\FileStore('orders'));
//   $order = $momo->pay('ORDER-0001', '0712345678', 100);
//   if ($order['status'] === 'completed') { deliver($order); } // once for each order
// A reference is an order. It is stored before its push, and pushed once. After a failure, a new try needs a new reference.
//   pending                      the customer is asked: "Look at your phone."
//   unknown                      the answer to the push was lost, so it is not known whether the customer is asked
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the network refused the push, or the service does not have the payment
// While it is pending or unknown, the customer may have paid (may_have_paid): ask again later. The others never change.
// A script calls pay, also again after a crash: it waits for two minutes, and goes on where it was.
// A web request calls start, and returns. The page then asks your server every 5 s, and your server calls ask($reference).
// A cron, every minute:  foreach ($momo->open() as $order) { $momo->ask($order['reference']); }
// A webhook names no reference, and anybody can send one: find its checkout_request_id in open(), and ask; if it is not there, 404.
// Tests: a new folder for each run. A test that moves the sandbox's clock gives two functions: sleep($seconds) moves that
// clock, and now() returns how many seconds sleep has moved it.
namespace Momo;

/** The final statuses and the kinds of errors, with the exit codes of the command. */
const FINAL_STATUSES = ['completed' => 0, 'failed' => 10, 'cancelled' => 11, 'expired' => 12, 'not_started' => 5];
const ERRORS = ['usage' => 2, 'credentials' => 4, 'refused' => 5, 'unreachable' => 6, 'unknown' => 6, 'store' => 1];
/** Errors of curl before anything was sent: no such protocol, address or host, no connection, no TLS, a wrong certificate. */
const UNSENT = [1, 3, 6, 7, 35, 60];
const JSON_FORM = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS;

/** $kind: one of ERRORS. $mayHavePaid: whether the customer may have paid all the same. */
final class MomoError extends \Exception {
    public function __construct(public string $kind, string $text, public bool $mayHavePaid = false) { parent::__construct($text); }
}

/** Orders as files in a folder. Processes may share it, also with the clients in other languages. */
final class FileStore {
    public function __construct(private string $folder) {
        is_dir($folder) || @mkdir($folder, recursive: true) || is_dir($folder) || throw new MomoError('store', "no folder $folder");
    }
    public function get(string $key): ?array {
        $path = $this->path($key);
        if (!file_exists($path) && is_dir($this->folder) && is_readable($this->folder)) { return null; }
        $order = json_decode((string) @file_get_contents($path), true);
        return $order ?? throw new \RuntimeException("$path is not a whole order");
    }
    /** Whether it was added, and not there already. Of several processes, one succeeds. */
    public function add(string $key, array $order): bool {
        $isAdded = $this->place($key, $order, 'link');
        return $isAdded || ($this->get($key) ? false : throw new \RuntimeException('a link cannot be made'));
    }
    public function set(string $key, array $order): void {
        $this->place($key, $order, 'rename') || throw new \RuntimeException('a file cannot be renamed');
    }
    public function remove(string $key): void { unlink($this->path($key)); }
    public function keys(): array {
        $names = @scandir($this->folder) ?: throw new \RuntimeException("$this->folder cannot be read");
        $files = array_values(preg_grep('/^([0-9a-f]{2})+[.]json$/D', $names));
        return array_map(fn ($name) => hex2bin(substr($name, 0, -strlen('.json'))), $files);
    }
    private function path(string $key): string { return "$this->folder/" . bin2hex($key) . '.json'; }
    /** Writes a whole file, and then gives it the name, so that a crash leaves no half order. */
    private function place(string $key, array $order, callable $giveName): bool {
        $draft = "$this->folder/" . bin2hex(random_bytes(16)) . '.draft';
        $text = json_encode($order, JSON_THROW_ON_ERROR | JSON_FORM);
        try {
            $file = @fopen($draft, 'x');
            $isWritten = $file && @fwrite($file, $text) === strlen($text) && fsync($file);
            $isWritten || throw new \RuntimeException(error_get_last()['message'] ?? "$draft cannot be written");
            $isPlaced = @$giveName($draft, $this->path($key));
        } finally {
            @unlink($draft);
        }
        PHP_OS_FAMILY === 'Windows' || fsync(fopen($this->folder, 'r')); // Windows syncs no folders
        return $isPlaced;
    }
}

/** Times are in seconds. $settled: an order has not started if the service has answered for so long that it has no payment. */
final class Client {
    private string $service;
    private float $retryAfter = 0; // as the last answer said
    public function __construct(
        string $baseUrl, private string $apiKey, private string $apiSecret, private int $paymentAccountId,
        private object $store, private float $timeout = 10, private float $interval = 5, private float $deadline = 120,
        private float $settled = 600, private ?\Closure $now = null, private ?\Closure $sleep = null,
    ) {
        $this->service = rtrim(trim($baseUrl), '/');
        $offset = microtime(true) - hrtime(true) / 1e9;
        $this->now ??= fn () => $offset + hrtime(true) / 1e9; // microtime can jump
        $this->sleep ??= fn (float $seconds) => usleep((int) ($seconds * 1e6));
    }
    /** Starts a payment and waits for its end, or goes on with it. */
    public function pay(string $reference, string $phone, int|float|string $amount): array {
        return $this->follow($this->start($reference, $phone, $amount));
    }
    /** Asks until the status is final or the deadline has come. */
    public function wait(string $reference): array { return $this->follow($this->ask($reference)); }

    /** Starts a payment, or returns the order as it is stored. It never pushes twice. */
    public function start(string $reference, string $phone, int|float|string $amount): array {
        $key = key($reference);
        $charge = charge($phone, $amount);
        $order = [
            'service' => $this->service,
            'reference' => $reference,
            'pushed_as' => pushedAs($reference, bin2hex(random_bytes(4))),
            'phone' => $charge['phone'],
            'amount' => $charge['amount'],
            'status' => 'unknown',
            'checkout_request_id' => null,
            'receipt' => null,
            'result_code' => null,
            'result_desc' => null,
            'started_at' => $this->nowMs(),
            'asks' => 0, // how often the service was asked
            'looked_at' => null, // when it last answered that it does not have the payment
            'missing_ms' => 0, // for how long it has answered so
        ];
        $isNew = $this->read($key) === null && stored($key, false, fn () => $this->store->add($key, $order));
        if (!$isNew) { return shown($this->known($key, $charge)); }
        try {
            $payment = ['payment_account_id' => $this->paymentAccountId, ...$charge, 'reference' => $order['pushed_as']];
            $answer = $this->call('/stkpush.php', $payment);
            return isset($answer['checkout_request_id']) ? $this->update($key, ['status' => 'pending'] + $answer, $order) : shown($order);
        } catch (MomoError $error) {
            if ($error->kind === 'unknown') { return shown($order); } // it may have been pushed: ask looks for it
            $refusal = ['status' => 'not_started', 'result_desc' => $error->getMessage()];
            if ($error->kind === 'not_started') { return $this->update($key, $refusal, $order); }
            if ($error->kind !== 'store') { stored($key, false, fn () => $this->store->remove($key)); } // it was not pushed
            throw $error;
        }
    }
    private function follow(array $order): array {
        $key = key($order['reference']);
        $waited = 0;
        while (!isFinal($order) && $waited < $this->deadline) {
            $pause = max(min($this->interval, $this->deadline), $this->retryAfter);
            $before = ($this->now)();
            ($this->sleep)($pause);
            $latest = $this->known($key);
            $order = $latest['asks'] === $order['asks'] ? $this->ask($key) : shown($latest); // not if another process has asked
            $waited += min(max($pause, ($this->now)() - $before), $pause + $this->timeout); // also if the clock jumps
        }
        return $order;
    }

    /** Asks once, now. If no answer comes, the order stays as it was. */
    public function ask(string $reference): array {
        $key = key($reference);
        $order = $this->known($key);
        if (isFinal($order)) { return $order; }
        $order['asks']++;
        $this->write($key, $order);
        try {
            $id = $order['checkout_request_id'];
            $answer = $id ? $this->call('/status.php', ['checkout_request_id' => $id]) : $this->findPushed($order);
            return $answer ? $this->update($key, $answer, $order) : $this->miss($key);
        } catch (MomoError $error) {
            $error->mayHavePaid = true;
            if ($error->kind === 'store' || $error->kind === 'credentials') { throw $error; }
            return shown($this->read($key) ?? $order);
        }
    }
    private function update(string $key, array $answer, array $asked): array {
        $order = $this->read($key) ?? $asked; // a file that is gone is written again
        if (isFinal($order)) { return $order; } // another process was faster
        $order['checkout_request_id'] ??= $answer['checkout_request_id'] ?? null;
        if (($answer['status'] ?? '') === 'pending' || isFinal($answer)) { $order['status'] = $answer['status']; }
        $order['receipt'] = $answer['momo_receipt_number'] ?? null;
        $order['result_code'] = $answer['result_code'] ?? null;
        $order['result_desc'] = $answer['result_desc'] ?? null;
        return $this->write($key, $order);
    }
    /** Stores that the service does not have the payment now. A push can be on its way for minutes, so it may come later. */
    private function miss(string $key): array {
        $order = $this->known($key);
        if ($order['status'] !== 'unknown') { return shown($order); }
        $nowMs = $this->nowMs();
        $sinceMs = $order['looked_at'] === null ? 0 : $nowMs - $order['looked_at'];
        $order['missing_ms'] += min(max(0, $sinceMs), (int) ($this->interval * 1000)); // one interval, if the clock jumps
        $order['looked_at'] = $nowMs;
        if ($sinceMs > 0 && $order['missing_ms'] >= $this->settled * 1000) { $order['status'] = 'not_started'; }
        return $this->write($key, $order);
    }
    /** The orders that are not final. */
    public function open(): array {
        $orders = array_map($this->known(...), stored('the folder', true, fn () => $this->store->keys()));
        return array_map(shown(...), array_values(array_filter($orders, fn ($order) => !isFinal($order))));
    }
    /** The payment of an order as the list shows it, or null; it needs no stored order. */
    public function find(string $reference, string $phone, int|float|string $amount): ?array {
        key($reference);
        return $this->findPushed(['pushed_as' => pushedAs($reference, '')] + charge($phone, $amount));
    }
    /** A search finds what begins with its text, and rows show no reference: phone and amount are compared, too. */
    private function findPushed(array $order): ?array {
        $number = substr($order['phone'], 3);
        $isOwn = fn ($row) => ($row['amount'] ?? 0) == $order['amount'] && str_ends_with($row['phone'] ?? '', $number);
        $own = array_values(array_filter($this->list(['search' => $order['pushed_as']]), $isOwn));
        $paid = array_values(array_filter($own, fn ($row) => ($row['status'] ?? '') === 'completed'));
        return $paid[0] ?? $own[0] ?? null;
    }

    /** All rows, newest first: none twice, and none is left out, also while payments arrive. */
    public function list(array $filters = []): array {
        $status = $filters['status'] ?? null;
        unset($filters['status']); // statuses change while pages are read: filter by them at the end
        $rows = [];
        for ($page = 1; ; $page++) {
            $query = http_build_query([...$filters, 'page' => $page, 'limit' => 100], encoding_type: PHP_QUERY_RFC3986);
            $answer = $this->call("/transactions.php?$query");
            $pageRows = $answer['transactions'] ?? $answer['data'] ?? null;
            $isList = is_array($pageRows) && array_filter($pageRows, fn ($row) => isset($row['id'])) === $pageRows;
            $isList || throw new MomoError('unknown', '/transactions.php: no list', true);
            $countBefore = count($rows);
            $rows = array_replace($rows, array_column($pageRows, null, 'id'));
            if (count($pageRows) < ($answer['pagination']['per_page'] ?? 100)) { break; }
            count($rows) > $countBefore || throw new MomoError('unknown', '/transactions.php: the same page', true);
        }
        return array_values(array_filter($rows, fn ($row) => $status === null || ($row['status'] ?? null) === $status));
    }

    /** The answer, if it is the service's and a success. */
    private function call(string $path, ?array $body = null): array {
        $curl = curl_init($this->service . $path);
        $headers = ["X-API-Key: $this->apiKey", "X-API-Secret: $this->apiSecret", 'Content-Type: application/json'];
        curl_setopt_array($curl, [
            CURLOPT_HTTPHEADER => array_map(trim(...), $headers),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => (int) ($this->timeout * 1000),
            CURLOPT_NOPROGRESS => false,
            CURLOPT_PROGRESSFUNCTION => fn ($curl, $total, $received) => $received > 10_000_000 ? 1 : 0,
        ]);
        if ($body !== null) { curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR)); }
        $answer = json_decode((string) curl_exec($curl), true);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $this->retryAfter = min(curl_getinfo($curl, CURLINFO_RETRY_AFTER), 60);
        if ($status === 200 && ($answer['success'] ?? null) === true) { return $answer; }
        $isUnsent = curl_getinfo($curl, CURLINFO_REQUEST_SIZE) === 0 && in_array(curl_errno($curl), UNSENT, true);
        $kind = $isUnsent ? 'unreachable' : kindOfFailure($status, $answer);
        $message = $answer['message'] ?? "$path: no answer of the service ($status " . curl_error($curl) . ')';
        throw new MomoError($kind, $message, $kind === 'unknown');
    }
    private function nowMs(): int { return (int) round(($this->now)() * 1000); }
    private function read(string $key): ?array {
        $order = stored($key, true, fn () => $this->store->get($key));
        $service = $order['service'] ?? 'another program';
        if ($order === null || $service === $this->service) { return $order; }
        throw new MomoError('usage', "$key is an order of $service, not of $this->service: use another folder");
    }
    /** The stored order, which must be there, and be of this phone and amount if they are given. */
    private function known(string $key, array $charge = []): array {
        $order = $this->read($key) ?? throw new MomoError('refused', "$key has not been started");
        $isSame = $charge + $order == $order;
        return $isSame ? $order : throw new MomoError('usage', "$key is an order of $order[phone] for $order[amount] already");
    }
    private function write(string $key, array $order): array {
        stored($key, true, fn () => $this->store->set($key, $order));
        return shown($order);
    }
}

function isFinal(array $order): bool { return isset(FINAL_STATUSES[$order['status'] ?? '']); }
function shown(array $order): array { return isFinal($order) ? $order : $order + ['may_have_paid' => true]; }
/** The reference for the service, at most 100 characters. A search for it finds no other order, and none of earlier. */
function pushedAs(string $reference, string $token): string { return substr($reference, 0, 91) . "~$token"; }
function stored(string $name, bool $mayHavePaid, \Closure $action): mixed {
    try {
        return $action();
    } catch (\Throwable $error) {
        $doubt = $mayHavePaid ? '; the customer may have paid' : '';
        throw new MomoError('store', "$name cannot be read or stored: " . $error->getMessage() . $doubt, $mayHavePaid);
    }
}
/** Only a refusal by the service itself says that nothing was pushed. */
function kindOfFailure(int $status, mixed $answer): string {
    if (($answer['success'] ?? null) !== false) { return 'unknown'; }
    if ($status === 401) { return 'credentials'; }
    if ($status === 500 && str_starts_with($answer['message'] ?? '', 'STK push initiation failed')) { return 'not_started'; }
    return $status >= 400 && $status < 500 && !in_array($status, [408, 429], true) ? 'refused' : 'unknown';
}
function check(string $name, string $value, string $pattern, string $rule): array {
    return preg_match($pattern, $value, $match) ? $match : throw new MomoError('usage', "$name must be $rule; it is '$value'");
}
/** The name of an order in the store. The service ignores the case of a reference. */
function key(string $reference): string {
    $rule = '1 to 100 printable characters of ASCII without ~, no space at its ends';
    return strtolower(check('reference', $reference, '/^(?! )[ -}]{1,100}(?<! )$/D', $rule)[0]);
}
function charge(string $phone, int|float|string $amount): array {
    $digits = preg_replace('/[ ().-]/', '', $phone);
    $number = check('phone', $digits, '/^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/D', 'such as 0712345678')[1];
    $rule = 'a number from 1, with two decimals at most';
    $value = (float) check('amount', (string) $amount, '/^[1-9]\d{0,8}(\.\d{1,2})?$/D', $rule)[0];
    return ['phone' => "254$number", 'amount' => $value == (int) $value ? (int) $value : $value];
}
const COMMANDS = ['pay' => 3, 'start' => 3, 'find' => 3, 'wait' => 1, 'ask' => 1, 'open' => 0];
const VARIABLES = ['MOMO_BASE_URL', 'MOMO_API_KEY', 'MOMO_API_SECRET', 'MOMO_PAYMENT_ACCOUNT_ID'];
const USAGE = 'client.php pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open, with ';
function runCommand(string $command = '', string ...$arguments): ?array {
    [$baseUrl, $apiKey, $apiSecret, $account] = array_map(fn ($name) => (string) getenv($name), VARIABLES);
    $isComplete = $baseUrl && $apiKey && $apiSecret && preg_match('/^[1-9][0-9]{0,14}$/D', $account);
    $isCommand = (COMMANDS[$command] ?? -1) === count($arguments);
    $isComplete && $isCommand || throw new MomoError('usage', USAGE . implode(', ', VARIABLES));
    $folder = (string) getenv('MOMO_ORDERS');
    $store = new FileStore($folder === '' ? 'momo-orders' : $folder);
    return (new Client($baseUrl, $apiKey, $apiSecret, (int) $account, $store))->$command(...$arguments);
}

if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    try {
        $result = runCommand(...array_slice($argv, 1));
        $code = $result === null ? 3 : (array_is_list($result) ? 0 : FINAL_STATUSES[$result['status']] ?? 13);
    } catch (\Throwable $error) {
        $kind = $error->kind ?? 'unexpected';
        $code = ERRORS[$kind] ?? 1;
        $failure = ['code' => $kind, 'message' => $error->getMessage(), 'may_have_paid' => $error->mayHavePaid ?? true];
        $result = ['error' => $failure];
    }
    echo json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_FORM), "\n";
    exit($code);
}
