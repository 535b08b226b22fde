import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeRandomness } from "../../scripts/release/container/randomness.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";

afterAll(cleanUp);

const sum = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");

/** An image for one processor, as skopeo writes it, with names that buildah drew. */
function plantImage(name: string): string {
  const folder = newFolder();
  const put = (text: string, suffix = "") => {
    writeFileSync(join(folder, `${sum(text)}${suffix}`), text);
    return { digest: `sha256:${sum(text)}`, size: text.length };
  };
  const configuration = {
    container: name,
    container_config: { Hostname: name },
    config: { Hostname: name, User: "65532" },
  };
  const manifest = { config: put(JSON.stringify(configuration)), layers: [put("a layer")] };
  const list = { manifests: [{ ...put(JSON.stringify(manifest), ".manifest.json"), platform: { os: "linux" } }] };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(list));
  return folder;
}

test("images that differ only in what buildah drew have the same digest afterwards", () => {
  const [first, second] = [plantImage("one"), plantImage("another")];
  expect(sum(readFileSync(join(first, "manifest.json")))).not.toBe(sum(readFileSync(join(second, "manifest.json"))));
  const digest = removeRandomness(first);
  expect(removeRandomness(second)).toBe(digest);
  expect(digest).toBe(`sha256:${sum(readFileSync(join(first, "manifest.json")))}`);
  expect(readdirSync(first).sort()).toEqual(readdirSync(second).sort());
});

test("every part is still where its digest says, with its size; nothing else is lost", () => {
  const folder = plantImage("one");
  removeRandomness(folder);
  const names = readdirSync(folder).filter((name) => name !== "manifest.json");
  expect(names).toHaveLength(3);
  for (const name of names) expect(sum(readFileSync(join(folder, name)))).toBe(name.replace(".manifest.json", ""));
  const { manifests } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const manifest = readFileSync(join(folder, `${manifests[0].digest.slice(7)}.manifest.json`), "utf8");
  expect(manifests).toEqual([{ digest: `sha256:${sum(manifest)}`, size: manifest.length, platform: { os: "linux" } }]);
  const { config } = JSON.parse(manifest);
  const configuration = readFileSync(join(folder, config.digest.slice(7)), "utf8");
  expect({ size: config.size, ...JSON.parse(configuration) }).toEqual({
    size: configuration.length,
    config: { User: "65532" },
  });
});
