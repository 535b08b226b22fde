import { server } from "../state.ts";
import { Card } from "./card.tsx";
import { ClockCard } from "./clock-card.tsx";
import { DefaultCard } from "./default-card.tsx";
import { FaultsCard } from "./faults-card.tsx";
import { ResetCard } from "./reset-card.tsx";
import { RulesCard } from "./rules-card.tsx";
import { SnapshotsCard } from "./snapshots-card.tsx";
import { WebhookCard } from "./webhook-card.tsx";

/** Steers the network, the clock and the faults. Each control shows the commands that do the same. */
export function Steering() {
  return (
    <div class="cards scroll-view">
      <ClockCard />
      <DefaultCard />
      <RulesCard />
      <FaultsCard />
      <WebhookCard />
      {server.value?.accept === "lenient" && (
        <Card title="Lenient" isWide>
          <p class="hint">
            This server also accepts requests that the strict form refuses, as the real services do. That is chosen at
            its start: <code>momo serve --accept lenient</code>.
          </p>
        </Card>
      )}
      <SnapshotsCard />
      <ResetCard />
    </div>
  );
}
