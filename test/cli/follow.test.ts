import { expect, test } from "bun:test";
import { followEvents } from "../../cli/client/follow.ts";

test("an event that is not JSON ends the connection, as if it was lost", async () => {
  const stream = new Blob(['event: x\ndata: {"a":1}\n\ndata: {\n\nevent: y\ndata: {}\n\n']).stream();
  const stopped = new AbortController();
  const names: string[] = [];
  const target = () => expect.unreachable("it was stopped");
  await followEvents(
    target,
    stream,
    ({ name }) => {
      names.push(name);
      if (name === "lost") stopped.abort();
    },
    stopped.signal,
  );
  expect(names).toEqual(["connected", "x", "lost"]);
});
