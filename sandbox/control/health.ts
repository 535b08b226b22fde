import { succeed, unavailable } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";

/** `GET /_momo/health`, also `HEAD`: 200 while the server answers requests, 503 while it stops. */
export const health: ControlCall = async (_request, { version, stopping }) =>
  stopping.aborted
    ? unavailable("momo is stopping", { status: "draining", version, pid: process.pid })
    : succeed("momo is serving", { status: "ok", version, pid: process.pid });
