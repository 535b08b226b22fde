import { afterAll, describe, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { expectToPay } from "../../support/intercept.ts";

/** Real programs with the address of a service in their source, on what this machine has; `npm run runtimes` tries others. */

afterAll(cleanUp);

const PROGRAMS: readonly (readonly [command: string, file: string, needs: readonly string[]])[] = [
  ["node", "fetch.mjs", ["node", "--version"]],
  ["node", "https.mjs", ["node", "--version"]],
  [process.execPath, "fetch.mjs", [process.execPath, "--version"]],
  [process.execPath, "https.mjs", [process.execPath, "--version"]],
  ["sh", "curl.sh", ["curl", "--version"]],
  ["python3", "urllib_client.py", ["python3", "--version"]],
  ["python3", "requests_client.py", ["python3", "-c", "import requests"]],
  // The next three need the line that docs/intercept.md has for them.
  ["/usr/bin/python3", "aiohttp_client.py", ["/usr/bin/python3", "-c", "import aiohttp"]],
  ["/usr/bin/python3", "urllib3_client.py", ["/usr/bin/python3", "-c", "import urllib3"]],
  ["php", "streams.php", ["php", "--version"]],
  ["ruby", "net_http.rb", ["ruby", "--version"]],
  // It sends Expect: 100-Continue.
  ["java", "HttpClientProgram.java", ["javac", "--version"]],
  ["java", "UrlConnectionProgram.java", ["javac", "--version"]],
  ["sh", "wget.sh", ["wget", "--version"]],
  ["perl", "lwp.pl", ["perl", "-MLWP::Protocol::https", "-e", "0"]],
  ["php", "curl.php", ["php", "-r", "exit(extension_loaded('curl') ? 0 : 1);"]],
];

describe("a program with its service's address in it is tested as it is", () => {
  for (const [command, file, needs] of PROGRAMS) {
    const name = `${command.split("/").at(-1)} runs ${file}`;
    if (Bun.which(needs[0] ?? "") === null || !Bun.spawnSync([...needs], { stderr: "ignore" }).success) {
      test(`${name}: left out; ${needs.join(" ")} fails`, () => {});
      continue;
    }
    test.concurrent(name, () => expectToPay([command], file));
  }
});
