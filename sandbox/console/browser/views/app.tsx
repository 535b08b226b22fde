import type { FunctionComponent } from "preact";
import { addressOf, giveToken } from "../actions.ts";
import { tokenAsked } from "../api.ts";
import { connection } from "../asking.ts";
import type { View } from "../logic/route.ts";
import { audit, prompts, queries, view } from "../state.ts";
import { Audit } from "./audit.tsx";
import { ClockDialog } from "./clock.tsx";
import { HelpDialog } from "./dialog.tsx";
import { submits, useForm } from "./form.tsx";
import { Mark } from "./marks.tsx";
import { PayDialog } from "./pay-dialog.tsx";
import { Phones } from "./phones.tsx";
import { Registry } from "./registry.tsx";
import { Requests } from "./requests.tsx";
import { Start } from "./start.tsx";
import { Steering } from "./steering.tsx";
import { TopBar } from "./top-bar.tsx";
import { Transactions } from "./transactions.tsx";

/** In the order of their links. */
const VIEWS: Readonly<Record<View, ViewFacts>> = {
  // On a wide screen the phone is always beside the dashboard.
  phone: [Transactions, "Phone"],
  transactions: [Transactions, "Payments"],
  requests: [Requests, "Requests"],
  audit: [Audit, "Audit"],
  steering: [Steering, "Steering"],
  keys: [Registry, "Accounts & keys"],
  start: [Start, "Get started"],
};

type ViewFacts = readonly [shows: FunctionComponent, label: string];

/** The page: the dashboard of the merchant, and the phones of the customers beside it. */
export function App() {
  if (tokenAsked.value) return <TokenForm isWrong={tokenAsked.value.isWrong} />;
  const [CurrentView] = VIEWS[view.value];
  return (
    <div class="shell column" data-view={view.value}>
      <button type="button" class="skip" onClick={() => document.getElementById("view")?.focus()}>
        Skip to the content
      </button>
      <TopBar />
      <div role="alert">
        {connection.value === "lost" && (
          <p class="box tone lost" data-tone="failed">
            The server does not answer. This page shows its last known state, and reconnects by itself.
          </p>
        )}
      </div>
      <main class="sides">
        <div class="dashboard column">
          <Navigation />
          <div class="view" id="view" tabIndex={-1}>
            <CurrentView />
          </div>
        </div>
        <Phones />
      </main>
      <PayDialog />
      <ClockDialog />
      <HelpDialog />
    </div>
  );
}

/** Links to the views. The phone has a link only if there is no room for it beside the dashboard. */
function Navigation() {
  return (
    <nav class="views" aria-label="Views">
      {(Object.entries(VIEWS) as [View, ViewFacts][]).map(([name, [, label]]) => (
        <a key={name} class="line" href={hrefOf(name)} data-view={name} aria-current={view.value === name && "page"}>
          {label}
          <Count view={name} />
        </a>
      ))}
    </nav>
  );
}

/** The link to the open view removes its filters. */
function hrefOf(name: View): string {
  const { merchant: _before, ...query } = (name !== view.value && queries.value[name]) || {};
  return addressOf(name, null, query);
}

/** Its space is reserved, so that nothing moves when the first number appears. */
function Count({ view: name }: { view: View }) {
  if (name !== "phone" && name !== "audit") return null;
  const count = name === "phone" ? prompts.value.open.size : audit.value.findings.length;
  return (
    <b class="pill" data-tone={name === "audit" && count > 0 && "pending"}>
      {count > 99 ? "99+" : count}
      <span class="unseen">{name === "phone" ? " open" : " findings"}</span>
    </b>
  );
}

function TokenForm({ isWrong }: { isWrong: boolean }) {
  const form = useForm("control", { token: "Control token" });
  const complaint = isWrong && { "aria-invalid": true, "aria-describedby": "token-problem" };
  return (
    <main class="token-page stack">
      <form class="card stack" onSubmit={submits(async () => giveToken(form.values.token))}>
        <h1 class="line brand">
          <Mark />
          momo
        </h1>
        <p>
          Other machines can reach this sandbox, so it needs the control token. <code>momo serve</code> printed it when
          it started.
        </p>
        {form.input("token", { type: "password", autocomplete: "off", required: true, ...complaint })}
        {isWrong && (
          <p class="problem" id="token-problem" role="alert">
            That is not the control token of this server.
          </p>
        )}
        <button type="submit" class="primary">
          Open the console
        </button>
        <p class="hint">It is kept until this tab is closed, and sent to this server alone.</p>
      </form>
    </main>
  );
}
