import { parseDuration } from "../../src/domain/duration.ts";
import { faultKind } from "./kind.ts";

/** Carries the operation out later, in real time. */
export const delay = faultKind({
  words: "a delay",
  members: ({ writtenDuration }) => ({
    delay: writtenDuration.describe("of a delay: how long, such as 250ms, 3s, 2m or 1h"),
  }),
  needs: ["delay"],
  fields: {
    delay: { label: "Delay", type: "text", first: "2s", placeholder: "2s" },
  },
  inWords: ({ delay = "0s" }) => `${delay} late`,
  delays: true,
  async strike({ delay = "0s" }, { wait, carryOut, fail }) {
    const isOver = await wait(parseDuration(delay, "delay"));
    return isOver ? carryOut() : fail(503, "the server stops; the operation was not carried out");
  },
});
