import type { VNode } from "preact";
import { addressOf } from "../actions.ts";
import type { Route, View } from "../logic/route.ts";
import { openFindings, prompts, route, view } from "../state.ts";
import { KeyIcon, ListIcon, PhoneIcon, SlidersIcon, StartIcon, SwapIcon, WarningIcon } from "./icons.tsx";

const ENTRIES: readonly {
  readonly view: View;
  readonly icon: () => VNode;
  readonly label: string;
  readonly short?: string;
}[] = [
  { view: "phone", icon: PhoneIcon, label: "Phone" },
  { view: "transactions", icon: ListIcon, label: "Payments" },
  { view: "requests", icon: SwapIcon, label: "Requests" },
  { view: "audit", icon: WarningIcon, label: "Audit" },
  { view: "steering", icon: SlidersIcon, label: "Steering" },
  { view: "keys", icon: KeyIcon, label: "Accounts & keys", short: "Keys" },
  { view: "start", icon: StartIcon, label: "Get started", short: "Start" },
];

/** The last filters of each view. */
const left = new Map<View, Route["query"]>();

/** Links to the views. The phone has a link only if there is no room for it beside the dashboard. */
export function Navigation() {
  left.set(view.value, route.value.query);
  return (
    <nav class="views" aria-label="Views">
      {ENTRIES.map(({ view: name, icon: Icon, label, short = label }) => (
        <a key={name} class="line" href={hrefOf(name)} data-view={name} aria-current={view.value === name && "page"}>
          <Icon />
          <span class="wide">{label}</span>
          <span class="narrow">{short}</span>
          <Count view={name} />
        </a>
      ))}
    </nav>
  );
}

/** The link to the open view removes its filters. */
function hrefOf(name: View): string {
  const { merchant: _before, ...query } = (name !== view.value && left.get(name)) || {};
  return addressOf(name, null, query);
}

/** Its space is reserved, so that nothing moves when the first number appears. */
function Count({ view: name }: { view: View }) {
  if (name !== "phone" && name !== "audit") return null;
  const count = name === "phone" ? prompts.value.size : openFindings.value.length;
  return (
    <b class="pill" data-tone={name === "audit" && count > 0 && "pending"} data-empty={count === 0}>
      {count > 99 ? "99+" : count}
      <span class="unseen">{name === "phone" ? " open" : " findings"}</span>
    </b>
  );
}
