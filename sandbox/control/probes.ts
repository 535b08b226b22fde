import { type Reply, succeed, unavailable } from "../../src/http/reply.ts";
import type { Service } from "../../src/service/service.ts";
import type { Steering } from "../steering.ts";
import type { ControlContext } from "./context.ts";

export const HEALTH_PATH = "/health";

/**
 * `GET /_momo/health`, also `HEAD`: 200 while the server answers requests, 503 while it stops.
 * @param isTrusted whether the caller may steer; a probe without the token, such as that of a container, gets only the status
 */
export function healthFor({ version, stopping, server: { id } }: ControlContext, isTrusted: boolean): Reply {
  const facts = isTrusted ? { id, version, pid: process.pid } : {};
  return stopping.aborted
    ? unavailable("momo is stopping", { status: "draining", ...facts })
    : succeed("momo is serving", { status: "ok", ...facts });
}

export const READY_PATH = "/ready";

/** What tells whether a server can accept payments. */
interface ReadinessFacts {
  readonly service: Service;
  readonly steering: Steering;
  readonly draining: AbortSignal;
}

/**
 * `GET /_momo/ready`, also `HEAD`, for a load balancer: 200 while this server can accept payments, otherwise 503
 * with the reason. Like health it needs no token, and shows nothing about payments.
 */
export async function readyFor({ service, steering, draining }: ReadinessFacts): Promise<Reply> {
  if (draining.aborted) return unavailable("momo is stopping", { status: "draining" });
  const stale = "the settings that all replicas share could not be read for 3 s";
  const whyNotWritable = (await service.storage.whyNotWritable()) ?? (steering.isFresh ? null : stale);
  return whyNotWritable === null
    ? succeed("momo accepts payments", { status: "ready" })
    : unavailable(`momo accepts no payments: ${whyNotWritable}`, { status: "not_ready" });
}
