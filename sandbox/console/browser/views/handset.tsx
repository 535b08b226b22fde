import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { setting } from "../actions.ts";
import { api } from "../api.ts";
import { quietly } from "../asking.ts";
import { formatPhone, wallClock } from "../logic/format.ts";
import { pickPhone } from "../phones.ts";
import { endNote, messages, outcomes, promptsByPhone, sandboxNow } from "../state.ts";
import type { Prompt, Story } from "../wire.ts";
import { CallForm, CHOOSE, outcomeChoices, useForm } from "./form.tsx";
import { PromptSheet } from "./prompt-sheet.tsx";

/** A customer's phone: the open prompt, or the end of the last one, and the messages. */
export function Handset({ phone }: { phone: string }) {
  const open = promptsByPhone.value.get(phone) ?? [];
  const [prompt] = open;
  return (
    <article class="handset" data-phone={phone} aria-label={`Phone ${formatPhone(phone)}`}>
      <div class="case">
        <div class="screen column">
          <div class="small status-line" aria-hidden="true">
            {shortClock()}
          </div>
          {prompt ? (
            <PromptSheet key={prompt.checkout_request_id} prompt={prompt} waiting={open.length - 1} />
          ) : (
            <>
              <Note phone={phone} />
              <Thread />
            </>
          )}
        </div>
      </div>
      <h2>{formatPhone(phone)}</h2>
      <div class="stack decided">
        {prompt ? (
          <Decided key={prompt.checkout_request_id} prompt={prompt} />
        ) : (
          <p class="hint">No prompt is open on this phone.</p>
        )}
      </div>
    </article>
  );
}

const shortClock = () => (sandboxNow.value === null ? "--:--" : wallClock(sandboxNow.value).slice(0, 5));

/** The end of the last prompt, for some seconds. */
function Note({ phone }: { phone: string }) {
  const note = endNote.value;
  if (note?.phone !== phone) return null;
  return (
    <div class="note" data-tone={note.status} role="status">
      <b class="tone">{note.title}</b>
      <p>{note.text}</p>
      <button type="button" onClick={setting(endNote, null)}>
        OK
      </button>
    </div>
  );
}

function Thread() {
  if (messages.value.length === 0) {
    return <p class="hint no-messages">Receipts arrive here as text messages.</p>;
  }
  return (
    <section class="thread" aria-label="Messages">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <ol class="stack" tabIndex={0} aria-label="Messages, newest first">
        {messages.value.map((message) => (
          <li key={message.checkout_request_id} class="small">
            <p class="line between">
              <b>momo</b>
              <time>{message.at.slice(11, 16)}</time>
            </p>
            <p>{message.text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Who decides this prompt without an answer by hand, and a form for other outcomes. */
function Decided({ prompt }: { prompt: Prompt }) {
  const decision = useSignal("");
  const id = encodeURIComponent(prompt.checkout_request_id);
  useEffect(() => {
    void quietly(async () => {
      const { outcome, in_words } = (await api.get<Story>(`/transactions/${id}`)).decided_by;
      decision.value = outcome === "manual" ? "It waits for your answer." : in_words;
    });
  }, [id]);
  return (
    <>
      <p class="decides small" title="What ends this prompt if it is not answered on the phone">
        {decision.value}
      </p>
      <EndForm prompt={prompt} path={`/prompts/${id}/answer`} />
      <p class="hint">Any PIN pays; 0000 is the wrong PIN.</p>
    </>
  );
}

function EndForm({ prompt, path }: { prompt: Prompt; path: string }) {
  const form = useForm("end", { outcome: "How the prompt ends" });
  // Only outcomes that the network can answer: not `silent`, `manual` and `refused`.
  const ends = outcomes.value.filter(({ status, after }) => status !== null && after !== "never");
  return (
    <CallForm
      form={form}
      call={{ method: "POST", path, body: form.values }}
      action="End prompt"
      onDone={() => pickPhone(prompt.phone)}
    >
      {form.select("outcome", [CHOOSE, ...outcomeChoices(ends)], { required: true })}
    </CallForm>
  );
}
