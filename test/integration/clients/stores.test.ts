import { afterAll, expect, test } from "bun:test";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mountSmall, whyNoMount } from "../../crash/trial.ts";
import { cleanUp, FAST_FOLDER, newFolder } from "../../support/cleanup.ts";
import { serveFake } from "../../support/fake-server.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import {
  CHECKOUT_ID,
  CLIENTS,
  ENDED_FILE,
  fileOf,
  json,
  LOST,
  PAID,
  PAYMENT,
  PROGRAMS,
  PYTHON,
  runnerOf,
  serveService,
} from "./programs.ts";

/** What the clients read of their stores, and what they do if other processes change it meanwhile. */

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs } = program;
  const run = runnerOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test("lists its open orders without a look at those that have ended, also of an old address", async () => {
      const orders = newFolder();
      const old = serveService({ status: () => json(PAID) });
      await run(old.baseUrl, orders, "start", ...PAYMENT);
      await run(old.baseUrl, orders, "ask", "ORDER-0001");
      writeFileSync(join(orders, ENDED_FILE), ""); // it is not read
      const { baseUrl } = serveService();
      await run(baseUrl, orders, "start", "ORDER-0002", "0712345678", "100");
      expect((await run(baseUrl, orders, "open")).result).toMatchObject([{ reference: "ORDER-0002" }]);
    });

    // PHP takes a link to nowhere for a file: it has a test of its own below.
    if (name !== "PHP") {
      test("lists no order that another process removes meanwhile", async () => {
        const { baseUrl, orders } = serveService();
        await run(baseUrl, orders, "start", ...PAYMENT);
        // It has a name in the folder, and is not there when it is read.
        symlinkSync("nowhere", join(orders, fileOf("order-9")));
        expect((await run(baseUrl, orders, "open")).result).toMatchObject([{ reference: "ORDER-0001" }]);
      });
    }

    test("waits until its deadline, which slow answers do not prolong", async () => {
      const { baseUrl, looks } = serveService({
        async status() {
          await Bun.sleep(300);
          return json({ status: "pending" });
        },
      });
      const runShortly = runnerOf(program, { interval: 0.1, deadline: 0.5 });
      expect((await runShortly(baseUrl, newFolder(), "pay", ...PAYMENT)).status).toBe("pending");
      expect(looks()).toBeLessThan(5); // five pauses are the whole deadline
    });

    test.each([
      ["100", "100"],
      ["100.00", "100"],
      ["100.50", "100.5"],
    ])("sends the amount %s as %s", async (amount, sent) => {
      let body = "";
      const { baseUrl } = serveFake(async (request) => {
        body = await request.text();
        return json({ checkout_request_id: CHECKOUT_ID });
      });
      await run(baseUrl, newFolder(), "start", "ORDER-0001", "0712345678", amount);
      expect(body).toMatch(new RegExp(`"amount": ?${sent}[,}]`));
    });

    test.each([[["no"]], [{ text: "no" }], [5]])(
      "takes an answer whose message and result_desc are %p",
      async (text) => {
        const { baseUrl, orders } = serveService({
          push: () => json({ checkout_request_id: CHECKOUT_ID, message: text, result_desc: text }),
          status: () => json({ ...PAID, message: text, result_desc: text }),
        });
        expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("pending");
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
        const failing = serveService({ push: () => json({ message: text, result_desc: text }, 503) });
        expect((await run(failing.baseUrl, newFolder(), "start", ...PAYMENT)).status).toBe("unknown");
      },
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

  test("lists no order that another process removes meanwhile", async () => {
    const program = `require "${CLIENTS}/client.php";
      class Store {
        public function __construct(private $files) {}
        public function names() { return [...$this->files->names(), "order-9"]; }
        public function __call($name, $arguments) { return $this->files->$name(...$arguments); }
      }
      $store = new Store(new Momo\\FileStore("${newFolder()}"));
      $momo = new Momo\\Client("${serveService().baseUrl}", "a", "b", 1, $store);
      $momo->start("ORDER-0001", "0712345678", 100);
      echo implode(",", array_column($momo->open(), "reference"));`;
    expect(await runToEnd(["php", "-r", program])).toMatchObject({ stdout: "ORDER-0001", stderr: "" });
  });

  test("is used by a program that makes each warning an exception", async () => {
    const program = `require "${CLIENTS}/client.php";
      set_error_handler(fn ($level, $text) => throw new ErrorException($text));
      $momo = new Momo\\Client("${serveService().baseUrl}", "a", "b", 1, new Momo\\FileStore("${newFolder()}/orders"));
      foreach ([1, 2] as $_) echo $momo->start("ORDER-0001", "0712345678", 100)["status"], "\n";
      try { echo $missing; } catch (ErrorException $error) { echo $error->getMessage(); }`;
    expect(await runToEnd(["php", "-r", program])).toMatchObject({
      stdout: "pending\npending\nUndefined variable $missing",
      stderr: "",
    });
  });

  test.each(["E_ALL", "0"])(
    "says that a store has warned, if %s is reported, but not what it suppresses",
    async (level) => {
      const program = `require "${CLIENTS}/client.php";
      class Store {
        public function __construct(private $files) {}
        public function add($name, $value, $replaces = false) {
          if ($replaces) trigger_error("the table is full", E_USER_WARNING);
          else $this->files->add($name, $value);
        }
        public function __call($name, $arguments) {
          @trigger_error("it is slow", E_USER_WARNING);
          return $this->files->$name(...$arguments);
        }
      }
      error_reporting(${level});
      $store = new Store(new Momo\\FileStore("${newFolder()}"));
      $momo = new Momo\\Client("${serveService({ push: LOST }).baseUrl}", "a", "b", 1, $store);
      echo $momo->start("ORDER-0001", "0712345678", 100)["status"], "\n";
      try { $momo->ask("ORDER-0001"); } catch (Momo\\MomoError $error) { echo "$error->kind: ", $error->getMessage(); }
      if (error_reporting() !== ${level}) echo "another level";`;
      const { stdout, stderr } = await runToEnd(["php", "-r", program]);
      expect({ stdout, stderr }).toEqual({
        stdout: expect.stringMatching(
          /^unknown\nstore: .*cannot be read or stored: the table is full; the customer may have paid$/,
        ),
        stderr: "",
      });
    },
  );

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
