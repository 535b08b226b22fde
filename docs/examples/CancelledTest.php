<?php // CancelledTest.php

require_once 'client.php'; // momo client php > client.php
require_once 'MomoTestCase.php';

final class CancelledTest extends MomoTestCase
{
    public function testACustomerWhoCancelsIsNotCharged(): void
    {
        $store = new Momo\FileStore(sys_get_temp_dir() . '/' . uniqid('orders'));
        $sleep = fn (float $seconds) => self::advance("{$seconds}s"); // moves the sandbox's clock instead
        $shop = new Momo\Client(...array_values(self::$variables), store: $store, now: self::now(...), sleep: $sleep);
        self::control('POST', '/rules', ['outcome' => 'cancelled', 'times' => 1]);
        $this->assertSame('cancelled', $shop->pay('ORDER-0001', '0712345678', 100)['status']);
    }
}
