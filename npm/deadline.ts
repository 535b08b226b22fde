/**
 * Calls a function after a time, unless it is cancelled before. A test can fake each timer of the runtime, but not this wait.
 * @returns a function that cancels it
 */
export function callAfter(ms: number, late: () => void): () => void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const { value } = Atomics.waitAsync(cell, 0, 0, ms);
  void Promise.resolve(value).then((how) => {
    if (how === "timed-out") late();
  });
  return () => void Atomics.notify(cell, 0);
}
