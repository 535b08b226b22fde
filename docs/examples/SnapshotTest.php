<?php

final class SnapshotTest extends PHPUnit\Framework\TestCase
{
    public function testAPaidOrderIsAsRecorded(): void
    {
        $shop = "momo pay 0712345678 100 --outcome 'completed; after=0s' -q; momo list --json"; // or your program
        $momo = "momo exec --seed shop --clock '2026-03-31 23:59:50' -- sh -c " . escapeshellarg($shop);
        $printed = shell_exec($momo);
        if (!is_file('paid.json')) {
            file_put_contents('paid.json', $printed);
        }
        $this->assertStringEqualsFile('paid.json', $printed);
    }
}
