import { succeed, unavailable } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";

/** `GET /_momo/health`, or `HEAD`, as what waits for a server asks: it serves; or it stops, and finishes what is under way. */
export const health: ControlCall = async (_request, { version, stopping }) =>
  stopping.aborted
    ? unavailable("momo is stopping", { status: "draining", version, pid: process.pid })
    : succeed("momo is serving", { status: "ok", version, pid: process.pid });
