import { compactRequests } from "./compact-requests.ts";
import type { Area, Tool } from "./row.ts";

/** The server, what clients sent it, and what they did wrong. */

const AUDIT: Tool = {
  name: "audit",
  use: "Reports what the program under test has done wrong so far, with the right way. Use it after each run. Shows its requests, also those that were refused and have no payment. Payments of start_payment are not the program's: they do not count.",
  destroys: true,
};

const health = { summary: "Whether the server serves" };
const ready = { summary: "Whether the server accepts payments, for a load balancer" };

export const SERVER_AREAS: readonly Area[] = [
  {
    load: async () => (await import("../probe-calls.ts")).PROBE_CALLS,
    rows: {
      "/health": { GET: health, HEAD: health },
      "/ready": { GET: ready, HEAD: ready },
    },
  },
  {
    load: async () => (await import("../metrics.ts")).METRICS_CALLS,
    rows: {
      "/metrics": {
        GET: {
          summary: "Counts and times for Prometheus",
        },
      },
    },
  },
  {
    load: async () => (await import("../server.ts")).SERVER_CALLS,
    rows: {
      "/server": {
        GET: {
          summary: "Where the server is, and how it was started",
        },
      },
    },
  },
  {
    load: async () => (await import("../events.ts")).EVENT_CALLS,
    rows: {
      "/events": {
        GET: {
          summary: "Events as they happen: server-sent events",
        },
      },
    },
  },
  {
    load: async () => (await import("../audit.ts")).AUDIT_CALLS,
    rows: {
      "/audit": {
        GET: {
          summary: "What clients have done wrong",
          actions: [{ of: AUDIT, name: "report", usual: () => ({ over: "true" }) }],
        },
        DELETE: {
          summary:
            "Remove the findings and the counts of the audit; payments that are pending are judged when they end",
          actions: [{ of: AUDIT, name: "forget" }],
        },
      },
    },
  },
  {
    load: async () => (await import("../requests.ts")).REQUEST_CALLS,
    rows: {
      "/requests": {
        GET: {
          summary: "The last requests to the merchant API, oldest first",
          actions: [{ of: AUDIT, name: "requests", compact: compactRequests }],
        },
      },
      "/requests/ID/replay": {
        POST: {
          summary: "Send a logged request to the merchant API again",
        },
      },
    },
  },
];
