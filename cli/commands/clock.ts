import { Command } from "commander";
import { ADVANCE_TIMEOUT_MS } from "../client/client.ts";
import { readDurationText } from "../terminal/options.ts";
import { showAnswer, steeringCommand } from "./steering.ts";

export default function clockCommand(): Command {
  const command = new Command("clock");
  const sub = steeringCommand(
    command,
    (answer, flags) => showAnswer(answer, flags, answer.now),
    "the time, in Nairobi",
  );
  const move = (name: string, summary: string, body: (duration: string) => object) =>
    sub(name, summary, (client, _flags, duration, write) =>
      client.post("/clock", body(duration), { ...write, timeoutMs: ADVANCE_TIMEOUT_MS }),
    );
  sub("show", "show what time it is for the sandbox", (client) => client.get("/clock", {}));
  move("freeze", "stop the clock", () => ({ freeze: true }));
  move("advance", "move it forward, and resolve what falls due", (advance) => ({ advance })).argument(
    "<duration>",
    "such as 90s",
    readDurationText,
  );
  move("resume", "start it again", () => ({ resume: true }));
  return command;
}
