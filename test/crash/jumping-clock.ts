/**
 * Loaded before momo: at each SIGUSR2 the clock of its host jumps, by one after the other of CLOCK_JUMPS_MS, and again from the
 * first; it starts out as far behind as CLOCK_BEHIND_MS says.
 */
const jumps = (process.env.CLOCK_JUMPS_MS ?? "-3600000").split(",").map(Number);

const hostNowMs = Date.now;
let aheadMs = -Number(process.env.CLOCK_BEHIND_MS ?? 0);
let jumped = 0;
Date.now = () => hostNowMs() + aheadMs;
process.on("SIGUSR2", () => {
  aheadMs += jumps[jumped % jumps.length] ?? 0;
  jumped += 1;
});
