import { succeed } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";

/** `GET /_momo/health`: the server serves. */
export const health: ControlCall = async (_request, { version }) =>
  succeed("momo is serving", { status: "ok", version, pid: process.pid });
