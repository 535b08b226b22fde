import type { FunctionComponent } from "preact";
import type { View } from "../logic/route.ts";
import { connection, isFolded, tokenAsked, view } from "../state.ts";
import { Audit } from "./audit.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { Navigation } from "./navigation.tsx";
import { PayDialog } from "./pay-dialog.tsx";
import { Phones } from "./phones.tsx";
import { Registry } from "./registry.tsx";
import { Requests } from "./requests.tsx";
import { Start } from "./start.tsx";
import { Steering } from "./steering.tsx";
import { TokenForm } from "./token-form.tsx";
import { TopBar } from "./top-bar.tsx";
import { Transactions } from "./transactions.tsx";

const VIEWS: Readonly<Record<View, FunctionComponent>> = {
  transactions: Transactions,
  requests: Requests,
  audit: Audit,
  steering: Steering,
  keys: Registry,
  start: Start,
  // On a wide screen the phone is always beside the dashboard.
  phone: Transactions,
};

/** The page: the dashboard of the merchant, and the phones of the customers beside it. */
export function App() {
  if (tokenAsked.value) return <TokenForm isWrong={tokenAsked.value.isWrong} />;
  const CurrentView = VIEWS[view.value];
  return (
    <div class="shell" data-view={view.value} data-folded={isFolded.value}>
      <button type="button" class="skip" onClick={() => document.getElementById("view")?.focus()}>
        Skip to the view
      </button>
      <TopBar />
      <div role="alert">
        {connection.value === "lost" && (
          <p class="lost">
            The server does not answer. This page shows its last known state, and reconnects by itself.
          </p>
        )}
      </div>
      <main class="sides">
        <div class="dashboard">
          <Navigation />
          <div class="view" id="view" tabIndex={-1}>
            <CurrentView />
          </div>
        </div>
        <Phones />
      </main>
      <PayDialog />
      <HelpDialog />
    </div>
  );
}
