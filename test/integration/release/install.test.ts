import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { builtBinary, ROOT } from "../../support/binary.ts";
import { cleanUp, makePrograms, newFolder } from "../../support/cleanup.ts";
import { contentsOf } from "../../support/contents.ts";
import { holdSilentOrigin, serveRaw } from "../../support/fake-server.ts";
import { runToEnd } from "../../support/momo.ts";
import { afterMounts, testWithMounts } from "../../support/needs.ts";
import { makeRelease, serveFiles } from "./releases.ts";

/** install.sh with releases from a server of this machine. */

afterAll(cleanUp);

const silent = await holdSilentOrigin();
const SCRIPT = join(ROOT, "scripts/release/install.sh");
const TEXT = readFileSync(SCRIPT, "utf8");
/** What the script knows a momo by. */
const OURS = "# X-Momo-Server";
const GOOD = `#!/bin/sh\n${OURS}\necho 9.9.9\n`;

const serve = async (script = GOOD, sum?: string) => serveFiles(await makeRelease(script, { sum }));

interface Try {
  /** The address of the releases; by default a good one. */
  readonly from?: string;
  readonly command?: readonly string[];
  readonly stdin?: string;
  readonly home?: string;
  readonly env?: Record<string, string>;
}

async function install({ from, command = ["sh", SCRIPT], stdin = "", home = newFolder(), env }: Try = {}) {
  const run = await runToEnd(command, {
    env: { HOME: home, MOMO_RELEASES: from ?? (await serve()), no_proxy: "127.0.0.1", ...env },
    stdin,
  });
  return { ...run, home, momo: join(home, ".local/bin/momo") };
}

/** A server that promises more bytes than it sends. */
const serveHalfAnAnswer = () =>
  serveRaw((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")).url;

/** A release whose archive is cut off, or missing. */
async function serveArchive(answer: (file: string) => Response): Promise<string> {
  return serveFiles(await makeRelease(GOOD), "/", (file) => (file.endsWith(".gz") ? answer(file) : null));
}

describe("install.sh", () => {
  test.concurrent("writes to a name that nobody can guess: a link at one with its process id stays as it is", async () => {
    const plant = `mkdir -p "$HOME/.local/bin"; echo kept >"$HOME/kept"; ln -s "$HOME/kept" "$HOME/.local/bin/.momo-new.$$"`;
    const { exitCode, home, momo } = await install({ command: ["sh", "-c", `${plant}; exec sh '${SCRIPT}'`] });
    expect(exitCode).toBe(0);
    expect(readFileSync(join(home, "kept"), "utf8")).toBe("kept\n");
    expect(readFileSync(momo, "utf8")).toBe(GOOD);
  });

  test.each(["sh", "bash"])(
    "installs the executable, read by %s from a pipe, and names the line for the path",
    async (shell) => {
      const TMPDIR = newFolder();
      const run = await install({ command: [shell], stdin: TEXT, env: { TMPDIR } });
      const { stdout, stderr, exitCode, home, momo } = run;
      expect(readdirSync(TMPDIR)).toEqual([]);
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      expect(stdout).toContain(`momo 9.9.9 is installed: ${momo}\n`);
      expect((await runToEnd([momo, "--version"])).stdout).toBe("9.9.9\n");
      expect((statSync(momo).mode & 0o777).toString(8)).toBe("755");
      expect(readdirSync(home)).toEqual([".local"]);
      expect(readdirSync(join(home, ".local/bin"))).toEqual(["momo"]);
    },
  );

  test("half a script does nothing", async () => {
    const { home } = await install({ command: ["sh"], stdin: TEXT.slice(0, -20) });
    expect(readdirSync(home)).toEqual([]);
  });

  const gone = () => new Response("", { status: 404 });
  const BAD: [what: string, from: () => string | Promise<string>, message: RegExp][] = [
    ["a wrong sum", () => serve(GOOD, "0".repeat(64)), /the sum of momo-\S+ is wrong: the download is incomplete/],
    ["an archive that is missing", () => serveArchive(gone), /cannot be downloaded/],
    ["no server", () => silent, /SHA256SUMS cannot be downloaded: curl: /],
    ["a download that breaks off", serveHalfAnAnswer, /cannot be downloaded: curl: /],
    [
      "an executable that does not run",
      () => serve("#!/bin/sh\necho no >&2; exit 1\n"),
      /does not run here: no; nothing was installed/,
    ],
  ];
  test.each(BAD)("%s: one line, and the momo that was there stays", async (_what, from, message) => {
    const home = newFolder();
    const folder = join(home, ".local/bin");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "momo"), `the old one ${OURS}`);
    const TMPDIR = newFolder();
    const { stderr, exitCode } = await install({ from: await from(), home, env: { TMPDIR } });
    expect(exitCode).toBe(1);
    expect(readdirSync(TMPDIR)).toEqual([]);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^momo: .*\n$/);
    expect(readdirSync(folder)).toEqual(["momo"]);
    expect(readFileSync(join(folder, "momo"), "utf8")).toBe(`the old one ${OURS}`);
  });

  test("a signal in the middle of a download leaves nothing", async () => {
    const TMPDIR = newFolder();
    const from = await serveArchive(() => new Response(new ReadableStream({})));
    const wait = `until [ -s "$TMPDIR"/*/SHA256SUMS ]; do sleep 0.05; done`;
    const script = `setsid sh '${SCRIPT}' & ${wait}; kill -TERM -$!; wait $!`;
    expect(await install({ from, command: ["sh", "-c", script], env: { TMPDIR } })).toMatchObject({ exitCode: 1 });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test("musl without libstdc++: one line that says how to get it", async () => {
    const complaints = "Error loading shared library libstdc++.so.6: No such file\nError relocating momo";
    const executable = `#!/bin/sh\necho '${complaints}' >&2\nexit 127\n`;
    const release = serveFiles(await makeRelease(executable, { system: `linux-${process.arch}-musl` }));
    // The getconf of Alpine does not know GNU_LIBC_VERSION.
    const { PATH } = makePrograms({ getconf: "#!/bin/sh\nexit 1\n" });
    expect((await install({ from: release, env: { PATH } })).stderr).toMatch(
      /^momo: the executable does not run here \(on Alpine: apk add libstdc\+\+\): Error loading .*; nothing was installed\n$/,
    );
  });

  const PLACES: [what: string, mount: string, variable: string, message: RegExp][] = [
    ["a folder for temporary files that forbids to execute: installed all the same", "noexec", "TMPDIR", /^$/],
    ["a folder that forbids to execute", "noexec", "MOMO_INSTALL", /may forbid to execute: choose another .*\n$/],
    ["a read-only folder", "ro", "MOMO_INSTALL", / cannot be written; choose another folder with MOMO_INSTALL\n$/],
    ["a read-only folder for temporary files", "ro", "TMPDIR", /there is no room for temporary files in .*TMPDIR\n$/],
  ];
  for (const [what, mount, variable, message] of PLACES) {
    testWithMounts(what, async () => {
      const place = newFolder();
      const command = afterMounts([`mount -t tmpfs -o ${mount} none ${place}`], `${variable}=${place} sh ${SCRIPT}`);
      const { stderr, exitCode } = await install({ command });
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^(?:momo: .*\n)?$/);
      expect(exitCode).toBe(stderr === "" ? 0 : 1);
    });
  }

  test("a folder that cannot be made, an unknown address, and a system without momo are refused", async () => {
    const from = await serve();
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    const on = (cpu: string, system = "Linux") => {
      const uname = `#!/bin/sh\n[ "$1" = -s ] && echo ${system} || echo ${cpu}\n`;
      // That of macOS does not know GNU_LIBC_VERSION either.
      const getconf = system === "Linux" ? {} : { getconf: "#!/bin/sh\nexit 1\n" };
      return install({ from, env: { PATH: makePrograms({ uname, ...getconf }).PATH } });
    };
    const refused = [
      [await install({ from, env: { MOMO_INSTALL: `${file}/bin` } }), "choose another folder with MOMO_INSTALL"],
      [await install({ from, env: { HOME: "" } }), "HOME is not set, so ~/.local/bin is not known"],
      [await install({ from: "", command: ["sh"], stdin: TEXT.replace("@RELEASES@", "") }), "set MOMO_RELEASES"],
      [await on("riscv64"), "no momo for the processor riscv64"],
      [await on("aarch64"), "SHA256SUMS has no momo-linux-arm64"],
      [await on("arm64", "Darwin"), "SHA256SUMS has no momo-darwin-arm64.tar.gz"],
      [await on("x86_64", "MINGW64_NT"), "no momo for MINGW64_NT here; for Windows download the .zip"],
    ] as const;
    for (const [{ stderr, exitCode, momo }, words] of refused) {
      expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining(words), exitCode: 1 });
      expect(existsSync(momo)).toBe(false);
    }
  });

  const OTHERS: [what: string, put: (momo: string) => void][] = [
    ["a script", (momo) => writeFileSync(momo, "#!/bin/sh\ntouch ran\n", { mode: 0o755 })],
    ["another executable", (momo) => copyFileSync(Bun.which("true") ?? "", momo)],
    ["a text that others may write", (momo) => writeFileSync(momo, "notes", { mode: 0o666 })],
    ["an empty file", (momo) => writeFileSync(momo, "")],
    ["a folder", (momo) => mkdirSync(momo)],
    ["a link to another program", (momo) => symlinkSync(Bun.which("true") ?? "", momo)],
    ["a link to nowhere", (momo) => symlinkSync("nowhere", momo)],
    ["a pipe", (momo) => void Bun.spawnSync(["mkfifo", momo])],
  ];
  test.each(OTHERS)("in the place of the executable stays as it is, and is named: %s", async (_what, put) => {
    const home = newFolder();
    const folder = join(home, ".local/bin");
    mkdirSync(folder, { recursive: true });
    put(join(folder, "momo"));
    const before = contentsOf(folder);
    const { exitCode, stdout, stderr, momo } = await install({ home });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(
      /^momo: .* is (?:another program|a folder), and stays as it is; choose another folder with .*\n$/,
    );
    expect(stderr).toContain(momo);
    expect(contentsOf(folder)).toEqual(before);
  });

  test("the executable of this project is known as a momo, and replaced", async () => {
    const home = newFolder();
    const momo = join(home, ".local/bin/momo");
    mkdirSync(dirname(momo), { recursive: true });
    copyFileSync(await builtBinary(), momo);
    expect(await install({ home })).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readFileSync(momo, "utf8")).toBe(GOOD);
  });

  test("a folder has the release, or redirects are followed: GitHub redirects each download", async () => {
    const folder = await makeRelease(GOOD);
    expect(await install({ from: folder })).toMatchObject({ exitCode: 0, stderr: "" });
    const missing = await install({ from: `${folder}/none` });
    expect(missing).toMatchObject({ exitCode: 1, stderr: `momo: ${folder}/none/SHA256SUMS cannot be read\n` });
    const files = serveFiles(folder);
    const from = serveFiles(folder, "/", (file) => Response.redirect(`${files}/${basename(file)}`));
    expect(await install({ from })).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("the sum is that of the archive, and not of a file whose name begins alike", async () => {
    const folder = await makeRelease(GOOD);
    const [archive] = readdirSync(folder).filter((name) => name.endsWith(".gz"));
    appendFileSync(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  ${archive}.sig\n`);
    expect(await install({ from: serveFiles(folder) })).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("another momo on the path is named, but not the one that was just installed", async () => {
    const { PATH, bin } = makePrograms({ momo: GOOD });
    const { stdout } = await install({ env: { PATH } });
    expect(stdout).toContain(`Another momo comes first on your path: ${bin}/momo\n`);
    const home = newFolder();
    const own = `${join(home, ".local/bin")}:${process.env.PATH}`;
    const { stdout: said, momo } = await install({ home, env: { PATH: own } });
    expect(said).toBe(`momo 9.9.9 is installed: ${momo}\n`);
    // However the folder is written.
    for (const written of [".local/bin/", "./.local/../.local/bin"]) {
      const command = ["sh", "-c", `cd "$HOME"; exec sh '${SCRIPT}'`];
      const again = await install({ home, command, env: { PATH: own, MOMO_INSTALL: written, CDPATH: "/:." } });
      expect({ stdout: again.stdout, stderr: again.stderr }).toEqual({ stdout: said, stderr: "" });
    }
  });

  test("an update replaces the file, and does not write into the one that runs", async () => {
    const { home, momo } = await install();
    linkSync(momo, join(home, "running"));
    await install({ from: await serve(`#!/bin/sh\n${OURS}\necho 10.0.0\n`), home });
    expect(readFileSync(join(home, "running"), "utf8")).toBe(GOOD);
    expect((await runToEnd([momo])).stdout).toBe("10.0.0\n");
  });

  test("on a system with wget and shasum instead of curl and sha256sum, and with other names of its processor", async () => {
    const names =
      "sh uname getconf cut sed tail head tar gzip mktemp mkdir rm cp mv chmod cat grep printf dirname".split(" ");
    const places = names.flatMap((name) => Bun.which(name) ?? []);
    const wget = `#!/bin/sh\n[ "$1 $2" = "-q -O" ] && exec '${Bun.which("curl")}' -fs -o "$3" "$4"\n`;
    const shasum = `#!/bin/sh\n[ "$1 $2" = "-a 256" ] && exec '${Bun.which("sha256sum")}' "$3"\n`;
    const cpu = process.arch === "x64" ? "amd64" : "arm64";
    const uname = `#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo ${cpu}\n`;
    const { bin } = makePrograms({ wget, shasum, uname });
    for (const place of places)
      if (!existsSync(join(bin, basename(place)))) symlinkSync(place, join(bin, basename(place)));
    const command = [Bun.which("sh") ?? "sh", SCRIPT];
    const { stdout, stderr, exitCode, momo } = await install({ command, env: { PATH: bin } });
    const line = `Put it on your path: export PATH="${dirname(momo)}:$PATH"\n`;
    expect({ stdout, stderr, exitCode }).toEqual({
      ...{ stdout: `momo 9.9.9 is installed: ${momo}\n${line}`, stderr: "", exitCode: 0 },
    });
    const gone = await install({ from: silent, command, env: { PATH: bin } });
    expect(gone.stderr).toBe(`momo: ${silent}/SHA256SUMS cannot be downloaded\n`);
    rmSync(join(bin, "wget"));
    const without = await install({ command, env: { PATH: bin } });
    expect(without.stderr).toBe("momo: curl or wget is needed\n");
  });
});
