/** What an assistant needs of a long answer. */

type Members = Readonly<Record<string, unknown>>;

/** Of a body. */
const MOST_CHARACTERS = 200;

/** The requests without their headers and times, and of each answer what tells one from another. An assistant cannot follow `next`. */
export function compactRequests({ requests, next: _, ...answer }: Members): Record<string, unknown> {
  const entries = (Array.isArray(requests) ? requests : []) as Members[];
  return { ...answer, requests: entries.map(compactRequest) };
}

/** The story of a payment: its requests in short, each with the time since the one before. */
export function compactStory({ requests, requests_left_out, ...story }: Members): Record<string, unknown> {
  const entries = (Array.isArray(requests) ? requests : []) as Members[];
  return {
    ...story,
    ...(requests_left_out !== 0 && { requests_left_out }),
    requests: entries.map((entry) => ({ ...compactRequest(entry), interval_ms: entry.interval_ms })),
  };
}

function compactRequest({ id, at, method, target, body, status, delivered, answer, fault, leniencies }: Members) {
  const said: Members = typeof answer === "object" && answer !== null ? (answer as Members) : { message: answer };
  const lenient = Array.isArray(leniencies) && leniencies.length > 0;
  const isAccepted = status === 200;
  // Of a poll that was answered, the id and the status of the payment are there.
  const isPoll = isAccepted && said.status !== undefined;
  return {
    id,
    at,
    request: `${method} ${target}`,
    ...(typeof body === "string" && !isPoll && { body: body.slice(0, MOST_CHARACTERS) }),
    status,
    ...(delivered === false && { delivered }),
    ...(typeof said.message === "string" && !isAccepted && { message: said.message.slice(0, MOST_CHARACTERS) }),
    ...(said.status !== undefined && { payment: said.status }),
    ...(said.transaction_id !== undefined && { number: said.transaction_id }),
    ...(typeof said.checkout_request_id === "string" && { checkout_request_id: said.checkout_request_id }),
    ...(fault !== null && { fault }),
    ...(lenient && { leniencies }),
  };
}
