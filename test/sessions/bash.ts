import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { quoted } from "../../sandbox/curl.ts";
import { later } from "../support/cleanup.ts";
import { canRunHere, runHere } from "../support/here.ts";

/** A shell has these, and momo reads none of them. */
const OF_SHELLS = /^(?:_|PWD|OLDPWD|SHLVL|V2|CONTROL|SILENT|CURL_HOME)$/;

/**
 * What makes `momo` a function of bash that runs a command in this process, if it can run here; otherwise with the executable.
 * A shell has no cheaper way: a process takes as long as ten commands here.
 * @param starts whether a command that serves may be one that is not refused
 */
export async function momoForBash(starts = true): Promise<string> {
  const server = createServer((socket) => {
    let text = "";
    socket.setEncoding("latin1").on("data", (more) => {
      text += more;
      if (!text.endsWith("\0END\0")) return;
      void answer(text, starts).then(
        (answered) => socket.end(answered),
        (error) => socket.end(`printf %s ${quoted(String(error))} >&2; return 1`),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  later(() => server.close());
  return `momo() {
    local answer
    exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}
    { umask; printf '\\0%s' "$PWD" "$#" "$@"; printf '\\0'; export -p; printf '\\0END\\0'; } >&3
    IFS= read -r -d '' -u 3 answer
    exec 3>&-
    eval "$answer"
  }
  `;
}

const EXPORTED = /^declare -x (\w+)=(?:"((?:[^"\\]|\\.)*)"|\$'.*')$/gms;

/** @returns what the shell evaluates */
async function answer(text: string, starts: boolean): Promise<string> {
  const [umask = "", folder = "", count, ...rest] = Buffer.from(text, "latin1").toString().split("\0");
  const words = rest.slice(0, Number(count));
  const environment: Record<string, string> = {};
  for (const [, name = "", value = ""] of rest[words.length]?.matchAll(EXPORTED) ?? []) {
    if (!OF_SHELLS.test(name)) environment[name] = value.replaceAll(/\\(.)/gs, "$1");
  }
  const isUsual = Number.parseInt(umask, 8) === process.umask();
  if (!isUsual || !canRunHere(words, { environment, folder }, starts)) return 'command momo "$@"';
  const { stdout, stderr, exitCode } = await runHere(words, { environment, folder });
  return `printf %s ${quoted(stdout)}; printf %s ${quoted(stderr)} >&2; return ${exitCode}`;
}
