import { afterAll, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mountSmall, whyNoMount } from "../../crash/trial.ts";
import { cleanUp, FAST_FOLDER, newFolder } from "../../support/cleanup.ts";
import { serveFake } from "../../support/fake-server.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith, type Needed, testWith } from "../../support/needs.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";
import {
  CHECKOUT_ID,
  CLIENTS,
  ENDED_FILE,
  json,
  PAID,
  PAYMENT,
  PROGRAMS,
  PYTHON,
  runnerOf,
  serveService,
} from "./programs.ts";

/** What the clients read of their stores, and what they do if other processes change it meanwhile. */

const OPEN_WITH_REMOVED: readonly [
  name: string,
  needs: readonly Needed[],
  program: (url: string, folder: string) => readonly string[],
][] = [
  [
    "JavaScript",
    ["node"],
    (baseUrl, folder) => [
      ...["node", "--input-type=module", "-e"],
      `import { createClient, fileStore } from "${CLIENTS}/client.mjs";
       const files = fileStore("${folder}");
       const store = { ...files, names: () => [...files.names(), "order-9"] };
       const momo = createClient({ baseUrl: "${baseUrl}", apiKey: "a", apiSecret: "b", paymentAccountId: 1, store });
       await momo.start("ORDER-0001", "0712345678", 100);
       console.log((await momo.open()).map(({ reference }) => reference).join());`,
    ],
  ],
  [
    "Python",
    ["python3"],
    (url, folder) => [
      ...[...PYTHON, "-c"],
      `import sys; sys.path.insert(0, "${CLIENTS}"); from client import Client, FileStore
class Store(FileStore):
    def names(self):
        return [*super().names(), "order-9"]
momo = Client("${url}", "a", "b", 1, Store("${folder}"))
momo.start("ORDER-0001", "0712345678", 100)
print(",".join(order["reference"] for order in momo.open()))`,
    ],
  ],
  [
    "PHP",
    ["php", "php curl"],
    (url, folder) => [
      ...["php", "-r"],
      `require "${CLIENTS}/client.php";
       class Store {
         public function __construct(private $files) {}
         public function names() { return [...$this->files->names(), "order-9"]; }
         public function __call($name, $arguments) { return $this->files->$name(...$arguments); }
       }
       $momo = new Momo\\Client("${url}", "a", "b", 1, new Store(new Momo\\FileStore("${folder}")));
       $momo->start("ORDER-0001", "0712345678", 100);
       echo implode(",", array_column($momo->open(), "reference")), "\n";`,
    ],
  ],
];

afterAll(cleanUp);

for (const [name, needs, program] of OPEN_WITH_REMOVED)
  testWith(needs, `the client in ${name} lists no order that another process removes meanwhile`, async () => {
    const { stdout, stderr } = await runToEnd(program(serveService().baseUrl, newFolder()));
    expect({ stdout, stderr }).toEqual({ stdout: "ORDER-0001\n", stderr: "" });
  });

for (const program of PROGRAMS) {
  const { name, needs, waitShortly } = program;
  const run = runnerOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test(
      "lists its open orders without a look at those that have ended, also of an old address",
      async () => {
        const orders = newFolder();
        const old = serveService({ status: () => json(PAID) });
        await run(old.baseUrl, orders, "start", ...PAYMENT);
        await run(old.baseUrl, orders, "ask", "ORDER-0001");
        writeFileSync(join(orders, ENDED_FILE), ""); // it is not read
        const { baseUrl } = serveService();
        await run(baseUrl, orders, "start", "ORDER-0002", "0712345678", "100");
        expect((await run(baseUrl, orders, "open")).result).toMatchObject([{ reference: "ORDER-0002" }]);
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "waits until its deadline, which slow answers do not prolong",
      async () => {
        const { baseUrl, looks } = serveService({
          async status() {
            await Bun.sleep(300);
            return json({ status: "pending" });
          },
        });
        const { stdout, stderr } = await runToEnd(waitShortly(baseUrl, newFolder()));
        expect({ stdout, stderr }).toEqual({ stdout: "pending\n", stderr: "" });
        expect(looks()).toBeLessThan(5); // five pauses are the whole deadline
      },
      TEST_TIMEOUT_MS,
    );

    test.each([
      ["100", "100"],
      ["100.00", "100"],
      ["100.50", "100.5"],
    ])(
      "sends the amount %s as %s",
      async (amount, sent) => {
        let body = "";
        const { baseUrl } = serveFake(async (request) => {
          body = await request.text();
          return json({ checkout_request_id: CHECKOUT_ID });
        });
        await run(baseUrl, newFolder(), "start", "ORDER-0001", "0712345678", amount);
        expect(body).toMatch(new RegExp(`"amount": ?${sent}[,}]`));
      },
      TEST_TIMEOUT_MS,
    );

    test.each([[["no"]], [{ text: "no" }], [5]])(
      "takes an answer whose message and result_desc are %p",
      async (text) => {
        const { baseUrl } = serveService({
          push: () => json({ checkout_request_id: CHECKOUT_ID, message: text, result_desc: text }),
          status: () => json({ ...PAID, message: text, result_desc: text }),
        });
        const orders = newFolder();
        expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("pending");
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
        const failing = serveService({ push: () => json({ message: text, result_desc: text }, 503) });
        expect((await run(failing.baseUrl, newFolder(), "start", ...PAYMENT)).status).toBe("unknown");
      },
      TEST_TIMEOUT_MS,
    );
  });
}

describeWith(["python3"], "a value that the client in Python replaces", () => {
  test("is there for each reader", async () => {
    const program = `import sys, threading; sys.path.insert(0, "${CLIENTS}"); from client import FileStore
store = FileStore("${newFolder(FAST_FOLDER)}")
store.add("x", {})
missing = []
def read():
    while writer.is_alive():
        if store.get("x") is None:
            missing.append(1)
def write():
    for number in range(500):
        store.add("x", {"number": number}, replaces=True)
writer = threading.Thread(target=write)
writer.start()
read()
print(len(missing), store.get("x"))`;
    const { stdout, stderr } = await runToEnd([...PYTHON, "-c", program]);
    expect({ stdout, stderr }).toEqual({ stdout: "0 {'number': 499}\n", stderr: "" });
  });
});

describeWith(["php", "php curl"], "the client in PHP", () => {
  test.skipIf(whyNoMount() !== "")("stores no empty value on a full disk, if no notice is reported", async () => {
    const folder = newFolder();
    mountSmall(folder, 1);
    expect(() => writeFileSync(join(folder, "other"), Buffer.alloc(8 << 20))).toThrow("ENOSPC");
    const program = `require "${CLIENTS}/client.php";
      try { (new Momo\\FileStore("${folder}"))->add("x", ["text" => str_repeat("x", 100000)]); }
      catch (Throwable $error) { echo get_class($error), "\n"; }`;
    const { stdout } = await runToEnd(["php", "-d", "error_reporting=0", "-r", program]);
    expect(stdout).toBe("ErrorException\n");
    expect(readdirSync(folder)).toEqual(["other"]);
  });

  test("shows neither key nor secret in the trace of an error", async () => {
    const program = `require "${CLIENTS}/client.php";
      try { new Momo\\Client("http://127.0.0.1", "key-4711", "secret 4712", 1, new stdClass); }
      catch (Throwable $error) { print_r($error->getTrace()); }`;
    const { stdout, stderr } = await runToEnd(["php", "-d", "zend.exception_ignore_args=0", "-r", program]);
    expect(stderr).toBe("");
    expect(stdout).toContain("Momo");
    expect(stdout).not.toContain("4711");
    expect(stdout).not.toContain("4712");
  });
});
