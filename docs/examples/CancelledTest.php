<?php // CancelledTest.php

require 'client.php'; // momo client php > client.php

use PHPUnit\Framework\TestCase;

final class CancelledTest extends TestCase
{
    private static $server;
    private static array $pipes = [];
    private static array $momo = [];

    public static function setUpBeforeClass(): void
    {
        $command = 'exec momo serve --ephemeral --port 0 --json --quiet --until-stdin-closes';
        self::$server = proc_open($command, [['pipe', 'r'], ['pipe', 'w']], self::$pipes);
        self::$momo = json_decode(fgets(self::$pipes[1]), true);
    }

    public static function tearDownAfterClass(): void
    {
        fclose(self::$pipes[0]);
        proc_close(self::$server);
    }

    private function steer(string $path, array $body): void
    {
        $http = ['method' => 'POST', 'content' => json_encode($body), 'header' => 'Content-Type: application/json'];
        file_get_contents(self::$momo['control_url'] . $path, false, stream_context_create(['http' => $http]));
    }

    public function testACustomerWhoCancelsIsNotCharged(): void
    {
        ['base_url' => $url, 'api_key' => $key, 'api_secret' => $secret, 'payment_account_id' => $account] = self::$momo;
        $time = 0;
        $sleep = function (float $seconds) use (&$time) { // moves the sandbox's clock instead
            $time += $seconds;
            $this->steer('/clock', ['advance' => "{$seconds}s"]);
        };
        $now = function () use (&$time) { return $time; };
        $store = new Momo\FileStore(sys_get_temp_dir() . '/' . uniqid('orders'));
        $shop = new Momo\Client($url, $key, $secret, $account, $store, now: $now, sleep: $sleep);
        $this->steer('/clock', ['freeze' => true]);
        $this->steer('/rules', ['outcome' => 'cancelled', 'times' => 1]);
        $this->assertSame('cancelled', $shop->pay('ORDER-0001', '0712345678', 100)['status']);
        $audit = json_decode(file_get_contents(self::$momo['control_url'] . '/audit?over=true'), true);
        $errors = array_filter($audit['findings'], fn ($finding) => $finding['severity'] === 'error');
        $this->assertSame([], $errors);
    }
}
