import { connection, isFolded, route, tokenAsked, view } from "../state.ts";
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

/** The page: the dashboard of the merchant, and the phones of the customers beside it. */
export function App() {
  if (tokenAsked.value) return <TokenForm isWrong={tokenAsked.value.isWrong} />;
  return (
    <div class="shell" data-view={view.value} data-folded={isFolded.value} data-open={route.value.selected !== null}>
      <button type="button" class="skip" onClick={() => document.getElementById("view")?.focus()}>
        Skip to the view
      </button>
      <TopBar />
      <ConnectionNotice />
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

function CurrentView() {
  switch (view.value) {
    case "requests":
      return <Requests />;
    case "audit":
      return <Audit />;
    case "steering":
      return <Steering />;
    case "keys":
      return <Registry />;
    case "start":
      return <Start />;
    // On a wide screen the phone is always beside the dashboard.
    case "phone":
    case "transactions":
      return <Transactions />;
  }
}

function ConnectionNotice() {
  return (
    <div role="alert">
      {connection.value === "lost" && (
        <p class="lost">The server does not answer. This page shows its last known state, and reconnects by itself.</p>
      )}
    </div>
  );
}
