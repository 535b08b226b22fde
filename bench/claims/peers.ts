import { type Claim, newData } from "../support/bench.ts";
import { compare, leftOut } from "../support/line.ts";
import { payments } from "../support/load.ts";
import { arePeersInstalled, startPeers } from "../support/peers.ts";
import { startMomo } from "../support/servers.ts";
import { alternate, median } from "../support/statistics.ts";

/** The same payments with what people would use instead. Only the hand-written Express service writes durably. */
export const peers: Claim = async (bench) => {
  if (!arePeersInstalled()) {
    return [leftOut("against peers", "left out: npm install --prefix bench/peers --ignore-scripts installs them")];
  }
  const momo = await startMomo(bench.programs, await newData(bench, "peers"));
  const others = await startPeers(bench.folder);
  const contenders = [{ name: "momo", ...momo }, ...others];
  await Promise.all(contenders.map((contender) => payments(contender, 2)));
  const results = await alternate(
    bench.longRounds,
    Object.fromEntries(
      contenders.map((contender) => [contender.name, async () => (await payments(contender, bench.seconds)).perSecond]),
    ),
  );
  await Promise.all(contenders.map((contender) => contender.stop()));
  const rates = results.momo ?? [];
  return others
    .map(({ name }) => ({ name, rates: results[name] ?? [] }))
    .toSorted((a, b) => median(b.rates) - median(a.rates))
    .map((other, place) =>
      compare({
        claim: place === 0 ? "start a payment, against what else people use" : "",
        unit: "/s",
        momo: rates,
        limit: other.rates,
        against: other.name,
        goal: other.name === "mountebank" ? "≥ 3.5" : "-",
      }),
    );
};
