import { useEffect } from "preact/hooks";
import { removeNote } from "../arrivals.ts";
import { loadMessages } from "../loading.ts";
import { formatPhone, longDayOf, wallClock } from "../logic/format.ts";
import { messages, phoneNotes, promptsByPhone, sandboxNow } from "../state.ts";
import { Decided } from "./decided.tsx";
import { PromptSheet } from "./prompt-sheet.tsx";

/** A customer's phone: the open prompt, or the end of the last one, and the messages. */
export function Handset({ phone }: { phone: string }) {
  useEffect(() => void loadMessages(phone), [phone]);
  const open = promptsByPhone.value.get(phone) ?? [];
  const [prompt] = open;
  return (
    <article
      class="handset"
      data-phone={phone}
      data-rings={prompt !== undefined}
      aria-label={`Phone ${formatPhone(phone)}`}
    >
      <div class="case">
        <div class="screen">
          <div class="status-line" aria-hidden="true">
            <span>{shortClock()}</span>
            <span class="camera" />
          </div>
          {prompt ? (
            <PromptSheet key={prompt.checkout_request_id} prompt={prompt} waiting={open.length - 1} />
          ) : (
            <>
              <Note phone={phone} />
              <Thread phone={phone} />
            </>
          )}
          <div class="home-bar" aria-hidden="true" />
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

/** The end of the last prompt for some seconds, then the idle screen. */
function Note({ phone }: { phone: string }) {
  const note = phoneNotes.value.get(phone);
  if (note) {
    return (
      <div class="note" data-tone={note.status} role="status">
        <h3 class="tone">{note.title}</h3>
        <p>{note.text}</p>
        <button type="button" onClick={() => removeNote(phone)}>
          OK
        </button>
      </div>
    );
  }
  const now = sandboxNow.value;
  return (
    <p class="lock-clock">
      <time>{shortClock()}</time>
      <span>{now === null ? "" : longDayOf(now)}</span>
    </p>
  );
}

/** The text messages of one phone, newest first. */
function Thread({ phone }: { phone: string }) {
  const thread = messages.value.filter((message) => message.phone === phone);
  if (thread.length === 0) {
    return <p class="hint no-messages">Receipts arrive here as text messages.</p>;
  }
  return (
    <section class="thread" aria-label="Messages">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <ol class="stack" tabIndex={0} aria-label="Messages, newest first">
        {thread.map((message) => (
          <li key={message.checkout_request_id}>
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
