import { giveToken } from "../actions.ts";
import { Mark } from "./icons.tsx";

/** Asks for the control token, if the control API needs one. */
export function TokenForm({ isWrong }: { isWrong: boolean }) {
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get("token");
    giveToken(String(given ?? "").trim());
  }
  return (
    <main class="token-page stack">
      <form class="card stack" onSubmit={submit}>
        <h1 class="line brand">
          <Mark />
          momo
        </h1>
        <p>
          Other machines can reach this sandbox, so it needs the control token. <code>momo serve</code> printed it when
          it started.
        </p>
        <div class="field">
          <label for="token">Control token</label>
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="off"
            required
            aria-invalid={isWrong ? "true" : undefined}
            aria-describedby={isWrong ? "token-problem" : undefined}
          />
          {isWrong && (
            <p class="problem" id="token-problem" role="alert">
              That is not the control token of this server.
            </p>
          )}
        </div>
        <button type="submit" class="primary">
          Open the console
        </button>
        <p class="hint">It is kept until this tab is closed, and sent to this server alone.</p>
      </form>
    </main>
  );
}
