import { type Reply, succeed, unavailable } from "../../src/http/reply.ts";
import type { ControlCall, ControlContext } from "./context.ts";

/** `GET /_momo/health`, or `HEAD`, as what waits for a server asks: it serves; or it stops, and finishes what is under way. */
export const health: ControlCall = async (_request, { version, stopping }) =>
  answerOf(stopping, { version, pid: process.pid });

/** The same for a caller without the token, such as the probe of a container: one word. */
export const healthForAnybody = ({ stopping }: Pick<ControlContext, "stopping">): Reply => answerOf(stopping, {});

function answerOf(stopping: AbortSignal, facts: object): Reply {
  return stopping.aborted
    ? unavailable("momo is stopping", { status: "draining", ...facts })
    : succeed("momo is serving", { status: "ok", ...facts });
}
