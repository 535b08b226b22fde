import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import { quoted } from "../../sandbox/curl.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { host } from "../host.ts";
import { statsOfTarget } from "../serving/files.ts";
import { isForeign } from "../serving/owners.ts";
import { Failure, type NoServer } from "../terminal/failure.ts";
import { print, printCommand, printFields, printText, styled } from "../terminal/output.ts";
import { commandLine } from "../terminal/this-program.ts";
import { controlClient } from "./client.ts";
import type { Answer } from "./request.ts";
import { serverAt } from "./server.ts";
import { type ControlTarget, resolveControl } from "./target.ts";

/** Finds a running sandbox for a user who named none, or the wrong one. */

/** How long the recorded server may take: a busy machine must not make it look stopped. One that was killed is known at once. */
const RECORDED_TIMEOUT_MS = 5000;

/** The same for whatever is on the default port, which is only a hint. */
const NEIGHBOUR_TIMEOUT_MS = 500;

interface Running {
  readonly baseUrl: string;
  readonly consoleUrl: string;
  /** Flags with which commands reach it. */
  readonly flags: readonly string[];
}

/** The sandbox of the usual data directory, else the one on the default port. */
async function findRunning(): Promise<Running | null> {
  const own = readOrNull(() => resolveControl({}, {}));
  if (own && (await ask(own, "/health", RECORDED_TIMEOUT_MS))) {
    return { baseUrl: own.server.address, consoleUrl: `${own.controlUrl}/`, flags: [] };
  }
  return findAt(host().usualPort);
}

/** A sandbox of this user on a port. Payments must not go to one of another user, or of a container that anybody may have started. */
async function findAt(port: number): Promise<Running | null> {
  const origin = `http://127.0.0.1:${port}`;
  const controlUrl = origin + CONTROL_PATH;
  const target = { controlUrl, controlToken: null, server: serverAt(controlUrl) };
  const server = await ask(target, "/server");
  const data = String(server?.data ?? "");
  const folder = statsOfTarget(data);
  if (!folder || isForeign(folder)) return null;
  return { baseUrl: String(server?.base_url), consoleUrl: `${controlUrl}/`, flags: ["--data", data] };
}

function ask(target: ControlTarget, path: string, timeoutMs = NEIGHBOUR_TIMEOUT_MS): Promise<Answer | null> {
  return controlClient(target)
    .get(path, {}, { timeoutMs })
    .catch(() => null);
}

/** The same failure; if a sandbox of this user answers on the default port, the hint names it. */
export async function namingNeighbour(failure: NoServer, port = host().usualPort): Promise<Failure> {
  const found = await findAt(port);
  if (!found) return failure;
  const flags = found.flags.map(quoted).join(" ");
  return new Failure(failure.code, failure.message, `one answers at ${found.baseUrl}: name it with ${flags}`);
}

/** What `momo` prints without a command: where a sandbox runs, or how to start one, and the next step. */
export async function showFirstStep(): Promise<void> {
  const running = await findRunning();
  if (running) {
    printText(styled("bold", "momo"), " is running:");
    print();
    printFields([["console", running.consoleUrl] as const, ["API", running.baseUrl] as const], "  ");
    step("Make a payment:", "pay", "0712345678", "100", "--wait", ...running.flags);
    step("See what happens, in the browser:", "open", ...running.flags);
  } else {
    printText(
      styled("bold", "momo"),
      ", a mobile-money sandbox: the payment service, a simulated network and a client.",
    );
    step("Start the server first, and leave it running:", "serve");
    step("Then, in another terminal, make a payment:", "pay", "0712345678", "100", "--wait");
  }
  print();
  printText("momo --help lists all commands, and momo help COMMAND explains one.");
}

function step(text: string, ...words: string[]): void {
  print();
  printText(text);
  print();
  printCommand(commandLine(...words));
}
