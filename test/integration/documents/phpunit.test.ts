import { afterAll, expect } from "bun:test";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/binary.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { testWith } from "../../support/needs.ts";
import { startSession } from "./session.ts";

/** The sandbox for PHPUnit that people copy, docs/examples/MomoTestCase.php. */

afterAll(cleanUp);

async function startTests() {
  const session = await startSession();
  for (const name of ["MomoTestCase.php", "ShopTest.php", "CancelledTest.php", "shop.php"]) {
    cpSync(join(ROOT, "docs/examples", name), join(session.folder, name));
  }
  cpSync(join(ROOT, "clients/client.php"), join(session.folder, "client.php"));
  return session;
}

testWith(
  ["phpunit", "php curl"],
  "docs/examples: the tests in PHP run in one process, and as the audit of momo exec",
  async () => {
    const { run, variables } = await startTests();
    const { MOMO_CONTROL_URL: _, ...none } = variables;
    expect(await run("phpunit .", none)).toMatchObject({ stdout: expect.stringContaining("OK (4 tests"), exitCode: 0 });
    expect(await run("momo exec --audit=warning -- phpunit ShopTest.php", none)).toMatchObject({ exitCode: 0 });
  },
);

/** A client that never asks for its payment, which the customer pays. */
const WRONG_TEST = `<?php
require_once 'MomoTestCase.php';
final class WrongTest extends MomoTestCase {
    public function testForgetsAPayment(): void {
        $names = ['MOMO_BASE_URL', 'MOMO_API_KEY', 'MOMO_API_SECRET', 'MOMO_PAYMENT_ACCOUNT_ID'];
        [$url, $key, $secret, $account] = array_map(fn ($name) => self::$variables[$name], $names);
        $headers = ["X-API-Key: $key", "X-API-Secret: $secret", 'Content-Type: application/json'];
        $push = ['payment_account_id' => (int) $account, 'phone' => '0712345678', 'amount' => 100];
        $http = ['method' => 'POST', 'header' => $headers, 'content' => json_encode($push)];
        file_get_contents("$url/stkpush.php", false, stream_context_create(['http' => $http]));
        self::advance('3s');
        $this->assertSame(1, self::payments());
    }
    public function testIsInnocent(): void { $this->assertSame(0, self::payments()); }
}
`;

testWith(["phpunit"], "docs/examples/MomoTestCase.php fails a test in which the client makes a mistake", async () => {
  const { folder, run, variables } = await startTests();
  writeFileSync(join(folder, "WrongTest.php"), WRONG_TEST);
  const { stdout, exitCode } = await run("phpunit WrongTest.php", variables);
  expect({ stdout, exitCode }).toEqual({
    stdout: expect.stringMatching(/1\) WrongTest::testForgetsAPayment[\s\S]*end_not_learned: [\s\S]*Failures: 1\./),
    exitCode: 1,
  });
});

testWith(["phpunit"], "docs/examples/MomoTestCase.php leaves a sandbox alone in which somebody works", async () => {
  const { run, variables } = await startTests();
  await run("momo pay 0712345678 100 -q", variables);
  const { stdout, exitCode } = await run("phpunit CancelledTest.php", variables);
  expect({ stdout, exitCode }).toEqual({ stdout: expect.stringContaining("the sandbox has payments"), exitCode: 2 });
});
