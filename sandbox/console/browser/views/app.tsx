import { connection, route, tokenAsked } from "../state.ts";
import { Navigation } from "./navigation.tsx";
import { PayDialog } from "./pay-dialog.tsx";
import { Phones } from "./phones.tsx";
import { Registry } from "./registry.tsx";
import { Requests } from "./requests.tsx";
import { Snippets } from "./snippets.tsx";
import { Steering } from "./steering.tsx";
import { TokenForm } from "./token-form.tsx";
import { TopBar } from "./top-bar.tsx";
import { Transactions } from "./transactions.tsx";

/** The page: the customers' phones on one side, what a merchant sees on the other. */
export function App() {
  if (tokenAsked.value) return <TokenForm isWrong={tokenAsked.value.isWrong} />;
  return (
    <div class="shell" data-view={route.value.view}>
      <button type="button" class="skip" onClick={() => document.getElementById("view")?.focus()}>
        Skip to the dashboard
      </button>
      <TopBar />
      <ConnectionNotice />
      <main class="sides">
        <Phones />
        <div class="dashboard">
          <Navigation />
          <div class="view" id="view" tabIndex={-1}>
            <CurrentView />
          </div>
        </div>
      </main>
      <PayDialog />
    </div>
  );
}

function CurrentView() {
  switch (route.value.view) {
    case "requests":
      return <Requests />;
    case "steering":
      return <Steering />;
    case "keys":
      return <Registry />;
    case "start":
      return <Snippets />;
    // On a wide screen the phones are beside it anyway.
    case "phone":
    case "transactions":
      return <Transactions />;
  }
}

function ConnectionNotice() {
  return (
    <div role="alert">
      {connection.value === "lost" && (
        <p class="lost">
          The server does not answer. What you see is what was last known; the page comes back by itself.
        </p>
      )}
    </div>
  );
}
