import { runRule } from "../rule.ts";
import { refusalsIn } from "../tally.ts";
import { LENIENT_ADVICE } from "../words.ts";

export const nothingAccepted = runRule({
  kind: "nothing_accepted",
  severity: "error",
  section: "§1",
  label: "has no accepted request",
  advice:
    "Make the client call the sandbox: give it MOMO_BASE_URL, or use --intercept with the host that it calls. Payments of momo's own commands, of the console and of an assistant are not its requests. Tests that start sandboxes of their own with the test helper are not seen here: let them check sandbox.audit(). A client of momo client answers from its orders of an earlier run: give it a fresh folder for each test run. momo does not see what its runtime refuses first: what is no HTTP, https to an http address, and a CR in a header, as from an .env file with CRLF.",
  judges: "runs",
  judge({ tally, isAllOnRequest, isWhole }) {
    if (tally.accepted > 0) return null;
    return { severity: isWhole && !isAllOnRequest ? "error" : "note", group: "" };
  },
  explain({ tally, silentHosts, endedMs }) {
    const { requests } = tally;
    const each = requests === 1 ? "The only request" : `Each of ${requests} requests`;
    const what = requests === 0 ? "No request came" : `${each} was refused: ${refusalsIn(tally)}`;
    const lenient = tally.lenient_takes > 0 ? LENIENT_ADVICE : "";
    const advice = `Correct what these messages name. A run without an accepted request proves nothing.${lenient}`;
    return {
      message: `${what}${silentHosts.length > 0 ? `; nothing reached ${silentHosts.join(" or ")}` : ""}.`,
      ...(requests > 0 && { advice }),
      requestIds: [],
      payment: null,
      atMs: endedMs,
    };
  },
});
