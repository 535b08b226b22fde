import { readOrNull } from "../../src/domain/read-or-null.ts";
import { controlClient } from "../client/client.ts";
import { type ControlTarget, resolveControl } from "../client/target.ts";
import type { Io } from "../io.ts";
import { styled } from "../terminal/output.ts";
import { commandLine } from "../terminal/this-program.ts";

/** How long the server may take: a busy machine must not make it look stopped. One that was killed is known at once. */
const TIMEOUT_MS = 5000;

/** The sandbox of the usual data directory. */
async function findRunning(io: Io): Promise<ControlTarget | null> {
  const control = readOrNull(() => resolveControl(io, {}, {}));
  if (!control) return null;
  return controlClient(control)
    .get("/health", {}, { timeoutMs: TIMEOUT_MS })
    .then(
      () => control,
      () => null,
    );
}

/** What `momo` prints without a command: where a sandbox runs, or how to start one, and the next step. */
export async function showFirstStep(io: Io): Promise<void> {
  const running = await findRunning(io);
  if (running) {
    io.printText(styled("bold", "momo"), " is running:");
    io.print();
    io.printFields([["console", `${running.controlUrl}/`] as const, ["API", running.server.address] as const], "  ");
    step(io, "Make a payment:", "pay", "0712345678", "100", "--wait");
    step(io, "See what happens, in the browser:", "open");
  } else {
    io.printText(
      styled("bold", "momo"),
      ", a mobile-money sandbox: the payment service, a simulated network and a client.",
    );
    step(io, "Start the server first, and leave it running:", "serve");
    step(io, "Then, in another terminal, make a payment:", "pay", "0712345678", "100", "--wait");
  }
  io.print();
  io.printText("momo --help lists all commands, and momo help COMMAND explains one.");
}

function step(io: Io, text: string, ...words: string[]): void {
  io.print();
  io.printText(text);
  io.print();
  io.printCommand(commandLine(io.environment, ...words));
}
