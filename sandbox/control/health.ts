import { type Reply, succeed, unavailable } from "../../src/http/reply.ts";
import type { ControlCall, ControlContext } from "./context.ts";

export const HEALTH_PATH = "/health";

/** `GET /_momo/health`, also `HEAD`: 200 while the server answers requests, 503 while it stops. */
export const health: ControlCall = async (_request, context) => healthFor(context, true);

/** @param isTrusted whether the caller may steer; a probe without the token, such as that of a container, gets only the status */
export function healthFor(
  { version, stopping }: Pick<ControlContext, "version" | "stopping">,
  isTrusted: boolean,
): Reply {
  const facts = isTrusted ? { version, pid: process.pid } : {};
  return stopping.aborted
    ? unavailable("momo is stopping", { status: "draining", ...facts })
    : succeed("momo is serving", { status: "ok", ...facts });
}
