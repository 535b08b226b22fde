/** Resolves in the next turn of the event loop, after what this one has left for its end. */
export const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(() => resolve());
  });
