import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeTarGz } from "../../../scripts/release/archives.ts";
import { releasesOf } from "../../../scripts/release/repository.ts";
import { sumOf } from "../../../scripts/release/sums.ts";
import { ROOT } from "../../support/binary.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { afterMounts, testWithMounts } from "../../support/mounts.ts";

/** install.sh with releases from a server of this machine. */

afterAll(cleanUp);

const SCRIPT = join(ROOT, "scripts/release/install.sh");
const GOOD = "#!/bin/sh\necho 9.9.9\n";

interface Release {
  /** By default the right one. */
  readonly sum?: string;
  /** Whether it is there. */
  readonly archive?: boolean;
  /** Whether only its beginning comes. */
  readonly half?: boolean;
  /** As in the name of the archive. */
  readonly system?: string;
}

/** A release whose executable is a script. */
async function serveRelease(
  executable: string,
  { sum = "", archive = true, half = false, system = `linux-${process.arch}` }: Release = {},
): Promise<string> {
  const ARCHIVE = `momo-${system}.tar.gz`;
  const folder = newFolder();
  writeFileSync(join(folder, "momo"), executable, { mode: 0o755 });
  await writeTarGz(join(folder, ARCHIVE), [{ name: "momo", source: join(folder, "momo") }]);
  writeFileSync(join(folder, "SHA256SUMS"), `${sum || (await sumOf(join(folder, ARCHIVE)))}  ${ARCHIVE}\n`);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const file = join(folder, new URL(url).pathname);
      const isThere = existsSync(file) && (archive || !file.endsWith(".gz"));
      if (half && file.endsWith(".gz")) return new Response(readFileSync(file).subarray(0, 50));
      return isThere ? new Response(Bun.file(file)) : new Response("", { status: 404 });
    },
  });
  later(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

interface Try {
  readonly shell?: readonly string[];
  readonly script?: string;
  readonly env?: Record<string, string>;
}

async function install(releases: string, home = newFolder(), { shell = ["sh", SCRIPT], script, env = {} }: Try = {}) {
  const run = await runToEnd(shell, {
    env: { HOME: home, MOMO_RELEASES: releases, no_proxy: "127.0.0.1", ...env },
    ...(script !== undefined && { stdin: script }),
  });
  return { ...run, home, momo: join(home, ".local/bin/momo") };
}

/** A server that promises more bytes than it sends. */
async function serveHalfAnAnswer(): Promise<string> {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
      },
    },
  });
  later(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

describe("install.sh", () => {
  test.each([["sh"], ["bash"]])(
    "installs the executable, read by %s from a pipe, and names the line for the path",
    async (shell) => {
      const script = readFileSync(SCRIPT, "utf8");
      const { stdout, stderr, exitCode, home, momo } = await install(await serveRelease(GOOD), newFolder(), {
        shell: [shell],
        script,
      });
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      expect(stdout).toContain(`momo 9.9.9 is installed: ${momo}\n`);
      expect((await runToEnd([momo, "--version"])).stdout).toBe("9.9.9\n");
      expect(readdirSync(home)).toEqual([".local"]);
      expect(readdirSync(join(home, ".local/bin"))).toEqual(["momo"]);
    },
  );

  test("half a script does nothing", async () => {
    const text = readFileSync(SCRIPT, "utf8");
    const { home } = await install(await serveRelease(GOOD), newFolder(), {
      shell: ["sh"],
      script: text.slice(0, -20),
    });
    expect(readdirSync(home)).toEqual([]);
  });

  const BAD: [what: string, release: () => Promise<string>, message: RegExp][] = [
    ["a wrong sum", () => serveRelease(GOOD, { sum: "0".repeat(64) }), /the sum of momo-\S+ is wrong/],
    ["an archive that is missing", () => serveRelease(GOOD, { archive: false }), /cannot be downloaded/],
    [
      "an executable that does not run",
      () => serveRelease("#!/bin/sh\necho no >&2; exit 1\n"),
      /does not run here: no; nothing was installed/,
    ],
    ["no server", async () => "http://127.0.0.1:1", /SHA256SUMS cannot be downloaded: curl: /],
    [
      "half a download",
      () => serveRelease(GOOD, { half: true }),
      /the sum of momo-\S+ is wrong: it did not come whole/,
    ],
    ["a download that breaks off", serveHalfAnAnswer, /cannot be downloaded: curl: /],
  ];
  for (const [what, release, message] of BAD) {
    test(`${what}: one line, and the momo that was there stays`, async () => {
      const home = newFolder();
      const folder = join(home, ".local/bin");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "momo"), "the old one");
      const { stderr, exitCode } = await install(await release(), home);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^momo: .*\n$/);
      expect(readdirSync(folder)).toEqual(["momo"]);
      expect(readFileSync(join(folder, "momo"), "utf8")).toBe("the old one");
    });
  }

  test("musl without libstdc++: one line that says how to get it", async () => {
    const home = newFolder();
    const complaints =
      "Error loading shared library libstdc++.so.6: No such file\nError relocating momo: symbol not found";
    const release = await serveRelease(`#!/bin/sh\necho '${complaints}' >&2\nexit 127\n`, {
      system: `linux-${process.arch}-musl`,
    });
    // On Alpine there is a getconf that knows no GNU_LIBC_VERSION.
    writeFileSync(join(home, "getconf"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const { stderr } = await install(release, home, { env: { PATH: `${home}:${process.env.PATH}` } });
    expect(stderr).toMatch(
      /^momo: the executable does not run here \(on Alpine: apk add libstdc\+\+\): Error loading .*; nothing was installed\n$/,
    );
  });

  const PLACES: [what: string, mount: string, env: string, message: RegExp][] = [
    ["a folder for temporary files that forbids to execute", "noexec", "TMPDIR", /^$/],
    [
      "a folder that forbids to execute",
      "noexec",
      "MOMO_INSTALL",
      /^momo: .*may forbid to execute: choose another .*\n$/,
    ],
    [
      "a read-only folder",
      "ro",
      "MOMO_INSTALL",
      /^momo: .* cannot be written; choose another folder with MOMO_INSTALL\n$/,
    ],
    [
      "a read-only folder for temporary files",
      "ro",
      "TMPDIR",
      /^momo: there is no room for temporary files in .*TMPDIR\n$/,
    ],
  ];
  for (const [what, mount, variable, message] of PLACES) {
    testWithMounts(`${what}: ${message.source === "^$" ? "installed all the same" : "one line"}`, async () => {
      const place = newFolder();
      const { stderr, exitCode } = await install(await serveRelease(GOOD), newFolder(), {
        shell: afterMounts([`mount -t tmpfs -o ${mount} none ${place}`], `${variable}=${place} sh ${SCRIPT}`),
      });
      expect(stderr).toMatch(message);
      expect(exitCode).toBe(stderr === "" ? 0 : 1);
    });
  }

  test("a folder that cannot be made, an unknown address, a system without momo, and another momo on the path are named", async () => {
    const release = await serveRelease(GOOD);
    const home = newFolder();
    writeFileSync(join(home, "file"), "");
    expect((await install(release, home, { env: { MOMO_INSTALL: join(home, "file/bin") } })).stderr).toContain(
      "choose another folder with MOMO_INSTALL",
    );
    const unknown = readFileSync(SCRIPT, "utf8").replace("@RELEASES@", "");
    expect((await install("", home, { shell: ["sh"], script: unknown })).stderr).toContain("set MOMO_RELEASES");

    const bin = join(home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "momo"), GOOD);
    writeFileSync(join(bin, "uname"), '#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo riscv64\n');
    for (const name of ["momo", "uname"]) chmodSync(join(bin, name), 0o755);
    const PATH = `${bin}:${process.env.PATH}`;
    expect((await install(release, home, { env: { PATH } })).stderr).toContain("no momo for the processor riscv64");
    writeFileSync(join(bin, "uname"), `#!/bin/sh\nexec /bin/uname "$@"\n`);
    expect((await install(release, home, { env: { PATH } })).stdout).toContain(
      `Another momo comes first on your path: ${bin}/momo\n`,
    );
  });
});

test("the address of the releases comes from package.json, and is not known without one", () => {
  const url = "git+https://example.org/pay/momo.git";
  expect(releasesOf({ repository: { type: "git", url } })).toBe(
    "https://example.org/pay/momo/releases/latest/download",
  );
  expect(releasesOf({})).toBeNull();
});
