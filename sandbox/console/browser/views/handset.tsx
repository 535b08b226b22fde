import { useEffect } from "preact/hooks";
import { dismissNote } from "../actions.ts";
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
          <StatusLine />
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
      <h2 class="number">{formatPhone(phone)}</h2>
      <div class="decided">
        {prompt ? (
          <Decided key={prompt.checkout_request_id} prompt={prompt} />
        ) : (
          <p class="hint">No prompt is open on this phone.</p>
        )}
      </div>
    </article>
  );
}

function StatusLine() {
  const now = sandboxNow.value;
  return (
    <div class="status-line" aria-hidden="true">
      <span>{now === null ? "" : wallClock(now).slice(0, 5)}</span>
      <span class="camera" />
    </div>
  );
}

/** The end of the last prompt for some seconds, then the idle screen. */
function Note({ phone }: { phone: string }) {
  const note = phoneNotes.value.get(phone);
  if (note) {
    return (
      <div class="note" data-status={note.status} role="status">
        <h3>{note.title}</h3>
        <p>{note.text}</p>
        <button type="button" onClick={() => dismissNote(phone)}>
          OK
        </button>
      </div>
    );
  }
  const now = sandboxNow.value;
  return (
    <p class="lock-clock">
      <time>{now === null ? "--:--" : wallClock(now).slice(0, 5)}</time>
      <span>{now === null ? "" : longDayOf(now)}</span>
    </p>
  );
}

/** The text messages of one phone, newest first. */
function Thread({ phone }: { phone: string }) {
  const thread = messages.value.filter((message) => message.phone === phone);
  if (thread.length === 0) {
    return <p class="no-messages">Receipts arrive here as text messages.</p>;
  }
  return (
    <section class="thread" aria-label="Messages">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <ol tabIndex={0} aria-label="Messages, newest first">
        {thread.map((message) => (
          <li key={message.checkout_request_id}>
            <p class="sender">
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
