/** Resolves in the next turn of the event loop, after all work at the end of this turn. */
export const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(() => resolve());
  });

/** How many turns of the event loop pass before `work` is done. */
export async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return turns;
}
