import { type Reply, succeed, unavailable } from "../../src/http/reply.ts";
import type { ControlCall, ControlContext } from "./context.ts";

/** `GET /_momo/health`, also `HEAD`: 200 while the server answers requests, 503 while it stops. */
export const health: ControlCall = async (_request, { version, stopping }) =>
  answerOf(stopping, { version, pid: process.pid });

/** The same for a caller without the token, such as the probe of a container: one word. */
export const healthForAnybody = ({ stopping }: Pick<ControlContext, "stopping">): Reply => answerOf(stopping, {});

function answerOf(stopping: AbortSignal, facts: object): Reply {
  return stopping.aborted
    ? unavailable("momo is stopping", { status: "draining", ...facts })
    : succeed("momo is serving", { status: "ok", ...facts });
}
