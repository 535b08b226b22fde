import { quote } from "../logic/commands.ts";
import { server } from "../state.ts";
import { ClockCard } from "./clock-card.tsx";
import { CommandLine } from "./code-block.tsx";
import { DefaultCard } from "./default-card.tsx";
import { FaultsCard } from "./faults-card.tsx";
import { ResetCard } from "./reset-card.tsx";
import { RulesCard } from "./rules-card.tsx";

/** Steers the network, the clock and the faults. Each control shows the commands that do the same. */
export function Steering() {
  return (
    <div class="cards scroll-view">
      <ClockCard />
      <DefaultCard />
      <RulesCard />
      <FaultsCard />
      <ResetCard />
      {server.value?.data && (
        <section class="card">
          <h2>In a shell</h2>
          <p class="hint">The momo commands above find this server once the shell knows it:</p>
          <CommandLine tool="sh" text={`eval "$(momo env --data ${quote(server.value.data)})"`} />
        </section>
      )}
    </div>
  );
}
