<?php // A client for the mobile-money API in one file, for PHP 8.2 and later with curl. Copy it into your program.
//   $momo = new Momo\Client($baseUrl, $apiKey, $apiSecret, $paymentAccountId, new Momo\FileStore('/srv/orders'));
//   $order = $momo->pay('ORDER-0001', '0712345678', 100);
// A reference (its case does not matter) names one order: it is stored, then pushed once. A new try needs a new one.
//   pending, unknown             not final: may_have_paid, and a reason; unknown: the answer to the push was lost
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the network refused the push, or none arrived; ask finds one that comes late
// A web request calls start; every 5 s, its page asks your server, which calls ask. So do a webhook (may be forged) and
// a cron, for each unpaid order, also if one fails. Book what is completed: UPDATE … WHERE id = ? AND paid = false; if
// a row changed, deliver. An error with mayHavePaid false pushed nothing. In tests, sleep and now are the sandbox's.
// open() lists what is not final; it fails if an order cannot be read. KEY is stored as it was started, KEY~pending as
// accepted, KEY~ended as it ended: these never change. SERVICE_REFERENCE~asked counts the time of looks in vain.
namespace Momo;
const FINAL_STATUSES = ['completed' => 0, 'failed' => 10, 'cancelled' => 11, 'expired' => 12, 'not_started' => 5];
const ERRORS = ['store' => 1, 'usage' => 2, 'not_found' => 3, 'credentials' => 4, 'refused' => 5, 'unreachable' => 6,
    'unknown' => 6]; // with exit codes; unreachable: nothing was sent; unknown: no answer
const REFUSALS = [400 => 'refused', 401 => 'credentials', 403 => 'refused', 404 => 'refused', 405 => 'refused'];
const COMMANDS = ['pay' => 3, 'start' => 3, 'find' => 3, 'wait' => 1, 'ask' => 1, 'open' => 0]; // with their arguments
const USAGE = 'the command must be client.php pay|start|find REFERENCE PHONE AMOUNT, wait|ask REFERENCE, or open';
const ADDRESS = '~^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?(/[^\s?#]*)?$~Di';
final class MomoError extends \Exception {
    public function __construct(public string $kind, protected $message, public bool $mayHavePaid = true) {}
}

/** Keeps values as files, for programs in all languages. A table needs these methods: momo help table-store.php */
final class FileStore {
    public function __construct(private string $folder) {
        check($folder, '~^(/|\\\\|[a-z]:)~i', 'the folder of the orders', 'an absolute path, such as /srv/orders');
    }
    public function get(string $name): ?array {
        $this->openFolder();
        $path = $this->pathOf($name);
        $text = @file_get_contents($path);
        clearstatcache(); // other processes change the files
        if ($text === false && @lstat($path) === false) return null;
        if ($text === false) throw new \ErrorException("$path cannot be read");
        return (array) json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    }
    /** Keeps a value that is there, unless it replaces it, for all processes. A crash leaves no half value. */
    public function add(string $name, array $value, bool $replaces = false): void {
        $this->openFolder();
        $path = $this->pathOf($name);
        $text = json_encode($value, JSON_THROW_ON_ERROR);
        $draft = tempnam($this->folder, 'draft-'); // for this user alone
        $isWritten = @file_put_contents($draft, $text) === strlen($text) && fsync(fopen($draft, 'r+'));
        $isPlaced = $isWritten && ($replaces ? @rename($draft, $path) : @link($draft, $path));
        $problem = error_get_last()['message'] ?? 'the disk did not take it';
        @unlink($draft);
        if (!$isPlaced && ($replaces || $this->get($name) === null)) throw new \ErrorException($problem);
        if (PHP_OS_FAMILY !== 'Windows') fsync(fopen($this->folder, 'r')); // Windows syncs no folders
    }
    public function remove(string $name): void {
        $isRemoved = @unlink($this->pathOf($name)) || $this->get($name) === null;
        if (!$isRemoved) throw new \ErrorException('it cannot be removed');
    }
    public function names(): array {
        $this->openFolder();
        $files = preg_grep('/^([2-7][0-9a-f])+[.]json$/D', scandir($this->folder));
        return array_map(fn ($file) => hex2bin(basename($file, '.json')), array_values($files));
    }
    private function openFolder(): void {
        @mkdir($this->folder, 0700, true); // another process may be faster
        if (!@opendir("$this->folder/.")) throw new \ErrorException("$this->folder cannot be opened");
    }
    private function pathOf(string $name): string { return "$this->folder/" . bin2hex($name) . '.json'; }
}

/** Times in seconds. An order is not_started after $notStartedAfter seconds of looks (an interval each at most). */
final class Client {
    private string $service; // its orders belong to it
    public function __construct(
        private ?string $baseUrl, #[\SensitiveParameter] private ?string $apiKey,
        #[\SensitiveParameter] private ?string $apiSecret, private mixed $paymentAccountId, private object $store,
        private float $timeout = 10, private float $interval = 5, private float $deadline = 120,
        private float $notStartedAfter = 600, private ?\Closure $now = null, private ?\Closure $sleep = null,
    ) {
        $this->baseUrl = rtrim(check($baseUrl, ADDRESS, 'baseUrl (MOMO_BASE_URL)', 'such as https://host/v2'), '/');
        check($apiKey, '/^[!-~]+$/D', 'apiKey (MOMO_API_KEY)', 'ASCII without spaces');
        check($apiSecret, '/^[!-~]+$/D', 'apiSecret (MOMO_API_SECRET)', 'ASCII without spaces');
        check($paymentAccountId, '/^[1-9]\d{0,14}$/D', 'account (MOMO_PAYMENT_ACCOUNT_ID)', 'a number');
        $this->service = "$this->baseUrl, account $paymentAccountId";
        $this->now ??= fn () => microtime(true);
        $this->sleep ??= fn (float $seconds) => usleep((int) ($seconds * 1e6));
    }
    public function pay(string $reference, string $phone, int|float|string $amount): array {
        return $this->wait($reference, $this->start($reference, $phone, $amount));
    }
    /** Stores an order, and pushes it. If it is stored already, it is returned, and nothing is pushed. */
    public function start(string $reference, string $phone, int|float|string $amount): array {
        $key = keyOf($reference);
        $order = $this->newOrder($reference, $phone, $amount);
        $order['service_reference'] .= bin2hex(random_bytes(4)); // of no earlier order
        if ($this->get($key) === null) useStore($key, fn () => $this->store->add($key, $order), mayHavePaid: false);
        $kept = $this->read($key); // of another process, or ended by one while this one stood still
        $isSame = $kept['phone'] === $order['phone'] && $kept['amount'] == $order['amount'];
        if (!$isSame) throw new MomoError('usage', "$key is already an order of another phone or amount");
        if ($kept['service_reference'] !== $order['service_reference'] || !$kept['may_have_paid']) return $kept;
        $body = ['reference' => $order['service_reference'], 'phone' => $order['phone'], 'amount' => $order['amount']];
        try {
            $payment = $this->call('/stkpush.php', ['payment_account_id' => (int) $this->paymentAccountId, ...$body]);
            $payment['status'] = 'pending';
        } catch (MomoError $error) {
            if ($error->kind !== 'unknown' && $error->kind !== 'not_started') {
                useStore($key, fn () => $this->store->remove($key), mayHavePaid: false); // nothing was pushed
                throw $error;
            }
            $payment = ['status' => $error->kind, 'result_desc' => $error->getMessage()];
        }
        useStore($key, fn () => $this->store->remove("$order[service_reference]~asked")); // earlier looks say nothing
        return $this->record($key, $order, $payment, $payment['status'] === 'unknown' ? $payment['result_desc'] : null);
    }
    public function wait(string $reference, ?array $started = null): array {
        $pause = max(0.1, min($this->interval, $this->deadline));
        $order = $started ?? $this->ask($reference);
        $waited = 0;
        while ($order['may_have_paid'] && $waited < $this->deadline) {
            ($this->sleep)($pause);
            $began = hrtime(true);
            $order = $this->ask($reference);
            $waited += $pause + (hrtime(true) - $began) / 1e9; // no jump of now() ends or prolongs it
        }
        return $order;
    }
    public function ask(string $reference): array { // once, now; without an answer nothing changes; a refusal throws
        $key = keyOf($reference);
        $order = $this->read($key);
        if ($this->get("$key~ended") !== null) return $order;
        try {
            $payment = $this->findPayment($order);
            if ($payment !== null) return $this->record($key, $order, $payment);
            $this->countNotFound($order);
            return $this->read($key, 'the service shows no payment');
        } catch (MomoError $error) {
            if ($error->kind !== 'unknown' && $error->kind !== 'unreachable') throw $error;
            return $this->read($key, $error->getMessage());
        }
    }
    public function open(): array {
        $names = array_flip(useStore('the folder', fn () => $this->store->names()));
        $isOpen = fn ($name) => !str_contains($name, '~') && !isset($names["$name~ended"]);
        $orders = array_map($this->stored(...), array_filter(array_keys($names), $isOpen));
        return array_values(array_filter($orders, fn ($order) => $order['may_have_paid'] ?? false));
    }
    public function stored(string $reference): ?array { // the order, without a question to the service, or null
        $key = keyOf($reference);
        $order = $this->get("$key~ended") ?? $this->get("$key~pending") ?? $this->get($key);
        if ($order === null) return null;
        $owner = $order['service'] ?? 'another program';
        $problem = "$key is an order of $owner, not of $this->service: use another folder";
        if ($owner !== $this->service) throw new MomoError('usage', $problem);
        foreach (['reference', 'service_reference', 'phone', 'amount', 'status'] as $part)
            if (!isset($order[$part])) throw new MomoError('store', "$key cannot be read: it has no $part");
        $clocks = $this->get("$order[service_reference]~asked")['clocks'] ?? [];
        $notFoundMs = useStore($key, fn () => max([0, ...array_column($clocks, 'not_found_ms')]));
        if ($order['status'] === 'unknown' && $notFoundMs >= 1000 * $this->notStartedAfter)
            $order = [...$order, 'status' => 'not_started', 'result_desc' => 'not found in time'];
        $order['may_have_paid'] = !isset(FINAL_STATUSES[$order['status']]);
        return $order;
    }
    public function find(string $reference, string $phone, int|float|string $amount): ?array {
        return $this->findPayment($this->newOrder($reference, $phone, $amount));
    }
    public function list(array $filter = []): array { // newest first, each once, also if payments arrive meanwhile
        $rows = [];
        for ($page = 1; $page <= 10_000; $page += 1) {
            $answer = $this->call('/transactions.php?' . http_build_query(['page' => $page, 'limit' => 100] + $filter));
            $pageRows = $answer['transactions'] ?? $answer['data'] ?? null; // an array only if it is a list: see call
            $isList = is_array($pageRows) && !array_filter($pageRows, fn ($row) => !is_scalar($row->id ?? null));
            if (!$isList) throw new MomoError('unknown', '/transactions.php: the answer has no list of payments');
            $known = count($rows);
            foreach ($pageRows as $row) $rows["$row->id"] = (array) $row;
            $isNew = count($rows) > $known;
            $pages = $answer['pagination']->total_pages ?? null;
            $isLast = is_int($pages) ? $page >= $pages : !$isNew && count($pageRows) < 100;
            if ($isLast) return array_values($rows);
            if (!$isNew) break;
        }
        throw new MomoError('unknown', '/transactions.php: a list without its end');
    }
    private function newOrder(string $reference, string $phone, int|float|string $amount): array {
        $digits = preg_replace('/[\s().-]/u', '', $phone) ?? $phone;
        check($digits, '/^(?:\+?254|0|(?=[17]\d{8}$))\d{9}$/D', 'the phone', 'such as 0712345678');
        check($amount, '/^[1-9]\d{0,8}(\.\d{1,2})?$/D', 'the amount', 'from 1, two decimals at most');
        $tag = substr(hash('sha256', keyOf($reference)), 0, 4); // a reference with the same end has another tag
        return [
            'service' => $this->service,
            'reference' => $reference,
            'service_reference' => "$reference~$tag",
            'phone' => '254' . substr($digits, -9),
            'amount' => 0 + (string) $amount,
            'status' => 'unknown',
            'checkout_request_id' => null,
            'receipt' => null,
            'result_code' => null,
            'result_desc' => null,
        ];
    }
    private function findPayment(array $order): ?array { // of several, one must be paid, or all have ended
        $id = $order['checkout_request_id'] ?? null;
        $payments = $id ? [$this->call('/status.php', ['checkout_request_id' => $id])] : $this->findByReference($order);
        $isOfAnother = $id && ($payments[0]['checkout_request_id'] ?? $id) !== $id;
        if ($isOfAnother) throw new MomoError('unknown', "/status.php: the answer is not of $id");
        $statuses = array_map(fn ($payment) => $payment['status'] ?? null, $payments);
        if (in_array('completed', $statuses, true)) return $payments[array_search('completed', $statuses, true)];
        $open = array_filter($statuses, fn ($status) => !in_array($status, ['failed', 'cancelled', 'expired'], true));
        if ($open === [] || $statuses === ['pending']) return $payments[0] ?? null;
        throw new MomoError('unknown', 'the service shows ' . json_encode($statuses));
    }
    private function findByReference(array $order): array { // empty only if none can be its own, as a masked one can
        ['phone' => $phone, 'service_reference' => $reference] = $order;
        $payer = payerOf($order);
        $found = $this->list(['search' => $reference]);
        $own = array_values(array_filter($found, fn ($row) => payerOf($row) === $payer));
        // A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
        if ($own && $this->list(['search' => substr($reference, 0, -1) . 'x']) === []) return $own;
        // §4.3 promises the search for a phone alone; a service may show phones as 07…
        $rows = [...$this->list(['search' => $phone]), ...$this->list(['search' => '0' . substr($phone, 3)])];
        $names = useStore('the folder', fn () => $this->store->names());
        $others = array_filter($names, fn ($name) => !str_starts_with($name, keyOf($order['reference']) . '~'));
        $ids = array_filter(array_column(array_map($this->get(...), $others), 'checkout_request_id'));
        $isOfNone = fn ($row) => !in_array($row['checkout_request_id'] ?? null, $ids, true);
        $rest = array_filter($rows, fn ($row) => in_array(payerOf($row), [$payer, null], true) && $isOfNone($row));
        if ($found === [] && $rest === []) return [];
        throw new MomoError('unknown', "the service shows a payment that can be that of $order[reference]");
    }
    private function call(string $path, ?array $body = null): array {
        $curl = curl_init($this->baseUrl . $path);
        $headers = ["X-API-Key: $this->apiKey", "X-API-Secret: $this->apiSecret", 'Content-Type: application/json'];
        curl_setopt_array($curl, [CURLOPT_HTTPHEADER => $headers, CURLOPT_RETURNTRANSFER => true]);
        curl_setopt($curl, CURLOPT_TIMEOUT_MS, max(1, (int) (1000 * $this->timeout)));
        if ($body !== null) curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body));
        $answer = (array) json_decode((string) curl_exec($curl)); // a member is an array only if it is a list
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status === 200 && ($answer['success'] ?? null) === true) return $answer;
        $ready = curl_errno($curl) === CURLE_OPERATION_TIMEDOUT ? CURLINFO_CONNECT_TIME : CURLINFO_PRETRANSFER_TIME;
        $kind = curl_getinfo($curl, $ready) > 0 ? 'unknown' : 'unreachable'; // 0: there was no connection
        $text = is_string($answer['message'] ?? null) ? $answer['message'] : '';
        $message = $text ?: "$path: " . (curl_error($curl) ?: "HTTP $status");
        $isDenied = $path === '/stkpush.php' && str_starts_with($message, 'STK push initiation failed'); // §4.1
        if (($answer['success'] ?? null) === false) // without a refusal, it may have been pushed
            $kind = $status === 500 && $isDenied ? 'not_started' : REFUSALS[$status] ?? 'unknown';
        throw new MomoError($kind, $message, mayHavePaid: $kind === 'unknown' || $path !== '/stkpush.php');
    }
    private function countNotFound(array $order): void { // clocks differ, so each counts for itself; those ahead first
        $name = "$order[service_reference]~asked";
        $nowMs = (int) round(1000 * ($this->now)());
        $clocks = $this->get($name)['clocks'] ?? [];
        $longestMs = max([0, ...array_column($clocks, 'not_found_ms')]);
        $ahead = array_filter($clocks, fn ($clock) => $clock['asked_ms'] > $nowMs);
        $behind = array_slice($clocks, count($ahead));
        $own = array_shift($behind) ?? ['asked_ms' => $nowMs, 'not_found_ms' => $longestMs];
        $passedMs = min($nowMs - $own['asked_ms'], (int) (1000 * $this->interval)); // since its own last look
        $own = ['asked_ms' => $nowMs, 'not_found_ms' => max($longestMs, $own['not_found_ms'] + $passedMs)];
        $looks = array_slice([...$ahead, $own, ...$behind], -10);
        useStore($name, fn () => $this->store->add($name, ['clocks' => $looks], replaces: true));
    }
    private function record(string $key, array $stored, array $payment, ?string $reason = null): array {
        if ($payment['status'] !== $stored['status']) {
            $isFinal = isset(FINAL_STATUSES[$payment['status']]);
            $order = [...$stored, 'status' => $payment['status'], 'may_have_paid' => !$isFinal];
            $order['checkout_request_id'] ??= ($payment['checkout_request_id'] ?? '') ?: null;
            $order['receipt'] = ($payment['momo_receipt_number'] ?? '') ?: null;
            $order['result_code'] = $payment['result_code'] ?? null;
            $order['result_desc'] = $payment['result_desc'] ?? null;
            useStore($key, fn () => $this->store->add($isFinal ? "$key~ended" : "$key~pending", $order)); // beside it
        }
        return $this->read($key, $reason);
    }
    private function read(string $key, ?string $reason = null): array {
        $order = $this->stored($key) ?? throw new MomoError('not_found', "$key has not been started with this folder");
        return $reason !== null && $order['may_have_paid'] ? [...$order, 'reason' => $reason] : $order;
    }
    private function get(string $name): ?array { return useStore($name, fn () => $this->store->get($name)); }
}

function keyOf(string $name): string { // the service ignores the case
    $expected = '1 to 87 ASCII characters, no ~, no outer spaces';
    return strtolower(check($name, '/^(?! )[ -}]{1,87}(?<! )$/D', 'reference', $expected));
}
function payerOf(array $row): ?string { // its phone and its amount; null: one of them cannot be read
    if (!is_numeric($row['phone'] ?? null) || !is_numeric($row['amount'] ?? null)) return null;
    $isReadable = preg_match('/^[+]?\d{9,15} \d{1,15}([.]\d+)?$/D', "$row[phone] $row[amount]");
    return $isReadable ? substr($row['phone'], -9) . ' ' . (float) $row['amount'] : null;
}
function check(#[\SensitiveParameter] mixed $value, string $pattern, string $name, string $expected): mixed {
    $given = str_starts_with($name, 'apiSecret') ? '' : "; it is '$value'";
    if (preg_match($pattern, (string) $value)) return $value;
    throw new MomoError('usage', "$name must be $expected$given", mayHavePaid: false);
}
function useStore(string $name, \Closure $action, bool $mayHavePaid = true): mixed {
    $level = error_reporting(E_ALL); // @ lowers it
    set_error_handler(fn ($_, $text) => error_reporting() === E_ALL && throw new \ErrorException($text));
    try {
        return $action();
    } catch (\Throwable $error) {
        $warning = $mayHavePaid ? '; the customer may have paid' : '';
        throw new MomoError('store', "$name cannot be read or stored: {$error->getMessage()}$warning", $mayHavePaid);
    } finally {
        restore_error_handler();
        error_reporting($level);
    }
}

if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    $command = $argv[1] ?? '';
    try {
        if ((COMMANDS[$command] ?? null) !== $argc - 2) throw new MomoError('usage', USAGE, mayHavePaid: false);
        $store = new FileStore(getenv('MOMO_ORDERS') ?: __DIR__ . '/momo-orders');
        $id = getenv('MOMO_PAYMENT_ACCOUNT_ID');
        $momo = new Client(getenv('MOMO_BASE_URL'), getenv('MOMO_API_KEY'), getenv('MOMO_API_SECRET'), $id, $store);
        $result = $momo->$command(...array_slice($argv, 2));
        $code = $result === null ? 3 : FINAL_STATUSES[$result['status'] ?? 'completed'] ?? 13; // open has no status
    } catch (MomoError $e) {
        $code = ERRORS[$e->kind];
        $result = ['error' => ['code' => $e->kind, 'message' => $e->getMessage(), 'may_have_paid' => $e->mayHavePaid]];
    }
    echo json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES), "\n";
    exit($code);
}
