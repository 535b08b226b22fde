/** What the browser alone can do: tell the time, wait, remember and copy. No other file of the page touches any of it. */

/** Milliseconds with fractions, from any beginning; nobody can set it back. */
export const monotonicMs = (): number => performance.now();

/** @returns a function that cancels it */
export function after(durationMs: number, run: () => void): () => void {
  const timer = setTimeout(run, durationMs);
  return () => clearTimeout(timer);
}

export const sleep = (durationMs: number): Promise<void> =>
  new Promise((resolve) => {
    after(durationMs, resolve);
  });

export function every(intervalMs: number, run: () => void): () => void {
  const timer = setInterval(run, intervalMs);
  return () => clearInterval(timer);
}

/** A page in the background gets no frames; it is drawn this often all the same, so that it is not behind when it is looked at. */
const BACKGROUND_FRAME_MS = 250;

/** Runs before the next frame is drawn. */
export function nextFrame(run: () => void): void {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    run();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, BACKGROUND_FRAME_MS);
}

/** What is remembered until the tab is closed. Where the browser forbids it, nothing is. */
export const tabMemory = memoryIn(() => sessionStorage);

/** What is remembered beyond that. */
export const longMemory = memoryIn(() => localStorage);

function memoryIn(storage: () => Storage) {
  return {
    read(name: string): string | null {
      try {
        return storage().getItem(`momo.${name}`);
      } catch {
        return null;
      }
    },
    write(name: string, value: string | null): void {
      try {
        if (value === null) storage().removeItem(`momo.${name}`);
        else storage().setItem(`momo.${name}`, value);
      } catch {
        // Then it lasts as long as the page.
      }
    },
  };
}

/** Another address for the same place in the history. */
export const replaceAddress = (hash: string): void => history.replaceState(null, "", hash);

/** The whole address of a place in the page, for somebody else. */
export const pageAddress = (hash: string): string => location.origin + location.pathname + hash;

/** Hands a text to the person as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Whether the browser shows notifications of this page; `default`: nobody has been asked yet. Off loopback there may be none. */
export const notificationPermission = (): NotificationPermission =>
  "Notification" in globalThis ? Notification.permission : "denied";

export const askForNotifications = (): Promise<NotificationPermission> => Notification.requestPermission();

/** Shown in the place of the one before. */
export function notify(title: string, body: string): void {
  if (notificationPermission() === "granted") new Notification(title, { body, tag: "momo" });
}

/** @returns whether it is in the clipboard; off loopback a browser may not allow it */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
