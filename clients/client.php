<?php
// A client for the mobile-money API in one file, for PHP 8.2 and later with curl. Copy it into your program.
//   $store = new Momo\FileStore('/srv/orders');
//   $momo = new Momo\Client($baseUrl, $apiKey, $apiSecret, $paymentAccountId, $store, settle: settle(...));
//   $order = $momo->pay('ORDER-0001', '0712345678', 100);
// settle($order) is yours. It gets each order that has ended, again until it has returned once; calls can overlap.
// In one transaction, UPDATE … SET paid = true … AND paid = false, and if that changes a row, store what is to deliver.
// A reference names one order. It is stored, and then pushed once. A new try needs a new reference. An order is:
//   pending                      the customer is asked: show "Look at your phone."
//   unknown                      the answer to the push was lost: the customer may be asked, or not
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the network refused the push, or the service never got it
// While it is pending or unknown, the customer may have paid (may_have_paid): ask again. The others are final. (Only a
// process that stood still for ten minutes before its push was sent can open an order again that is not_started.)
// An order belongs to an address and a payment account: another API key of the account goes on with it.
// A script calls pay, which asks every 5 s, 24 times. Call it again later, also after a crash: it goes on.
// A web request calls start, which returns soon. The page calls your server every 5 s, and that calls ask($reference).
// A cron runs each minute. For each order of open() it calls ask($order['reference']), and logs a MomoError.
// Anybody can send a webhook. Ask for the order in open() that has its checkout_request_id. Without one, answer 404.
// A test uses a new folder. To move the sandbox's clock, sleep($seconds) moves it; now() returns by how much so far.
namespace Momo;
/** Exit codes of the command for the final statuses, and for the kinds of errors. */
const FINAL_STATUSES = ['completed' => 0, 'failed' => 10, 'cancelled' => 11, 'expired' => 12, 'not_started' => 5];
/** refused: by the service. unreachable: nothing was sent. unknown: the answer was lost. store: it or settle failed. */
const ERRORS = ['store' => 1, 'usage' => 2, 'credentials' => 4, 'refused' => 5, 'unreachable' => 6, 'unknown' => 6];
/** What is stored of an order is never changed. The first of these counts: a payment, more than that none was found. */
const STATES = ['~ended', '~accepted', '~not_started', ''];
const JSON_FORM = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS;
final class MomoError extends \Exception {
    /** kind: one of ERRORS. mayHavePaid: whether the customer may have paid all the same. */
    public function __construct(
        public string $kind, string $message, public bool $mayHavePaid = false, ?\Throwable $cause = null,
    ) {
        parent::__construct($mayHavePaid ? "$message; the customer may have paid" : $message, 0, $cause);
    }
}
/** Keeps values as files, for processes in all languages. A store of your own, such as a table, needs these methods. */
final class FileStore {
    public function __construct(private string $folder) {
        $isAbsolute = preg_match('~^(/|\\\\|[a-z]:)~i', $folder);
        if (!$isAbsolute) throw refusal('the folder of the orders', 'an absolute path, such as /srv/orders', $folder);
    }
    public function get(string $name): mixed {
        clearstatcache(); // other processes change the folder
        $path = $this->pathOf($name);
        if (!file_exists($path) && !is_link($path)) {
            if (is_dir($this->folder)) opendir("$this->folder/."); // if it cannot be opened, the file may be there
            return null;
        }
        return json_decode(file_get_contents($path), true, flags: JSON_THROW_ON_ERROR);
    }
    /** Adds a value if there is none. Of several processes, the first adds its own. */
    public function add(string $name, array $value): void {
        try {
            $this->write($name, $value, link(...));
        } catch (\ErrorException $error) {
            if (!file_exists($this->pathOf($name))) throw $error;
        }
    }
    public function set(string $name, array $value): void {
        $this->write($name, $value, rename(...));
    }
    public function remove(string $name): void {
        if (file_exists($this->pathOf($name))) unlink($this->pathOf($name));
    }
    public function names(): array {
        $this->openFolder();
        $files = preg_grep('/^([2-7][0-9a-f])+[.]json$/D', scandir($this->folder));
        return array_map(fn ($file) => hex2bin(basename($file, '.json')), array_values($files));
    }
    private function pathOf(string $name): string {
        return "$this->folder/" . bin2hex($name) . '.json';
    }
    private function openFolder(): mixed {
        clearstatcache();
        if (!is_dir($this->folder)) mkdir($this->folder, recursive: true);
        return opendir("$this->folder/.");
    }
    private function write(string $name, array $value, \Closure $linkOrRename): void {
        $this->openFolder();
        $draft = "$this->folder/" . bin2hex(random_bytes(16)) . '.draft';
        try {
            $file = fopen($draft, 'x');
            fwrite($file, json_encode($value, JSON_FORM | JSON_THROW_ON_ERROR));
            if (!fsync($file) || !fclose($file)) throw new \ErrorException('the disk did not take it');
            $linkOrRename($draft, $this->pathOf($name)); // a crash leaves no half file of this name
        } finally {
            if (file_exists($draft)) unlink($draft);
        }
        if (PHP_OS_FAMILY !== 'Windows') fsync(fopen($this->folder, 'r')); // Windows syncs no folders
    }
}
/** Times are in seconds. An order is not_started if the service has not found it for $notStartedAfter seconds. */
final class Client {
    private string $service;
    public function __construct(
        private string $baseUrl, private string $apiKey, private string $apiSecret, private int $paymentAccountId,
        private object $store, private float $timeout = 10, private float $interval = 5, private float $deadline = 120,
        private float $notStartedAfter = 600, private ?\Closure $now = null, private ?\Closure $sleep = null,
        private ?\Closure $settle = null,
    ) {
        $this->baseUrl = rtrim(trim($baseUrl), '/');
        $this->service = "$this->baseUrl, account $paymentAccountId";
        $this->now ??= fn () => microtime(true);
        $this->sleep ??= fn (float $seconds) => usleep((int) ($seconds * 1e6));
    }
    public function pay(string $reference, string $phone, int|float|string $amount): array {
        return $this->waitForEnd($this->start($reference, $phone, $amount));
    }
    public function wait(string $reference): array {
        return $this->waitForEnd($this->ask($reference));
    }
    /** Starts an order. If it is stored already, it is returned, and nothing is pushed. */
    public function start(string $reference, string $phone, int|float|string $amount): array {
        $key = keyOf($reference);
        $payment = parsePayment($phone, $amount);
        $order = [
            'service' => $this->service,
            'reference' => $reference,
            'service_reference' => createServiceReference($reference),
            ...$payment,
            'status' => 'unknown',
            'checkout_request_id' => null,
            'may_have_paid' => true,
            'asked_ms' => (int) round(1000 * ($this->now)()), // when the service was last asked for it
            'not_found_ms' => 0, // for how long the service has answered that it does not find it
        ];
        if ($this->get($key) === null) useStore($key, false, fn () => $this->store->add($key, $order));
        $stored = $this->read($key); // of another process, or ended by one while this one stood still
        if (isFinal($stored) || $stored['service_reference'] !== $order['service_reference']) {
            $isSame = $stored['phone'] === $order['phone'] && $stored['amount'] == $order['amount'];
            if ($isSame) return $this->settleEnd($key, $stored);
            throw new MomoError('usage', "$key is already an order of another phone or amount");
        }
        $push = $payment + ['reference' => $order['service_reference']];
        $answer = [];
        try {
            $answer = $this->call('/stkpush.php', ['payment_account_id' => $this->paymentAccountId, ...$push]);
        } catch (MomoError $error) {
            $refusal = ['status' => $error->kind, 'result_desc' => $error->getMessage()];
            if ($error->kind === 'not_started') return $this->record($key, $order, $refusal);
            if ($error->kind !== 'unknown') {
                useStore($key, false, fn () => $this->store->remove($key)); // it was not pushed
                throw $error;
            }
        }
        $isAccepted = isset($answer['checkout_request_id']);
        if ($isAccepted) return $this->record($key, $order, ['status' => 'pending'] + $answer);
        $this->recordAsk($order, $order['asked_ms'], 0); // it may have been pushed: ask looks for it from now on
        useStore($key, true, fn () => $this->store->remove("$key~not_started")); // by one that looked for it before
        return $this->read($key, $order);
    }
    /** Asks for an order once, now. If no answer comes, the order stays as it was. If the service refuses to answer, as
     * with 404 for a payment that it had, this throws, and the order stays open: nobody knows if it was paid. */
    public function ask(string $reference): array {
        $key = keyOf($reference);
        $order = $this->read($key);
        if (isFinal($order)) return $this->settleEnd($key, $order);
        $nowMs = (int) round(1000 * ($this->now)());
        $elapsedMs = max(0, min($nowMs - $order['asked_ms'], (int) (1000 * $this->interval))); // now() can jump
        $this->recordAsk($order, $nowMs, $order['not_found_ms']);
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
            $this->recordAsk($order, $nowMs, $notFoundMs);
            $payment = ['status' => $notFoundMs >= 1000 * $this->notStartedAfter ? 'not_started' : 'unknown'];
        }
        return $this->record($key, $order, $payment);
    }
    /** Asks until the order is final, or the deadline has come. */
    private function waitForEnd(array $order): array {
        $pause = max(0.1, min($this->interval, $this->deadline));
        for ($waited = 0; !isFinal($order) && $waited < $this->deadline; $waited += $pause) {
            ($this->sleep)($pause);
            $stored = $this->read(keyOf($order['reference']), $order);
            $isAsked = $stored['asked_ms'] !== $order['asked_ms'] && !isFinal($stored); // by another process, just now
            $order = $isAsked ? $stored : $this->ask($order['reference']);
        }
        return $order;
    }
    /** The orders that have not ended, or are not settled. One that cannot be read is unreadable, and has an error. */
    public function open(): array {
        $orders = [];
        $stored = array_flip($this->names());
        foreach (array_map(strval(...), array_keys($stored)) as $key) {
            $state = array_values(array_filter(STATES, fn ($one) => isset($stored[$key . $one])))[0];
            $isEnded = $state === '~ended' || $state === '~not_started';
            $isClosed = $this->settle ? isset($stored["$key$state~settled"]) : $isEnded;
            if (str_contains($key, '~') || $isClosed) continue;
            try {
                $orders[] = $this->read($key);
            } catch (MomoError $error) {
                $orders[] = ['reference' => $key, 'status' => 'unreadable', 'error' => $error->getMessage()];
            }
        }
        $isOpen = fn ($order) => $this->settle || !isFinal($order); // it can end meanwhile
        return array_values(array_filter($orders, $isOpen));
    }
    /** The payment of an order as the list shows it, or null. The order need not be stored. */
    public function find(string $reference, string $phone, int|float|string $amount): ?array {
        $order = ['reference' => keyOf($reference), 'service_reference' => "$reference~"];
        return $this->search($order + parsePayment($phone, $amount));
    }
    /** All payments, newest first. None is there twice or left out, also if payments arrive meanwhile. */
    public function list(array $filters = []): array {
        $rows = [];
        for ($page = 1; $page <= 10_000; $page += 1) {
            $query = http_build_query(['page' => $page, 'limit' => 100] + $filters, encoding_type: PHP_QUERY_RFC3986);
            $answer = $this->call("/transactions.php?$query");
            $pageRows = $answer['transactions'] ?? $answer['data'] ?? null;
            if (!is_array($pageRows) || array_filter($pageRows, fn ($row) => isset($row['id'])) !== $pageRows) break;
            $newRows = array_diff_key(array_column($pageRows, null, 'id'), $rows);
            $rows = array_replace($rows, array_column($pageRows, null, 'id'));
            $totalPages = $answer['pagination']['total_pages'] ?? null;
            $isLast = is_int($totalPages) ? $page >= $totalPages : $newRows === [] && count($pageRows) < 100;
            if ($isLast) return array_values($rows);
            if ($newRows === []) break;
        }
        throw new MomoError('unknown', '/transactions.php: no list, or a list without its end', true);
    }
    /** Gives an order that has ended to settle, until that has returned once. */
    private function settleEnd(string $key, array $order): array {
        $name = $key . stateOf($order['status']) . '~settled';
        if ($this->settle === null || !isFinal($order) || $this->get($name)) return $order;
        try {
            ($this->settle)($order);
        } catch (\Throwable $error) {
            $isPaid = $order['status'] === 'completed';
            throw new MomoError('store', "$key cannot be settled: " . $error->getMessage(), $isPaid, $error);
        }
        useStore($key, true, fn () => $this->store->add($name, $order));
        return $order;
    }
    /** Stores news of a payment beside what is stored: no process takes back what another has stored. */
    private function record(string $key, array $started, array $payment): array {
        $stored = $this->read($key, $started); // a file that was removed is written again
        $status = $payment['status'] ?? null;
        $isNews = $status !== $stored['status'] && ($status === 'pending' || isFinal($payment));
        if (!$isNews) return $stored;
        $order = array_replace($started, ['status' => $status]);
        $order['checkout_request_id'] = $stored['checkout_request_id'] ?? $payment['checkout_request_id'] ?? null;
        $order['receipt'] = $payment['momo_receipt_number'] ?? null;
        $order['result_code'] = $payment['result_code'] ?? null;
        $order['result_desc'] = $payment['result_desc'] ?? null;
        if (isFinal($order)) unset($order['may_have_paid']);
        useStore($key, true, fn () => $this->store->add($key . stateOf($status), $order));
        return $this->settleEnd($key, $this->read($key)); // another process may have been faster, or know more
    }
    /** The payment of an order without an id, or null. Rows have no reference. */
    private function search(array $order): ?array {
        $own = $this->rowsOf($order, $order['service_reference']);
        // A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
        $isExact = $own !== [] && $this->list(['search' => createServiceReference($order['reference'])]) === [];
        $paid = array_values(array_filter($own, fn ($row) => ($row['status'] ?? '') === 'completed'));
        if ($isExact) return $paid[0] ?? $own[0];
        // §4.3 promises the search for a phone alone; a service may show phones as 07…
        $byPhone = $this->rowsOf($order, $order['phone']);
        $rows = [...$own, ...$byPhone, ...$this->rowsOf($order, '0' . substr($order['phone'], 3))];
        $stored = array_map($this->get(...), preg_grep('/~(accepted|ended)$/D', $this->names()));
        $orders = array_column($stored, 'reference', 'checkout_request_id');
        $isOther = false;
        foreach ($rows as $row) {
            $id = $row['checkout_request_id'] ?? null;
            $reference = $id ? $orders[$id] ?? null : null;
            if ($reference !== null && keyOf($reference) === keyOf($order['reference'])) return $row;
            $isOther = $isOther || $reference === null;
        }
        if (!$isOther) return null;
        $same = "another payment of $order[phone] for $order[amount]";
        throw new MomoError('unknown', "$same can be that of $order[reference]", true);
    }
    private function rowsOf(array $order, string $search): array {
        $isAmount = fn ($value) => is_numeric($value) && (float) $value == $order['amount'];
        $isPhone = fn ($value) => str_ends_with((string) $value, substr($order['phone'], 3));
        $isOwn = fn ($row) => $isAmount($row['amount'] ?? null) && $isPhone($row['phone'] ?? '');
        return array_values(array_filter($this->list(['search' => $search]), $isOwn));
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
    private function recordAsk(array $order, int $askedMs, int $notFoundMs): void {
        $value = ['asked_ms' => $askedMs, 'not_found_ms' => $notFoundMs];
        useStore($order['reference'], true, fn () => $this->store->set("$order[service_reference]~asked", $value));
    }
    private function get(string $name): mixed {
        return useStore($name, true, fn () => $this->store->get($name));
    }
    private function names(): array {
        return useStore('the folder of the orders', true, fn () => $this->store->names());
    }
    /** The order as it was stored last. If there is none, the fallback or an error. */
    private function read(string $key, ?array $fallback = null): array {
        $order = null;
        foreach (STATES as $state) $order ??= $this->get($key . $state);
        $order ??= $fallback ?? throw new MomoError('refused', "$key has not been started");
        $owner = isset($order['service_reference']) ? $order['service'] : 'another program or version';
        if ($owner === $this->service) return [...$order, ...($this->get("$order[service_reference]~asked") ?? [])];
        throw new MomoError('usage', "$key is an order of $owner, not of $this->service: use another folder");
    }
}
function stateOf(string $status): string {
    return ['pending' => '~accepted', 'not_started' => '~not_started'][$status] ?? '~ended';
}
function isFinal(array $order): bool {
    return isset(FINAL_STATUSES[$order['status'] ?? '']);
}
/** The reference for the service, at most 100 characters. The token tells it from an earlier order of this name. */
function createServiceReference(string $reference): string {
    return "$reference~" . bin2hex(random_bytes(4));
}
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
    if (!preg_match('/^(?! )[ -}]{1,91}(?<! )$/D', $reference)) throw refusal('reference', $rule, $reference);
    return strtolower($reference);
}
function parsePayment(string $phone, int|float|string $amount): array {
    $isPhone = preg_match('/^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/D', preg_replace('/[ ().-]/', '', $phone), $match);
    if (!$isPhone) throw refusal('phone', 'such as 0712345678', $phone);
    $isAmount = preg_match('/^[1-9]\d{0,8}(\.\d{1,2})?$/D', (string) $amount);
    if (!$isAmount) throw refusal('amount', 'from 1, with two decimals at most', (string) $amount);
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
