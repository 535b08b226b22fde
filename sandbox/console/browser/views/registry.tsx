import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { chooseMerchant, setting } from "../actions.ts";
import { accounts, keys, merchantId, merchants, server } from "../state.ts";
import type { NewKey } from "../wire.ts";
import { Card, Records } from "./card.tsx";
import { CodeBlock } from "./copy.tsx";
import { ConfirmButton } from "./dialog.tsx";
import { CallForm, useForm } from "./form.tsx";

export function Registry() {
  return (
    <div class="cards scroll-view">
      <Merchants />
      <Accounts />
      <Keys />
    </div>
  );
}

function Merchants() {
  const form = useForm("merchant", { name: "Name" });
  const { name } = form.values;
  return (
    <Card title="Merchants" count={merchants.value.length}>
      <ul class="entries">
        {merchants.value.map((merchant) => (
          <li key={merchant.id} class="line between">
            <label class="line">
              <input
                type="radio"
                name="merchant"
                checked={merchant.id === merchantId.value}
                onChange={() => chooseMerchant(merchant.id)}
              />
              {merchant.name}
            </label>
            <span class="hint">id {merchant.id}</span>
          </li>
        ))}
      </ul>
      <CallForm form={form} call={{ method: "POST", path: "/merchants", body: { name } }} action="Add merchant">
        {form.input("name", { placeholder: "Corner Shop" })}
      </CallForm>
    </Card>
  );
}

function Accounts() {
  const form = useForm("account", { name: "Name", fee: "Tariff" }, { fee: "1%" });
  const body = { ...form.values, merchant_id: merchantId.value ?? 1 };
  return (
    <Card title="Payment accounts" count={accounts.value.length}>
      <Records
        columns={[["Id"], ["Name"], ["Tariff", "number"]]}
        rows={accounts.value.map(({ id, name, fee }) => [id, name, fee])}
      />
      <CallForm form={form} call={{ method: "POST", path: "/accounts", body }} action="Add account">
        {form.input("name", { placeholder: "Till" })}
        {form.input("fee", { placeholder: "1.5%+10", size: 9 })}
      </CallForm>
    </Card>
  );
}

function Keys() {
  const form = useForm("key", { label: "Label" });
  const made = useSignal<NewKey | null>(null);
  const body = { ...form.values, merchant_id: merchantId.value ?? 1 };
  return (
    <Card title="API keys" count={keys.value.length} isWide>
      {made.value && <NewKeyCard key={made.value.api_key} made={made.value} onDone={setting(made, null)} />}
      <Records
        columns={[["Label"], ["Key"], [<span class="unseen">Revoke</span>, "number"]]}
        rows={keys.value.map(({ api_key, label, revoked }) => [
          label,
          <code>{revoked ? <s class="muted">{api_key}</s> : api_key}</code>,
          revoked ? (
            <span class="pill">revoked</span>
          ) : (
            <ConfirmButton
              label="Revoke …"
              question={`Revoke “${label}”?`}
              loss={`Every request with ${api_key} is refused from now on, for good.`}
              yes="Refuse it from now on"
              call={{ method: "DELETE", path: `/keys/${encodeURIComponent(api_key)}` }}
            />
          ),
        ])}
      />
      <CallForm<NewKey>
        form={form}
        call={{ method: "POST", path: "/keys", body }}
        action="Make key"
        onDone={(key) => setting(made, key)()}
      >
        {form.input("label", { placeholder: "staging" })}
      </CallForm>
    </Card>
  );
}

function environmentOf({ api_key, api_secret }: NewKey, account: number | undefined): string {
  const lines = {
    MOMO_BASE_URL: server.value?.base_url,
    MOMO_API_KEY: api_key,
    MOMO_API_SECRET: api_secret,
    MOMO_PAYMENT_ACCOUNT_ID: account,
  };
  return Object.entries(lines)
    .map(([name, value]) => (value === undefined ? "" : `${name}="${value}"\n`))
    .join("");
}

/** Shows the secret of a new key, only this once. */
function NewKeyCard({ made, onDone }: { made: NewKey; onDone: () => void }) {
  const account = useRef<number | undefined>(undefined);
  // Another merchant may be chosen while the key is shown.
  account.current = accounts.value.find(({ merchant_id }) => merchant_id === made.merchant_id)?.id ?? account.current;
  return (
    <div class="box stack" role="status" data-tone="completed">
      <p>
        <b>Copy the secret now.</b> Only its hash is kept; it is not shown again.
      </p>
      <CodeBlock text={environmentOf(made, account.current)} what="the key as lines of a .env file" />
      <div>
        <button type="button" onClick={onDone}>
          I have it
        </button>
      </div>
    </div>
  );
}
