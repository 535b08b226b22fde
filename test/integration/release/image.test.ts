import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Engine, openEngine } from "../../../scripts/release/container/engine.ts";
import {
  buildImage,
  makeLocalBase,
  PROCESSORS,
  type Processor,
  requirePinnedBase,
} from "../../../scripts/release/container/image.ts";
import { TRIALS } from "../../../scripts/release/container/trials.ts";
import { builtBinary, ROOT } from "../../support/binary.ts";
import { describeWith, named } from "../../support/needs.ts";
import { rejectionOf } from "../../support/waiting.ts";

/** The image for this processor, with the C library of this machine. */

const processor = (Object.keys(PROCESSORS) as Processor[]).find((name) => PROCESSORS[name].cpu === process.arch);
const why = whyNoContainers();
describe.skipIf(why !== "")(named("the container image", why), () => {
  describeWith(["buildah", "podman", "netavark", "runc", "skopeo"], "in its trials", () => {
    let engine: Engine;
    let image = "";
    beforeAll(async () => {
      engine = openEngine();
      image = await buildImage(engine, {
        executables: { [processor ?? "amd64"]: await builtBinary() },
        base: (name) => makeLocalBase(engine, name),
        texts: [join(ROOT, "LICENSE")],
      });
    });
    afterAll(() => engine?.close());

    for (const [promise, trial] of Object.entries(TRIALS)) test(promise, () => trial(engine, image));

    test("a build that fails says why, and nothing of it remains mounted", async () => {
      const failing = openEngine();
      appendFileSync(failing.env.CONTAINERS_CONF ?? "", '[engine]\nhelper_binaries_dir = ["/nowhere"]\n');
      const error = await rejectionOf(makeLocalBase(failing, processor ?? "amd64"));
      await failing.close();
      expect(String(error)).toContain('could not find "netavark"');
      expect(readFileSync("/proc/self/mounts", "utf8")).not.toContain(failing.folder);
      expect(existsSync(failing.folder)).toBe(false);
    });
  });
});

function whyNoContainers(): string {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !processor) return "only root on Linux can build it";
  // A program that enters a container from a chroot finds the root of the machine instead.
  const own = ["stat", "--format", "%d:%i", "/"];
  const [inside, entered] = [own, ["nsenter", "--mount=/proc/self/ns/mnt", ...own]].map((command) =>
    Bun.spawnSync(command).stdout.toString(),
  );
  return inside === entered ? "" : "podman cannot enter a container in a chroot";
}

test("an image for others is built on a base that has a digest, and is refused while there is none", () => {
  const file = readFileSync(join(ROOT, "scripts/release/container/Containerfile"), "utf8");
  if (file.includes("@sha256:")) expect(requirePinnedBase()).toMatch(/@sha256:[0-9a-f]{64}$/);
  else expect(requirePinnedBase).toThrow("Containerfile has no digest: write it as NAME@sha256:");
});
