import { afterAll, describe, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { expectToPay } from "../../support/intercept.ts";
import { type Needed, testWith } from "../../support/needs.ts";
import { SOURCES } from "./sources.ts";

/** Real programs with the address of a service in their source, on what this machine has; `npm run dev runtimes` tries others. */

afterAll(cleanUp);

const PROGRAMS: readonly (readonly [command: string, file: string, ...needs: Needed[]])[] = [
  ["node", "fetch.mjs", "node"],
  ["node", "https.mjs", "node"],
  [process.execPath, "fetch.mjs"],
  [process.execPath, "https.mjs"],
  ["sh", "curl.sh", "curl"],
  ["python3", "urllib_client.py", "python3"],
  ["python3", "requests_client.py", "python3 requests"],
  // The next three need the line that docs/intercept.md has for them.
  ["/usr/bin/python3", "aiohttp_client.py", "python3 aiohttp"],
  ["/usr/bin/python3", "urllib3_client.py", "python3 urllib3"],
  ["php", "streams.php", "php"],
  ["ruby", "net_http.rb", "ruby"],
  ["ruby", "sockets.rb", "ruby"],
  // It sends Expect: 100-Continue.
  ["java", "HttpClientProgram.java", "java"],
  ["java", "UrlConnectionProgram.java", "java"],
  ["sh", "wget.sh", "wget"],
  ["perl", "lwp.pl", "perl LWP", "perl LWP https"],
  ["php", "curl.php", "php curl"],
];

describe("a program with its service's address in it is tested as it is", () => {
  for (const [command, file, ...needs] of PROGRAMS) {
    const name = `${command.split("/").at(-1)} runs ${file}`;
    testWith(needs, name, () => expectToPay([command], file, SOURCES[file]), test.concurrent);
  }
});
