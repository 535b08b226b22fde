import type { View } from "../logic/route.ts";
import { mistakes, prompts, route } from "../state.ts";

const ENTRIES: readonly { readonly view: View; readonly label: string; readonly short?: string }[] = [
  { view: "phone", label: "Phone" },
  { view: "transactions", label: "Transactions", short: "Payments" },
  { view: "requests", label: "Requests" },
  { view: "steering", label: "Steering" },
  { view: "keys", label: "Accounts & keys", short: "Keys" },
  { view: "start", label: "Get started", short: "Start" },
];

/** The views. The phones have an entry of their own only where there is no room beside the dashboard. */
export function Navigation() {
  return (
    <nav class="views" aria-label="Views">
      {ENTRIES.map(({ view, label, short }) => (
        <a key={view} href={`#${view}`} data-view={view} aria-current={route.value.view === view ? "page" : undefined}>
          {short ? (
            <>
              <span class="wide">{label}</span>
              <span class="narrow">{short}</span>
            </>
          ) : (
            label
          )}
          <Count view={view} />
        </a>
      ))}
    </nav>
  );
}

function Count({ view }: { view: View }) {
  if (view === "phone" && prompts.value.size > 0) {
    return (
      <b class="count">
        {prompts.value.size}
        <span class="unseen"> open</span>
      </b>
    );
  }
  if (view === "requests" && mistakes.value.size > 0) {
    return (
      <b class="count warn">
        {mistakes.value.size}
        <span class="unseen"> with mistakes</span>
      </b>
    );
  }
  return null;
}
