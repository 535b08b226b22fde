<?php // A client for the mobile-money API in one file, for PHP 8.2 and later with curl. Copy it into your program.
//   $momo = new Momo\Client($baseUrl, $apiKey, $apiSecret, $paymentAccountId, new Momo\FileStore('/srv/orders'));
//   $order = $momo->pay('ORDER-0001', '0712345678', 100);
// A reference (its case does not matter) names one order: it is stored, then pushed once. A new try needs a new one.
//   pending, unknown             not final: may_have_paid, and a reason; unknown: the answer to the push was lost
//   completed                    paid; receipt is the network's
//   failed, cancelled, expired   not paid; result_code and result_desc say why
//   not_started                  not paid: the push was refused or never came; ask finds one that comes late
// If mayHavePaid of an error is false, nothing was pushed. A web request calls start; every 5 s, its page asks your
// server, which calls ask. A webhook (anybody can send one) says when to ask. A cron asks for all orders unpaid in your
// database, and goes on if one fails. Book what is completed: UPDATE … WHERE id = ? AND paid = false; if a row changed,
// deliver. open() lists what is not final, or throws if one is unreadable. In tests, sleep and now are the sandbox's.
namespace Momo;

const FINAL_STATUSES = ['completed' => 0, 'failed' => 10, 'cancelled' => 11, 'expired' => 12, 'not_started' => 5];
const REFUSALS = [400 => 'refused', 401 => 'credentials', 403 => 'refused', 404 => 'refused', 405 => 'refused'];
const ADDRESS = '~^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?(/[^\s?#]*)?$~Di';

final class MomoError extends \Exception { // store, usage, not_found, credentials, refused, unreachable or unknown
    public function __construct(public string $kind, string $message, public bool $mayHavePaid = true) {
        parent::__construct($message);
    }
}

/** Keeps values as files, for programs in all languages. A table of yours needs these methods: see client.d.mts. */
final class FileStore {
    public function __construct(private string $folder) {
        check($folder, '~^(/|\\\\|[a-z]:)~i', 'the folder of the orders', 'an absolute path, such as /srv/orders');
    }

    public function get(string $name): ?array {
        $this->openFolder();
        if (!file_exists($this->pathOf($name))) return null;
        return (array) json_decode(file_get_contents($this->pathOf($name)), true, flags: JSON_THROW_ON_ERROR);
    }

    public function add(string $name, array $value, bool $replaces = false): void { // or keeps the one that is there
        $this->openFolder();
        $draft = tempnam($this->folder, 'draft-'); // for this user alone
        try {
            file_put_contents($draft, json_encode($value, JSON_THROW_ON_ERROR));
            if (!fsync(fopen($draft, 'r+'))) throw new \ErrorException('the disk did not take it');
            if ($replaces) rename($draft, $this->pathOf($name));
            else link($draft, $this->pathOf($name));
        } catch (\ErrorException $error) {
            if ($replaces || !file_exists($this->pathOf($name))) throw $error;
        } finally {
            if (file_exists($draft)) unlink($draft);
        }
        if (PHP_OS_FAMILY !== 'Windows') fsync(fopen($this->folder, 'r')); // Windows syncs no folders
    }

    public function remove(string $name): void {
        if (is_file($this->pathOf($name))) unlink($this->pathOf($name));
    }

    public function names(): array {
        $this->openFolder();
        $files = preg_grep('/^([2-7][0-9a-f])+[.]json$/D', scandir($this->folder));
        return array_map(fn ($file) => hex2bin(basename($file, '.json')), array_values($files));
    }

    private function pathOf(string $name): string {
        return "$this->folder/" . bin2hex($name) . '.json';
    }

    private function openFolder(): void {
        if (!is_dir($this->folder)) @mkdir($this->folder, 0700, true); // another process may be faster
        opendir("$this->folder/."); // fails if this user may not see what is there
    }
}

/** Times in seconds. An order is not_started after $notStartedAfter seconds of looks (an interval each at most). */
final class Client {
    private string $service;
    public function __construct(
        private ?string $baseUrl, private ?string $apiKey, private ?string $apiSecret, private mixed $paymentAccountId,
        private object $store, private float $timeout = 10, private float $interval = 5, private float $deadline = 120,
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

    public function start(string $reference, string $phone, int|float|string $amount): array {
        $key = keyOf($reference);
        $order = $this->newOrder($reference, $phone, $amount);
        $order['service_reference'] .= bin2hex(random_bytes(4)); // of no earlier order
        if ($this->get($key) === null) useStore($key, fn () => $this->store->add($key, $order), mayHavePaid: false);
        $stored = $this->read($key); // of another process, or ended by one while this one stood still
        $isOwn = $stored['service_reference'] === $order['service_reference'];
        if ($isOwn && $stored['may_have_paid']) return $this->push($key, $order); // else nothing is pushed
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
        useStore($key, fn () => $this->store->remove("$order[service_reference]~asked")); // earlier looks say nothing
        return $this->record($key, $order, $payment, $payment['result_desc'] ?? null);
    }

    public function wait(string $reference, ?array $started = null): array {
        $pause = max(0.1, min($this->interval, $this->deadline));
        $order = $started ?? $this->ask($reference);
        for ($waited = 0; $order['may_have_paid'] && $waited < $this->deadline; $waited += $pause) {
            ($this->sleep)($pause);
            $order = $this->ask($reference);
        }
        return $order;
    }

    /** Asks for an order once, now. If no answer comes, it stays as it was. If the service refuses, this throws. */
    public function ask(string $reference): array {
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
        $keys = preg_grep('/~/', useStore('the folder', fn () => $this->store->names()), PREG_GREP_INVERT);
        return array_values(array_filter(array_map($this->read(...), $keys), fn ($order) => $order['may_have_paid']));
    }

    public function find(string $reference, string $phone, int|float|string $amount): ?array { // as the list shows it
        return $this->findPayment($this->newOrder($reference, $phone, $amount));
    }

    private function newOrder(string $reference, string $phone, int|float|string $amount): array {
        $digits = preg_replace('/[\s().-]/u', '', $phone) ?? $phone;
        check($digits, '/^(?:\+?254|0|(?=[17]\d{8}$))\d{9}$/D', 'the phone', 'such as 0712345678');
        check($amount, '/^[1-9]\d{0,8}(\.\d{1,2})?$/D', 'the amount', 'from 1, two decimals at most');
        $tag = substr(hash('sha256', keyOf($reference)), 0, 4);
        return [
            'service' => $this->service,
            'reference' => $reference,
            'service_reference' => "$reference~$tag", // a reference with the same end has another tag
            'phone' => '254' . substr($digits, -9),
            'amount' => 0 + (string) $amount, // the number that was checked
            'status' => 'unknown',
            'checkout_request_id' => null,
            'receipt' => null,
            'result_code' => null,
            'result_desc' => null,
        ];
    }

    public function list(array $filter = []): array { // newest first, each once, also if more arrive
        $rows = [];
        for ($page = 1; $page <= 10_000; $page += 1) {
            $answer = $this->call('/transactions.php?' . http_build_query(['page' => $page, 'limit' => 100] + $filter));
            $shown = $answer['transactions'] ?? $answer['data'] ?? null;
            $isList = is_array($shown) && array_filter($shown, fn ($row) => is_scalar($row['id'] ?? null)) === $shown;
            if (!$isList) throw new MomoError('unknown', '/transactions.php: the answer has no list of payments');
            $isNew = array_diff_key(array_column($shown, null, 'id'), $rows) !== [];
            $rows = array_replace($rows, array_column($shown, null, 'id'));
            $pages = $answer['pagination']['total_pages'] ?? null;
            $isLast = is_int($pages) ? $page >= $pages : !$isNew && count($shown) < 100;
            if ($isLast) return array_values($rows);
            if (!$isNew) break;
        }
        throw new MomoError('unknown', '/transactions.php: a list without its end');
    }

    /** The payment of an order, or null. Of a push that a proxy repeated, one is paid, or all must have ended. */
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

    /** The payments of an order by its reference. Empty only if no payment can be its own. */
    private function findByReference(array $order): array {
        ['reference' => $reference, 'service_reference' => $pushed, 'phone' => $phone, 'amount' => $amount] = $order;
        $isPhone = fn ($row) => str_ends_with(@(string) ($row['phone'] ?? ''), substr($phone, 3));
        $isOwn = fn ($row) => $isPhone($row) && is_numeric($row['amount'] ?? '') && $row['amount'] == $amount;
        $found = $this->list(['search' => $pushed]);
        $own = array_values(array_filter($found, $isOwn));
        // A service that ignores the search, or a part of it, also finds payments for a reference that nobody has.
        if ($own && $this->list(['search' => substr($pushed, 0, -1) . 'x']) === []) return $own;
        // §4.3 promises the search for a phone alone; a service may show phones as 07…
        $rows = [...$this->list(['search' => $phone]), ...$this->list(['search' => '0' . substr($phone, 3)])];
        $rowIds = array_map(fn ($row) => @(string) ($row['checkout_request_id'] ?? ''), array_filter($rows, $isOwn));
        $names = useStore('the folder', fn () => $this->store->names());
        $namesOfOthers = array_filter($names, fn ($name) => !str_starts_with($name, keyOf($reference) . '~'));
        $ids = array_filter(array_column(array_map($this->get(...), $namesOfOthers), 'checkout_request_id'));
        if ($found === [] && array_diff($rowIds, $ids) === []) return [];
        throw new MomoError('unknown', "the service shows a payment that can be that of $reference");
    }

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
        $message = @(string) ($answer['message'] ?? '') ?: "$path: " . (curl_error($curl) ?: "HTTP $status");
        $isUnsent = $path === '/stkpush.php' && str_starts_with($message, 'STK push initiation failed'); // §4.1
        $isRefusal = ($answer['success'] ?? null) === false; // without one, it may have been pushed
        if ($isRefusal) $kind = $status === 500 && $isUnsent ? 'not_started' : REFUSALS[$status] ?? 'unknown';
        throw new MomoError($kind, $message, mayHavePaid: $kind === 'unknown' || $path !== '/stkpush.php');
    }

    /** Adds the time since the last look, at most the interval: a push can come late, and now() can jump. */
    private function countNotFound(array $order): void {
        $name = "$order[service_reference]~asked";
        $nowMs = (int) round(1000 * ($this->now)());
        $last = $this->get($name) ?? []; // another process may have counted
        $elapsedMs = max(0, min($nowMs - ($last['asked_ms'] ?? 0), (int) (1000 * $this->interval)));
        $asked = ['asked_ms' => $nowMs, 'not_found_ms' => ($last['not_found_ms'] ?? 0) + $elapsedMs];
        useStore($name, fn () => $this->store->add($name, $asked, replaces: true));
    }

    /** Stores what a payment says, beside what is stored: no process takes back what another has stored. */
    private function record(string $key, array $stored, array $payment, ?string $reason = null): array {
        $status = $payment['status'];
        if ($status !== $stored['status'] && $status !== 'unknown') {
            $order = [...$stored, 'status' => $status, 'may_have_paid' => !isset(FINAL_STATUSES[$status])];
            $order['checkout_request_id'] ??= $payment['checkout_request_id'] ?? null ?: null;
            $order['receipt'] = $payment['momo_receipt_number'] ?? null ?: null;
            $order['result_code'] = $payment['result_code'] ?? null;
            $order['result_desc'] = $payment['result_desc'] ?? null;
            $name = $order['may_have_paid'] ? "$key~pending" : "$key~ended";
            useStore($key, fn () => $this->store->add($name, $order));
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
        $asked = $this->get("$order[service_reference]~asked");
        if ($order['status'] === 'unknown' && ($asked['not_found_ms'] ?? 0) >= 1000 * $this->notStartedAfter)
            $order = [...$order, 'status' => 'not_started', 'result_desc' => 'not found in time'];
        $order['may_have_paid'] = !isset(FINAL_STATUSES[$order['status']]);
        return $reason !== null && $order['may_have_paid'] ? [...$order, 'reason' => $reason] : $order;
    }

    private function get(string $name): ?array {
        return useStore($name, fn () => $this->store->get($name));
    }
}

function keyOf(string $name): string { // the service ignores the case
    return strtolower(check($name, '/^(?! )[ -}]{1,87}(?<! )$/D', 'reference', '1-87 of ASCII, no ~, no outer spaces'));
}

function check(mixed $value, string $pattern, string $name, string $right): mixed {
    $given = str_starts_with($name, 'apiSecret') ? '' : "; it is '$value'";
    if (preg_match($pattern, (string) $value)) return $value;
    throw new MomoError('usage', "$name must be $right$given", mayHavePaid: false);
}

function useStore(string $name, \Closure $action, bool $mayHavePaid = true): mixed {
    clearstatcache(); // other processes change the files
    $reported = error_reporting(E_ALL);
    set_error_handler(fn ($level, $text) => error_reporting() === E_ALL ? throw new \ErrorException($text) : true);
    try {
        return $action();
    } catch (\Throwable $error) {
        $doubt = $mayHavePaid ? '; the customer may have paid' : '';
        throw new MomoError('store', "$name cannot be read or stored: {$error->getMessage()}$doubt", $mayHavePaid);
    } finally {
        restore_error_handler();
        error_reporting($reported);
    }
}

if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__ && ($argv[1] ?? '') === 'pay') {
    $store = new FileStore(getenv('MOMO_ORDERS') ?: __DIR__ . '/momo-orders');
    $account = getenv('MOMO_PAYMENT_ACCOUNT_ID');
    $momo = new Client(getenv('MOMO_BASE_URL'), getenv('MOMO_API_KEY'), getenv('MOMO_API_SECRET'), $account, $store);
    $order = $momo->pay(...array_slice($argv, 2)); // php client.php pay REFERENCE PHONE AMOUNT
    echo json_encode($order, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES), "\n";
    exit(FINAL_STATUSES[$order['status']] ?? 13);
}
