import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { blocksOf, readDocument, type Session, startSession } from "../../support/documents.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import { describeWithPostgres, emptyDatabase } from "../../support/replicas.ts";
import { until } from "../../support/waiting.ts";

/** The commands of docs/replicas.md, as they are written, in their order, on a real PostgreSQL. */

const document = readDocument("docs/replicas.md");
const scripts = blocksOf(document, "sh").map((block) => block.trim());
const isServer = (script: string) => script.startsWith("momo serve");

afterAll(cleanUp);

describeWithPostgres("every command of docs/replicas.md works as it is written", () => {
  let session: Session;
  let variables: Record<string, string>;
  let served: ReturnType<Session["run"]>;
  let pid = 0;
  beforeAll(async () => {
    session = await startSession();
    const readyFile = join(session.folder, "replica.json");
    const database = { MOMO_DATABASE: await emptyDatabase(), EMPTY_DATABASE: await emptyDatabase() };
    served = session.run(scripts.find(isServer) ?? "", {
      ...database,
      ...{ MOMO_SERVE_PORT: "0", MOMO_SERVE_READY_FILE: readyFile, MOMO_SERVE_EPHEMERAL: "1" },
    });
    await until(
      async () => existsSync(readyFile),
      (isThere) => isThere,
    );
    const ready = JSON.parse(readFileSync(readyFile, "utf8")) as { pid: number; control_url: string };
    pid = ready.pid;
    variables = { ...database, MOMO_CONTROL_URL: ready.control_url };
  });

  for (const [index, script] of scripts.entries()) {
    if (isServer(script)) continue;
    test(`${index + 1}: ${script.split("\n")[0]}`, async () => {
      const { exitCode, stdout, stderr } = await session.run(script, variables);
      expect({ exitCode, refused: stdout.includes('"success":false') }).toEqual({ exitCode: 0, refused: false });
      expect(stderr).not.toMatch(/warn|momo: /);
    });
  }

  test("the server starts, and ends at SIGTERM", async () => {
    process.kill(pid, "SIGTERM");
    expect(await served).toMatchObject({ exitCode: 0 });
  });
});

describeWith(["haproxy"], "the configurations for HAProxy in docs/replicas.md", () => {
  test("are valid", async () => {
    const file = join(newFolder(), "haproxy.conf");
    const defaults = "defaults\n  mode http\n  timeout client 30s\n  timeout server 30s\n  timeout connect 5s\n";
    const frontend = "frontend shop\n  bind 127.0.0.1:2546\n  default_backend momo\n";
    writeFileSync(file, [defaults, frontend, ...blocksOf(document, "haproxy")].join(""));
    const run = await runToEnd(["haproxy", "-c", "-f", file], { env: { PATH: `${process.env.PATH}:/usr/sbin` } });
    expect(run).toMatchObject({ exitCode: 0 });
  });
});
