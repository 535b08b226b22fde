import { useSignal } from "@preact/signals";
import { LANGUAGES, type Language, SECRET_LINE, snippet } from "../logic/snippets.ts";
import { accounts, keys, merchantId, outcomes, server } from "../state.ts";
import { CodeBlock, CommandLine } from "./code-block.tsx";
import { openPayDialog } from "./pay-dialog.tsx";

/** The first lines of a client, filled in. */
export function Snippets() {
  const language = useSignal<Language>("curl");
  const facts = server.value;
  if (!facts) return null;
  const isFirst = merchantId.value === facts.default_merchant_id;
  const chosen = {
    base_url: facts.base_url,
    api_key: isFirst ? facts.api_key : (keys.value.find(({ revoked }) => !revoked)?.api_key ?? null),
    payment_account_id: isFirst ? facts.payment_account_id : (accounts.value[0]?.id ?? null),
  };
  return (
    <div class="start scroll-view">
      <section class="card" aria-label="Get started">
        <h2>Take a payment from your own code</h2>
        <p class="hint">
          Start it, ask every 3 seconds, and read the status as what it says. This is filled in with the address and a
          key of this server; the secret stays out of the code:
        </p>
        <CommandLine tool="sh" text={SECRET_LINE} />
        <p class="hint">
          The server printed the first secret when it started; <a href="#keys">a new key</a> has one of its own.
        </p>
        <fieldset class="languages">
          <legend class="unseen">Language</legend>
          {LANGUAGES.map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="language"
                checked={language.value === name}
                onChange={() => {
                  language.value = name;
                }}
              />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        <CodeBlock text={snippet(language.value, chosen)} what={`the ${language.value} snippet`} />
        <p class="hint">
          Then{" "}
          <button type="button" class="link" onClick={openPayDialog}>
            send a test payment
          </button>{" "}
          from here, answer it on the phone, or use a <b>test phone</b>: each number below always ends in its own way.
        </p>
        <TestPhones />
      </section>
    </div>
  );
}

/** The numbers that decide by themselves. */
function TestPhones() {
  return (
    <table class="records test-phones">
      <thead>
        <tr>
          <th scope="col">Phone</th>
          <th scope="col">Outcome</th>
          <th scope="col" class="number">
            Code
          </th>
          <th scope="col" class="when-wide">
            After
          </th>
          <th scope="col" class="when-wide">
            What happens
          </th>
        </tr>
      </thead>
      <tbody>
        {outcomes.value.map(({ name, phone, code, after, meaning }) => (
          <tr key={name}>
            <td>
              <code>{phone}</code>
            </td>
            <td>{name}</td>
            <td class="number">{code ?? "–"}</td>
            <td class="when-wide">{after ?? "–"}</td>
            <td class="when-wide">{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
