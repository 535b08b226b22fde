/** Loaded before momo: at each SIGUSR2 the clock of its host jumps back; it starts out as far behind as the environment says. */
const JUMP_MS = 1000;

const hostNowMs = Date.now;
let behindMs = Number(process.env.CLOCK_BEHIND_MS ?? 0);
Date.now = () => hostNowMs() - behindMs;
process.on("SIGUSR2", () => {
  behindMs += JUMP_MS;
});
