/** Longer answers are sent in pieces, as their client reads them. */
const PIECE_BYTES = 64 * 1024;

/** How much of long answers may wait for their clients, in all connections together. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

const encoder = new TextEncoder();
let unreadBytes = 0;

/** A text as the body of an answer; null if too much waits for clients that do not read. */
export function bodyOf(text: string): string | ReadableStream<Uint8Array> | null {
  if (text.length <= PIECE_BYTES) return text;
  const bytes = encoder.encode(text);
  if (unreadBytes + bytes.length > MAX_UNREAD_BYTES) return null;
  let [sent, isCounted] = [0, false];
  const end = () => {
    if (isCounted) unreadBytes -= bytes.length;
    isCounted = false;
  };
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        // Counted when it is sent: nothing ends the stream of an answer that is never sent.
        if (sent === 0) [unreadBytes, isCounted] = [unreadBytes + bytes.length, true];
        controller.enqueue(bytes.subarray(sent, sent + PIECE_BYTES));
        sent += PIECE_BYTES;
        if (sent < bytes.length) return;
        end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
