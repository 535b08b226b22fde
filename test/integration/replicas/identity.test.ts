import { afterAll, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { expectRefusal, runMomo } from "../../support/momo.ts";
import { describeWithPostgres, emptyDatabase, startReplica } from "../../support/replicas.ts";

afterAll(cleanUp);

describeWithPostgres("two replicas, each with a directory of its own", () => {
  test("no command that names the directory of a killed one reaches the one that got its port", async () => {
    const [url, own, other] = [await emptyDatabase(), newFolder(), newFolder()];
    const a = await startReplica(url, "a", ["--data", own, "--allow-reset"]);
    await a.pay();
    expect((await runMomo(["reset", "--yes", "--data", own])).exitCode).toBe(0);
    await a.kill();
    const b = await startReplica(url, "b", [
      "--data",
      other,
      "--allow-reset",
      "--port",
      new URL(a.ready.base_url).port,
    ]);
    await b.pay();
    for (const words of [["reset", "--yes"], ["rules", "clear"], ["pay", "0712345678", "5"], ["list"]])
      expectRefusal(
        await runMomo([...words, "--data", own]),
        6,
        new RegExp(`is not the server of ${own}: this one serves ${other}`),
      );
    expect((await runMomo(["list", "-q", "--data", other])).stdout.trim().split("\n")).toHaveLength(1);
  });
});
