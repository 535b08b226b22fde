<?php
// A client for the mobile-money API in one file, for PHP 8.1 and later with curl. Copy it into your program, and keep it.
//   $momo = new Momo\Client($baseUrl, $apiKey, $apiSecret, $paymentAccountId, new Momo\FileStore('orders'));
//   $order = $momo->pay('ORDER-0001', '0712345678', 100); // $order['status'] completed: deliver, once for each order
// A reference is an order: stored before the push, pushed once (as REFERENCE~, so that no other one begins with it), and never again.
// After a failure, a new try needs another one. Called again (after a crash, at the deadline), pay goes on. Tests: a new folder each run.
// Statuses: completed, failed, cancelled, expired, not_started (known, for good); pending, unknown (may be paid: ask again later).
namespace Momo;
const CODES = ['completed' => 0, 'failed' => 10, 'cancelled' => 11, 'expired' => 12, 'not_started' => 5];
const ERRORS = ['usage' => 2, 'credentials' => 4, 'refused' => 5, 'unreachable' => 6, 'unknown' => 6];
const UNSENT = [1, 3, 6, 7, 35, 60]; // errors of curl: no such protocol, address or host, no connection, no TLS, a wrong certificate

/** $kind: one of ERRORS. $mayHavePaid: whether the customer may have paid all the same. */
final class MomoError extends \Exception {
    public function __construct(public string $kind, string $message, public bool $mayHavePaid = false) {
        parent::__construct($message);
        $this->mayHavePaid = $kind === 'unknown';
    }
}

/** Orders as files in a folder. Several processes may share it. A store of your own has the same public methods. */
final class FileStore {
    public function __construct(private string $folder) {
        is_dir($folder) || @mkdir($folder, recursive: true) || is_dir($folder) || throw new \RuntimeException("no folder $folder");
    }

    public function get(string $key): ?array {
        $text = @file_get_contents($this->path($key));
        return $text === false ? null : json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    }

    /** Whether it was added, and not there already. */
    public function add(string $key, array $order): bool {
        $draft = $this->draft($order);
        $isAdded = @link($draft, $this->path($key));
        unlink($draft);
        return $isAdded || ($this->get($key) ? false : throw new \RuntimeException("$draft cannot be linked"));
    }

    public function set(string $key, array $order): void { rename($this->draft($order), $this->path($key)); }
    public function remove(string $key): void { unlink($this->path($key)); }
    private function path(string $key): string { return "$this->folder/" . bin2hex($key) . '.json'; }
    private function draft(array $order): string {
        [$path, $text] = ["$this->folder/" . bin2hex(random_bytes(16)), json_encode($order, JSON_THROW_ON_ERROR)];
        $file = @fopen($path, 'x');
        $isStored = $file && fwrite($file, $text) === strlen($text) && fsync($file) && fclose($file);
        return $isStored ? $path : throw new \RuntimeException("$path cannot be written");
    }
}

/** Times are in seconds. $settled: a push that is nowhere so long after it was sent has not started. */
final class Client {
    public function __construct(
        private string $baseUrl, private string $apiKey, private string $apiSecret, private int $paymentAccountId,
        private object $store, private float $timeout = 10, private float $interval = 5, private float $deadline = 120,
        private float $settled = 600, private mixed $now = null, private mixed $sleep = null) {
        $this->now ??= fn () => microtime(true);
        $this->sleep ??= fn (float $seconds) => usleep((int) ($seconds * 1e6));
    }

    /** Starts a payment and waits, or goes on with it. */
    public function pay(string $reference, string $phone, int|float|string $amount): array {
        return $this->wait($this->start($reference, $phone, $amount)['reference']);
    }

    /** Starts a payment, or returns what is stored of it. It never pushes twice. */
    public function start(string $reference, string $phone, int|float|string $amount): array {
        [$key, $charge, $now] = [key($reference), charge($phone, $amount), ($this->now)()];
        $order = ['reference' => $reference, ...$charge, 'started_at' => $now, 'asked_at' => $now];
        $order += ['status' => 'unknown', 'checkout_request_id' => null];
        if (!$this->store->add($key, $order)) {
            $known = $this->order($key);
            if ($known == [...$known, ...$charge]) { return $known; }
            throw new MomoError('usage', "$reference is an order of $known[phone] for $known[amount] already");
        }
        try {
            $body = ['payment_account_id' => $this->paymentAccountId, ...$charge, 'reference' => substr("$reference~", 0, 100)];
            return $this->save($key, $this->call('/stkpush.php', $body));
        } catch (MomoError $error) {
            if ($error->kind === 'unknown') { return $order; } // it may have been received: wait looks for it
            $this->store->remove($key);
            throw $error;
        }
    }

    /** Asks until the status is final or the deadline has come, and never takes no answer for an answer. */
    public function wait(string $reference): array {
        [$key, $until] = [key($reference), ($this->now)() + $this->deadline];
        while (!isset(CODES[($order = $this->ask($key))['status']]) && ($this->now)() < $until) {
            ($this->sleep)($this->interval);
        }
        return isset(CODES[$order['status']]) ? $order : [...$order, 'may_have_paid' => true];
    }

    private function ask(string $key): array {
        [$order, $now] = [$this->order($key), ($this->now)()];
        if (isset(CODES[$order['status']]) || abs($now - $order['asked_at']) < $this->interval) { return $order; }
        $this->store->set($key, ['asked_at' => $now] + $order); // others that wait for it do not ask as well
        try {
            $id = ['checkout_request_id' => $order['checkout_request_id']];
            if ($order['checkout_request_id']) { return $this->save($key, $this->call('/status.php', $id)); }
            $row = $this->find($order['reference'], $order['phone'], $order['amount'], $order['started_at']);
            $isOver = $now - $order['started_at'] >= $this->settled && !$this->order($key)['checkout_request_id'];
            return $this->save($key, $row ?? ($isOver ? ['status' => 'not_started'] : []));
        } catch (MomoError $error) {
            $error->mayHavePaid = true;
            return $error->kind === 'credentials' ? throw $error : $order;
        }
    }

    private function save(string $key, array $answer): array {
        $order = $this->order($key); // others may have been faster
        if (isset(CODES[$order['status']])) { return $order; }
        if (in_array($answer['status'] ?? null, ['pending', ...array_keys(CODES)], true)) { $order['status'] = $answer['status']; }
        $order['checkout_request_id'] ??= $answer['checkout_request_id'] ?? null;
        $this->store->set($key, $order);
        return $order;
    }
    private function order(string $key): array {
        return $this->store->get($key) ?? throw new MomoError('refused', "$key has not been started");
    }

    /** The payment of an order, or null. Rows carry no reference: phone, amount and time ($at or later) are compared too. */
    public function find(string $reference, string $phone, int|float|string $amount, float $at = 0): ?array {
        [, $charge] = [key($reference), charge($phone, $amount)];
        $after = gmdate('Y-m-d H:i:s', max(0, (int) $at - 75_600)); // a day before, in Nairobi
        $own = [$charge['amount'], substr($charge['phone'], 3), true];
        $isOwn = fn ($row) => [$row['amount'] ?? 0, substr($row['phone'] ?? '', -9), ($row['created_at'] ?? '') >= $after] == $own;
        $first = fn (string $search) => array_values(array_filter($this->list(['search' => $search]), $isOwn))[0] ?? null;
        return $first(substr("$reference~", 0, 100)) ?? ($at ? null : $first($reference)); // other programs push it as it is
    }

    /** All rows, newest first: none twice, none left out, also while payments arrive. */
    public function list(array $filters = []): array {
        [$rows, $status] = [[], $filters['status'] ?? null];
        unset($filters['status']); // a status changes while the pages are read, so the service must not filter by it
        for ($page = 1; ; $page++) {
            $query = http_build_query([...$filters, 'page' => $page, 'limit' => 100], encoding_type: PHP_QUERY_RFC3986);
            $answer = $this->call("/transactions.php?$query");
            $shown = $answer['transactions'] ?? $answer['data'] ?? null;
            $isList = is_array($shown) && $shown === array_filter($shown, is_array(...)) && $page * 50 <= count($rows) + 1000;
            $isList || throw new MomoError('unknown', '/transactions.php: no list, or the same page again and again');
            $rows = array_replace($rows, array_column($shown, null, 'id'));
            $isAsked = fn ($row) => $status === null || ($row['status'] ?? null) === $status;
            if (count($shown) < 100) { return array_values(array_filter($rows, $isAsked)); }
        }
    }

    /** The answer, if it is the service's and a success. */
    private function call(string $path, ?array $body = null): array {
        $curl = curl_init($this->baseUrl . $path);
        $headers = ["X-API-Key: $this->apiKey", "X-API-Secret: $this->apiSecret", 'Content-Type: application/json'];
        curl_setopt_array($curl, [
            CURLOPT_HTTPHEADER => array_map(trim(...), $headers), // keys from the lines of a file for Windows
            CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT_MS => (int) ($this->timeout * 1000), CURLOPT_NOPROGRESS => false,
            CURLOPT_PROGRESSFUNCTION => fn ($curl, $total, $received) => $received > 10_000_000 ? 1 : 0,
        ]);
        $body && curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
        $answer = json_decode((string) curl_exec($curl), true);
        $success = is_array($answer) ? $answer['success'] ?? null : null;
        ['http_code' => $status, 'request_size' => $sentBytes] = curl_getinfo($curl);
        if ($status === 200 && $success === true) { return $answer; }
        $isRefusal = $status >= 400 && $status < 500 && !in_array($status, [408, 429], true) && $success === false;
        $isUnsent = $sentBytes === 0 && in_array(curl_errno($curl), UNSENT, true); // error 1 can be about the answer, too
        $kind = $isRefusal ? ($status === 401 ? 'credentials' : 'refused') : ($isUnsent ? 'unreachable' : 'unknown');
        throw new MomoError($kind, "$path: $status " . ($answer['message'] ?? 'no answer of the service ' . curl_error($curl)));
    }
}

function checked(string $what, string $value, string $pattern, string $rule): array {
    return preg_match($pattern, $value, $found) ? $found : throw new MomoError('usage', "$what must be $rule; it is '$value'");
}
function key(string $reference): string {
    $rule = '1 to 100 printable characters of ASCII without ~, no space at its ends';
    return strtolower(checked('reference', $reference, '/^(?! )[ -}]{1,100}(?<! )$/D', $rule)[0]); // the service ignores the case
}
function charge(string $phone, int|float|string $amount): array {
    $digits = preg_replace('/[ ().-]/', '', $phone);
    $number = checked('phone', $digits, '/^(?:\+?254|0|(?=[17]\d{8}$))(\d{9})$/D', 'such as 0712345678')[1];
    $rule = 'a number from 1, with two decimals at most';
    $value = (float) checked('amount', (string) $amount, '/^[1-9]\d{0,8}(\.\d{1,2})?$/D', $rule)[0];
    return ['phone' => "254$number", 'amount' => $value == (int) $value ? (int) $value : $value];
}

if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    try {
        $names = ['MOMO_BASE_URL', 'MOMO_API_KEY', 'MOMO_API_SECRET', 'MOMO_PAYMENT_ACCOUNT_ID'];
        [$url, $apiKey, $secret, $account] = array_map(strval(...), array_map(getenv(...), $names));
        $isUsed = $argc === 5 && in_array($argv[1], ['pay', 'find']) && $url && $apiKey && $secret && ctype_digit($account);
        $isUsed || throw new MomoError('usage', 'client.php pay|find REFERENCE PHONE AMOUNT, with ' . implode(', ', $names));
        $momo = new Client($url, $apiKey, $secret, (int) $account, new FileStore(getenv('MOMO_ORDERS') ?: 'momo-orders'));
        $result = [$momo, $argv[1]](...array_slice($argv, 2));
        $code = $result ? CODES[$result['status']] ?? 13 : 3;
    } catch (\Throwable $error) {
        $kind = $error->kind ?? 'unexpected';
        [$result, $code] = [['error' => ['code' => $kind, 'message' => $error->getMessage()]], ERRORS[$kind] ?? 1];
    }
    echo json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES), "\n";
    exit($code);
}
