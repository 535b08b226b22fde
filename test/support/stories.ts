import { test } from "bun:test";
import { Recording } from "./recording.ts";

/**
 * Stories in text files. A story begins with its name. A line has a mark, then what is done, and what is seen: behind `=>` in the same
 * line, or in the lines below. MOMO_TEST_RECORD=1 writes the files again: read them.
 *
 * `>` goes on, and `-` begins in a new world. `A && B` does one step after the other, and `3* A` repeats it (`3* A + B` both), where
 * `$n` is the number of the round, and the last round is seen. `#1` is the id of the first payment. `$` is a line for a shell: at its
 * end, behind `=`, stands an exit code other than 0.
 */

/** What is seen of a line: behind it, and below it. */
export interface Seen {
  readonly behind: string;
  readonly below: readonly string[];
}

/** Where a story happens. */
export interface World {
  /** Of the payments so far. */
  readonly ids: readonly string[];
  /** Does one step. @returns what is seen; null if only {@link rest} tells */
  act(step: string): readonly string[] | null | Promise<readonly string[] | null>;
  /** What is seen after a line of which no step shows anything. */
  rest?(): readonly string[];
  close?(): Promise<void>;
}

const LINE = /^([>$-]) (.*?)(?: => .*| {2}= \d+)?$/;

/** Carries out each line of a story, and says which one shows something else. */
export async function tell(
  recording: Recording,
  index: number,
  carryOut: (typed: string, mark: string) => Promise<Seen>,
): Promise<void> {
  const lines = (recording.texts[index] ?? "").split("\n");
  if (lines[0] === "" || LINE.test(lines[0] ?? "")) {
    throw new Error(`a story has no name: it begins with "${lines[0]}" instead of a line without a mark`);
  }
  const places = [...lines.keys()].filter((at) => LINE.test(lines[at] ?? ""));
  if (places.length === 0) throw new Error(`${lines[0]}: the story has no line that begins with ">", "-" or "$"`);
  const shown = lines.slice(0, places[0]);
  for (const [turn, at] of places.entries()) {
    const [, mark = "", typed = ""] = LINE.exec(lines[at] ?? "") ?? [];
    const { behind, below } = await carryOut(typed, mark);
    const seen = [`${mark} ${typed}${behind}`, ...below];
    recording.compareLines(seen, lines.slice(at, places[turn + 1]), `${lines[0]}\n${typed}`);
    shown.push(...seen);
  }
  recording.compare(index, shown.join("\n"));
}

/** A test for each story of a file. @param worldsOf opens the worlds of a story, one after the other */
export function testStories(file: string, worldsOf: (story: string) => () => World | Promise<World>): void {
  const recording = new Recording(file);
  test.each(recording.texts.map((text, index) => [text.split("\n", 1)[0] ?? "", text, index] as const))(
    "%s",
    async (_name, text, index) => {
      const open = worldsOf(text);
      let world: World | undefined;
      const answer = async (typed: string, mark: string) => {
        if (mark === "-" || !world) {
          await world?.close?.();
          world = await open();
        }
        const [first, ...more] = await play(world, typed);
        if (more.length > 0) return { behind: "", below: [first, ...more].map((line) => `  ${line}`) };
        return { behind: first === undefined ? "" : ` => ${first}`, below: [] };
      };
      try {
        await tell(recording, index, answer);
      } finally {
        await world?.close?.();
      }
    },
  );
}

async function play(world: World, typed: string): Promise<readonly string[]> {
  const seen: string[] = [];
  let isTold = false;
  for (const part of typed.split(" && ")) {
    const [, times, text = ""] = /^(?:([0-9]+)\* )?(.*)$/.exec(part) ?? [];
    const steps = times === undefined ? [text] : text.split(" + ");
    let last: readonly string[] = [];
    for (let round = 1; round <= Number(times ?? 1); round += 1) {
      for (const step of steps) {
        const here = step.replaceAll("$n", String(round));
        const shown = await world.act(here.replaceAll(/#([0-9]+)/g, (_, number) => world.ids[number - 1] ?? number));
        if (shown !== null) isTold = true;
        last = shown ?? [];
      }
    }
    seen.push(...last);
  }
  return isTold ? seen : (world.rest?.() ?? []);
}
