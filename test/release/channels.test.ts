import { expect, test } from "bun:test";
import { homebrewFormula, scoopManifest } from "../../scripts/release/channels.ts";
import { TARGETS } from "../../scripts/release/targets.ts";

const RELEASES = "https://example.org/pay/momo/releases/download/v1.2.3";
const names = TARGETS.map(({ name, os }) => `momo-${name}.${os === "win32" ? "zip" : "tar.gz"}`);
const sums = new Map(names.map((name, index) => [name, String(index).repeat(64)]));

test("the Homebrew formula has the address and the sum of the archive for each system and processor, in its block", () => {
  const block = (target: string) => {
    const name = `momo-${target}.tar.gz`;
    return ` do url "${RELEASES}/${name}" sha256 "${sums.get(name)}" end `;
  };
  const system = (name: string, target: string) =>
    `on_${name} do on_arm${block(`${target}-arm64`)}on_intel${block(`${target}-x64`)}end`;
  const words = homebrewFormula("1.2.3", RELEASES, sums).split(/\s+/).join(" ");
  expect(words).toContain(`license "MIT" ${system("macos", "darwin")} ${system("linux", "linux")} def install`);
});

test("the Scoop manifest has the archives for Windows", () => {
  expect(scoopManifest("1.2.3", RELEASES, sums)).toMatchObject({
    version: "1.2.3",
    architecture: {
      "64bit": { url: `${RELEASES}/momo-windows-x64.zip`, hash: sums.get("momo-windows-x64.zip") },
      arm64: { url: `${RELEASES}/momo-windows-arm64.zip`, hash: sums.get("momo-windows-arm64.zip") },
    },
    bin: "momo.exe",
  });
});

test("an archive without a sum stops both", () => {
  expect(() => homebrewFormula("1.2.3", RELEASES, new Map())).toThrow("SHA256SUMS has no momo-darwin-arm64.tar.gz");
  expect(() => scoopManifest("1.2.3", RELEASES, new Map())).toThrow("SHA256SUMS has no momo-windows-x64.zip");
});
