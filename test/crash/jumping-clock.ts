/**
 * Loaded before momo: at each SIGUSR2 the clock of its host jumps, by one after the other of CLOCK_JUMPS_MS, and then again from
 * the first; at the start the clock is behind by CLOCK_BEHIND_MS.
 */
const jumps = (process.env.CLOCK_JUMPS_MS ?? "").split(",").map(Number);

const hostNowMs = Date.now;
let aheadMs = -Number(process.env.CLOCK_BEHIND_MS ?? 0);
let jumped = 0;
Date.now = () => hostNowMs() + aheadMs;
process.on("SIGUSR2", () => {
  aheadMs += jumps[jumped % jumps.length] ?? 0;
  jumped += 1;
});
