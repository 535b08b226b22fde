import { useSignal } from "@preact/signals";
import { chooseMerchant } from "../actions.ts";
import { api } from "../api.ts";
import { momoLine } from "../logic/commands.ts";
import { accounts, keys, merchantId, merchants } from "../state.ts";
import type { NewKey } from "../wire.ts";
import { CommandLines } from "./commands.tsx";
import { ConfirmButton } from "./confirm-button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Field, FormProblem, submits, useCall } from "./form.tsx";

/** Merchants, their payment accounts and their keys. */
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
  const call = useCall(["name"]);
  const name = useSignal("");
  const body = { name: name.value };
  async function submit() {
    if (await call.run(() => api.post("/merchants", body))) name.value = "";
  }
  return (
    <section class="card" aria-label="Merchants">
      <h2>
        Merchants <span class="count">{merchants.value.length}</span>
      </h2>
      <ul class="record-list">
        {merchants.value.map((merchant) => (
          <li key={merchant.id}>
            <label class="pick">
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
      <form class="row" onSubmit={submits(submit)}>
        <Field form="merchant" name="name" label="Name" problems={call.problems}>
          {(input) => (
            <input
              {...input}
              placeholder="Corner Shop"
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value;
              }}
            />
          )}
        </Field>
        <button type="submit">Add merchant</button>
      </form>
      <FormProblem problems={call.problems} />
      <CommandLines
        command={{
          method: "POST",
          path: "/merchants",
          body,
          momo: momoLine(["merchants", "create", "--name", name.value]),
        }}
      />
    </section>
  );
}

function Accounts() {
  const call = useCall(["name", "fee"]);
  const name = useSignal("");
  const fee = useSignal("1%");
  const body = { name: name.value, fee: fee.value, merchant_id: merchantId.value ?? 1 };
  async function submit() {
    if (await call.run(() => api.post("/accounts", body))) name.value = "";
  }
  return (
    <section class="card" aria-label="Payment accounts">
      <h2>
        Payment accounts <span class="count">{accounts.value.length}</span>
      </h2>
      <table class="records">
        <thead>
          <tr>
            <th scope="col">Id</th>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Tariff
            </th>
          </tr>
        </thead>
        <tbody>
          {accounts.value.map((account) => (
            <tr key={account.id}>
              <td>{account.id}</td>
              <td>{account.name}</td>
              <td class="number">{account.fee}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <form class="row" onSubmit={submits(submit)}>
        <Field form="account" name="name" label="Name" problems={call.problems}>
          {(input) => (
            <input
              {...input}
              placeholder="Till"
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value;
              }}
            />
          )}
        </Field>
        <Field form="account" name="fee" label="Tariff" problems={call.problems}>
          {(input) => (
            <input
              {...input}
              size={9}
              placeholder="1.5%+10"
              value={fee.value}
              onInput={(event) => {
                fee.value = event.currentTarget.value;
              }}
            />
          )}
        </Field>
        <button type="submit">Add account</button>
      </form>
      <FormProblem problems={call.problems} />
      <CommandLines
        command={{
          method: "POST",
          path: "/accounts",
          body,
          momo: momoLine(["accounts", "create", "--name", name.value], {
            "--fee": fee.value,
            "--merchant": String(body.merchant_id),
          }),
        }}
      />
    </section>
  );
}

function Keys() {
  const call = useCall(["label"]);
  const label = useSignal("");
  const made = useSignal<NewKey | null>(null);
  // The key for which the command to revoke it is shown.
  const pointed = useSignal<string | null>(null);
  const revocable = keys.value.find(({ api_key, revoked }) => api_key === pointed.value && !revoked);
  const body = { label: label.value, merchant_id: merchantId.value ?? 1 };
  async function submit() {
    const isMade = await call.run(async () => {
      made.value = await api.post<NewKey>("/keys", body);
    });
    if (isMade) label.value = "";
  }
  return (
    <section class="card wide-card" aria-label="API keys">
      <h2>
        API keys <span class="count">{keys.value.length}</span>
      </h2>
      {made.value && (
        <NewKeyCard
          made={made.value}
          onDone={() => {
            made.value = null;
          }}
        />
      )}
      <table class="records">
        <thead>
          <tr>
            <th scope="col">Label</th>
            <th scope="col">Key</th>
            <th scope="col">
              <span class="unseen">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.value.map(({ api_key, label: keyLabel, revoked }) => (
            <tr key={api_key} data-revoked={revoked}>
              <td>{keyLabel}</td>
              <td>
                <code>{api_key}</code>
              </td>
              <td class="number">
                {revoked ? (
                  <span class="tag">revoked</span>
                ) : (
                  <ConfirmButton
                    id={`revoke-${api_key}`}
                    label="Revoke …"
                    question={`Revoke “${keyLabel}”?`}
                    loss={`Every request with ${api_key} is refused from now on, for good.`}
                    yes="Refuse it from now on"
                    run={() => void call.run(() => api.delete(pathOf(api_key)))}
                    onPoint={() => {
                      pointed.value = api_key;
                    }}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {revocable && (
        <CommandLines
          command={{
            method: "DELETE",
            path: pathOf(revocable.api_key),
            momo: momoLine(["keys", "revoke", revocable.api_key]),
          }}
        />
      )}
      <form class="row" onSubmit={submits(submit)}>
        <Field form="key" name="label" label="Label" problems={call.problems}>
          {(input) => (
            <input
              {...input}
              placeholder="staging"
              value={label.value}
              onInput={(event) => {
                label.value = event.currentTarget.value;
              }}
            />
          )}
        </Field>
        <button type="submit">Make key</button>
      </form>
      <FormProblem problems={call.problems} />
      <CommandLines
        command={{
          method: "POST",
          path: "/keys",
          body,
          momo: momoLine(["keys", "create", "--label", label.value], { "--merchant": String(body.merchant_id) }),
        }}
      />
    </section>
  );
}

const pathOf = (apiKey: string): string => `/keys/${encodeURIComponent(apiKey)}`;

/** Shows the secret of a new key, only this once. */
function NewKeyCard({ made, onDone }: { made: NewKey; onDone: () => void }) {
  return (
    <div class="new-key" role="status">
      <p>
        <b>Copy the secret now.</b> Only its hash is kept; it is not shown again.
      </p>
      <dl>
        <dt>Key</dt>
        <dd>
          <code>{made.api_key}</code>
          <CopyButton text={made.api_key} what="the key" />
        </dd>
        <dt>Secret</dt>
        <dd>
          <code data-secret>{made.api_secret}</code>
          <CopyButton text={made.api_secret} what="the secret" label="Copy" />
        </dd>
      </dl>
      <button type="button" onClick={onDone}>
        I have it
      </button>
    </div>
  );
}
