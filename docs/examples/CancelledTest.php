<?php // CancelledTest.php

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

    private function post(string $url, array $body): array
    {
        $headers = ['X-API-Key: ' . self::$momo['api_key'], 'X-API-Secret: ' . self::$momo['api_secret']];
        $request = stream_context_create(['http' => [
            'method' => 'POST',
            'content' => json_encode($body),
            'ignore_errors' => true, // a refusal has a body, too
            'header' => ['Content-Type: application/json', ...$headers],
        ]]);
        return json_decode((string) file_get_contents($url, false, $request), true);
    }

    public function testACustomerWhoCancelsIsNotCharged(): void
    {
        ['base_url' => $base, 'control_url' => $control, 'payment_account_id' => $account] = self::$momo;
        $this->post("$control/clock", ['freeze' => true]);
        $this->post("$control/rules", ['outcome' => 'cancelled', 'times' => 1]);
        $order = ['payment_account_id' => $account, 'phone' => '0712345678', 'amount' => 100];
        $started = $this->post("$base/stkpush.php", $order);
        $this->post("$control/clock", ['advance' => '3s']);
        $payment = $this->post("$base/status.php", ['checkout_request_id' => $started['checkout_request_id']]);
        $this->assertSame('cancelled', $payment['status']);
    }
}
