const PROGRAMS = {
  "open-store": new URL("./open-store.ts", import.meta.url),
  "hold-lock": new URL("./hold-lock.ts", import.meta.url),
  "hold-claim": new URL("./hold-claim.ts", import.meta.url),
};

/** Runs a file of this folder as a process, and reads its output line by line. */
export function startProgram(name: keyof typeof PROGRAMS, ...args: string[]) {
  const child = Bun.spawn([process.execPath, Bun.fileURLToPath(PROGRAMS[name]), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const chunks = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";

  return {
    child,
    /** The next line; null if the program ended before it. */
    async line(): Promise<string | null> {
      while (!text.includes("\n")) {
        const { value, done } = await chunks.read();
        if (done) return null;
        text += value;
      }
      const [line = "", ...rest] = text.split("\n");
      text = rest.join("\n");
      return line;
    },
    async say(word: string): Promise<void> {
      await child.stdin.write(word);
      await child.stdin.flush();
    },
    /** Ends its stdin, and waits for its end. */
    async finish(): Promise<number> {
      await child.stdin.end();
      return child.exited;
    },
  };
}
