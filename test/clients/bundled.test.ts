import { afterAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";

afterAll(cleanUp);

test("a shop that is bundled with the client into one file runs as the shop, and not as the command", async () => {
  const folder = newFolder();
  copyFileSync(join(import.meta.dir, "../../clients/client.mjs"), join(folder, "client.mjs"));
  writeFileSync(
    join(folder, "shop.mjs"),
    'import { createClient } from "./client.mjs";\nconsole.log(typeof createClient);\n',
  );
  await Bun.build({ entrypoints: [join(folder, "shop.mjs")], outdir: join(folder, "dist"), target: "node" });
  for (const args of [[], ["open"]])
    expect(await runToEnd([process.execPath, join(folder, "dist/shop.js"), ...args])).toEqual({
      stdout: "function\n",
      stderr: "",
      exitCode: 0,
    });
});

test("a bundle that keeps the comments of the client runs as the shop, too", async () => {
  const bundle = join(newFolder(), "shop.mjs");
  const client = readFileSync(join(import.meta.dir, "../../clients/client.mjs"), "utf8");
  writeFileSync(bundle, `${client.replaceAll(/^export /gm, "")}\nconsole.log(typeof createClient);\n`);
  expect(await runToEnd([process.execPath, bundle, "open"])).toEqual({ stdout: "function\n", stderr: "", exitCode: 0 });
});

test("a copy with another name, and a line above its header, is the command, too", async () => {
  const copy = join(newFolder(), "momo.mjs");
  const client = readFileSync(join(import.meta.dir, "../../clients/client.mjs"), "utf8");
  writeFileSync(copy, `/* eslint-disable */\n${client}`);
  const { stdout, exitCode } = await runToEnd([process.execPath, copy, "pay", "A", "0712345678", "100"], { env: {} });
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "usage", may_have_paid: false } });
  expect(exitCode).toBe(2);
});

test("a shop in CommonJS requires the client", async () => {
  const folder = newFolder();
  copyFileSync(join(import.meta.dir, "../../clients/client.mjs"), join(folder, "client.mjs"));
  writeFileSync(join(folder, "shop.cjs"), 'console.log(typeof require("./client.mjs").createClient);');
  expect(await runToEnd([process.execPath, join(folder, "shop.cjs")])).toEqual({
    stdout: "function\n",
    stderr: "",
    exitCode: 0,
  });
});
