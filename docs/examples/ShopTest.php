<?php // ShopTest.php: a shop in a test, with its page and its webhook. momo help shop.php > shop.php

require_once 'MomoTestCase.php';

final class ShopTest extends MomoTestCase
{
    private $shop = null;
    private string $address = '';

    protected function setUp(): void
    {
        parent::setUp();
        $socket = stream_socket_server('tcp://127.0.0.1:0'); // a free port
        $place = stream_socket_get_name($socket, false);
        fclose($socket);
        $orders = sys_get_temp_dir() . '/' . uniqid('orders');
        $environment = [...getenv(), ...self::$variables, 'MOMO_ORDERS' => $orders];
        $log = ['file', "$orders.log", 'a'];
        $this->shop = proc_open(['php', '-S', $place, 'shop.php'], [1 => $log, 2 => $log], $pipes, null, $environment);
        $this->address = "http://$place";
        $this->waitUntil(fn () => self::isUp($place), "the shop does not start: see $orders.log");
    }

    protected function tearDown(): void
    {
        proc_terminate($this->shop);
        parent::tearDown();
    }

    /** In real time. */
    private function waitUntil(callable $isSo, string $problem): void
    {
        for ($tries = 0; !$isSo(); $tries += 1) {
            $this->assertLessThan(500, $tries, $problem);
            usleep(20_000);
        }
    }

    private static function isUp(string $place): bool
    {
        $connection = @stream_socket_client("tcp://$place");
        return $connection !== false && fclose($connection);
    }

    /** The status of an order, or of the answer to a click or a webhook. */
    private function ask(string $path, ?string $content = null, string $type = 'application/x-www-form-urlencoded'): ?string
    {
        $method = $content === null ? 'GET' : 'POST';
        $http = ['method' => $method, 'content' => $content ?? '', 'header' => "Content-Type: $type", 'ignore_errors' => true];
        $answer = file_get_contents($this->address . $path, false, stream_context_create(['http' => $http]));
        return json_decode($answer, true)['status'] ?? null;
    }

    private function click(string $order, string $phone = '0712345678'): ?string
    {
        return $this->ask("/orders/$order", http_build_query(['phone' => $phone]));
    }

    public function testTwoCustomersAtOnce(): void
    {
        self::control('POST', '/rules', ['match' => ['phone' => '0712345678'], 'outcome' => 'cancelled']);
        $this->click('order1001');
        $this->click('order1002', '0722000111');
        self::advance('3s');
        $this->assertSame('cancelled', $this->ask('/orders/order1001'));
        $this->assertSame('completed', $this->ask('/orders/order1002'));
    }

    public function testTheAnswerIsLostAndTheCustomerClicksAgain(): void
    {
        self::control('POST', '/faults', ['kind' => 'disconnect', 'path' => '/stkpush.php', 'times' => 1]);
        self::control('POST', '/faults', ['kind' => 'error', 'path' => '/transactions.php', 'status' => 503, 'times' => 1]);
        $this->assertSame('unknown', $this->click('order1001'));
        $this->assertSame('unknown', $this->click('order1001'));
        $this->assertSame(1, self::payments());
        self::advance('3s');
        $this->assertSame('completed', $this->ask('/orders/order1001'));
    }

    public function testAForgedWebhookBooksNothingAndATrueOneBooks(): void
    {
        self::control('PUT', '/webhook', ['url' => "$this->address/hook"]);
        $this->click('order1001');
        $id = self::control('GET', '/transactions')['transactions'][0]['checkout_request_id'];
        $forged = json_encode(['data' => ['status' => 'completed', 'checkout_request_id' => $id]]);
        $this->ask('/hook', $forged, 'application/json');
        $this->assertSame('pending', $this->ask('/orders/order1001'));
        self::advance('3s');
        $state = fn () => self::control('GET', '/webhook')['deliveries'][0]['state'] ?? '';
        $this->waitUntil(fn () => $state() === 'delivered', 'no webhook came');
        $this->assertSame('completed', $this->ask('/orders/order1001'));
    }
}
