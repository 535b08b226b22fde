/**
 * Loaded before momo: at each SIGUSR2 the clock of its host jumps back by an hour. At the start it is as far behind as
 * CLOCK_BEHIND_MS says.
 */
const HOUR_MS = 3_600_000;

const hostNowMs = Date.now;
let behindMs = Number(process.env.CLOCK_BEHIND_MS ?? 0);
Date.now = () => hostNowMs() - behindMs;
process.on("SIGUSR2", () => {
  behindMs += HOUR_MS;
});
