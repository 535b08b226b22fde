import { afterAll, expect, test } from "bun:test";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { serveFake } from "../../support/fake-server.ts";
import { startMomo } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import { environmentOf, PAYMENT, PROGRAMS, PYTHON, runnerOf, runWith } from "./programs.ts";

/** The clients of clients/ as programs: what they refuse before they send anything. */

const REFERENCES = ["", " ORDER", "ORDER~1", "ORDER-\u{1F600}", "x".repeat(88)];

const json = (body: unknown) => Response.json(body);
const EMPTY_LIST = { success: true, message: "", transactions: [] };

/** The port of a server that takes no connection: those that wait for it are as many as may. */
async function listenWithoutRoom(): Promise<string> {
  const program = `import socket, sys
server = socket.create_server(("127.0.0.1", 0), backlog=0)
waiting = [socket.socket() for _ in range(4)]
for one in waiting:
    one.setblocking(False)
    one.connect_ex(server.getsockname())
print(server.getsockname()[1], flush=True)
sys.stdin.read()`;
  const child = startMomo([], { program: [...PYTHON, "-c", program], stdin: null });
  later(() => child.finish());
  return (await child.stdout.nextLine()) ?? "";
}

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs, caller } = program;
  const run = runnerOf(program);
  const find = async (baseUrl: string, reference: string) => {
    const { error } = await run(baseUrl, newFolder(), "find", reference, "0712345678", "100");
    return error?.code;
  };

  describeWith([...needs, "python3"], `the client in ${name}`, () => {
    test("cannot reach a port where nobody listens, and refuses an address that is none", async () => {
      const { baseUrl, stop } = serveFake(() => json({}));
      await stop();
      const noAddresses = [
        "htp://127.0.0.1:47/v2",
        "http://127.0.0.1:port/v2",
        "nobody.invalid/v2",
        "http://[::1/v2",
        "file:///v2",
        "http://user:password@127.0.0.1/v2",
        "",
      ];
      const plain = serveFake(() => json({}));
      const secure = plain.baseUrl.replace("http:", "https:");
      for (const address of [baseUrl, secure, "http://nobody.invalid/v2"])
        expect(await find(address, "ORDER-0001")).toBe("unreachable");
      for (const address of noAddresses) {
        const { error } = await run(address, newFolder(), "find", ...PAYMENT);
        expect({ address, code: error?.code }).toEqual({ address, code: "usage" });
        expect(error?.message).toMatch(/^base_?url [(]MOMO_BASE_URL[)] must be such as https:/i);
        expect(error?.message).toContain(address);
      }
    });

    // The fetch of JavaScript does not tell how far it came in its time.
    if (name !== "JavaScript")
      test.skipIf(process.platform !== "linux")("cannot reach a server that takes no connection in time", async () => {
        const address = `http://127.0.0.1:${await listenWithoutRoom()}/v2`;
        const { error } = await runnerOf(program, { timeout: 0.3 })(address, newFolder(), "start", ...PAYMENT);
        expect(error).toMatchObject({ code: "unreachable", may_have_paid: false });
      });

    test("refuses an account that is no number", async () => {
      const { baseUrl, requests } = serveFake(() => json(EMPTY_LIST));
      const env = { ...environmentOf(baseUrl, newFolder()), MOMO_PAYMENT_ACCOUNT_ID: "x" };
      const { error } = await runWith(caller, env, "find", ...PAYMENT);
      expect(error?.code).toBe("usage");
      expect(requests).toEqual([]);
    });

    test.each(REFERENCES)("refuses the reference %p", async (reference) => {
      const { baseUrl, requests } = serveFake(() => json(EMPTY_LIST));
      expect(await find(baseUrl, reference)).toBe("usage");
      expect(requests).toEqual([]);
    });

    test.each([
      ["MOMO_API_KEY", "", /^api_?key [(]MOMO_API_KEY[)] must be ASCII without spaces/i],
      ["MOMO_API_KEY", "\u043a", /^api_?key [(]MOMO_API_KEY[)] must be ASCII without spaces; it is/i],
      ["MOMO_API_SECRET", "\u043a", /^api_?secret [(]MOMO_API_SECRET[)] must be ASCII without spaces(?!.*\u043a)/i],
      ["MOMO_PAYMENT_ACCOUNT_ID", "", /^account [(]MOMO_PAYMENT_ACCOUNT_ID[)] must be a number/i],
    ])("refuses %s %p by name", async (variable, value, message) => {
      const { baseUrl, requests } = serveFake(() => json(EMPTY_LIST));
      const env = { ...environmentOf(baseUrl, newFolder()), [variable]: value };
      const { error } = await runWith(caller, env, "find", ...PAYMENT);
      expect(error?.code).toBe("usage");
      expect(error?.message).toMatch(message);
      expect(requests).toEqual([]);
    });
  });
}
