import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { until } from "../../support/waiting.ts";

/** What a person does in the page, by the names that the page shows and a screen reader says. */
export interface Person {
  readonly page: Page;
  /** The part of the page where this person looks. */
  readonly place: Locator;
  /** The same person, who looks at a region, dialog, article or form with this name. */
  at(name: string | RegExp): Person;
  /** A view, and what is open in it. */
  open(address: string): Promise<void>;
  /** Clicks what has this name: a button, a link, a switch, a choice, or what can be unfolded. */
  click(name: string | RegExp): Promise<void>;
  /** Fills in fields or chooses, by their labels. */
  fill(fields: Readonly<Record<string, string>>): Promise<void>;
  press(...keys: string[]): Promise<void>;
  /** Waits until all of this can be read, whatever the line breaks and spaces are. */
  reads(...texts: (string | RegExp)[]): Promise<void>;
  /** Waits until none of this can be read. */
  misses(...texts: string[]): Promise<void>;
  /** What the fields contain. */
  values(): Promise<string[]>;
}

const ROLES = ["button", "link", "radio", "checkbox"] as const;

export function personAt(page: Page, place: Locator = page.locator("body")): Person {
  const controlOf = (name: string | RegExp) =>
    ROLES.map((role) => place.getByRole(role, { name, exact: typeof name === "string" }))
      .reduce((all, one) => all.or(one), place.locator("summary").filter({ hasText: name }))
      .first();
  const read = async () => (await place.allInnerTexts()).join("\n").replaceAll(/\s+/g, " ");
  const isIn = (text: string, wanted: string | RegExp) =>
    typeof wanted === "string" ? text.replaceAll(" ", "").includes(wanted.replaceAll(" ", "")) : wanted.test(text);
  return {
    page,
    place,
    at: (name) =>
      personAt(
        page,
        (["region", "dialog", "article", "form"] as const)
          .map((role) => page.getByRole(role, { name, exact: typeof name === "string" }))
          .reduce((all, one) => all.or(one)),
      ),
    open: (address) => page.evaluate(`location.hash = ${JSON.stringify(address)}`),
    click: (name) => controlOf(name).click(),
    async fill(fields) {
      for (const [label, value] of Object.entries(fields)) {
        const field = place.getByLabel(label, { exact: true });
        if ((await field.evaluate((one) => one.tagName)) === "SELECT") await field.selectOption(value);
        else await field.fill(value);
      }
    },
    async press(...keys) {
      // A key goes to what has the focus, which is known when the page is drawn.
      for (const key of keys) {
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
        await page.keyboard.press(key);
      }
    },
    async reads(...texts) {
      await until(
        async () => {
          const text = await read();
          const missing = texts.filter((wanted) => !isIn(text, wanted));
          return missing.length === 0 ? null : `${missing.join(" | ")} is not in: ${text}`;
        },
        (missing) => missing === null,
      );
    },
    async misses(...texts) {
      await until(read, (text) => !texts.some((unwanted) => text.includes(unwanted)));
    },
    async values() {
      const fields = await place.locator("input, select").all();
      return Promise.all(fields.map((field) => field.inputValue()));
    },
  };
}

/** The part of the address after `#`, when it is there. */
export async function expectAddress({ page }: Person, address: string): Promise<void> {
  await until(
    () => decodeURIComponent(new URL(page.url()).hash),
    (hash) => hash === address,
  );
  expect(decodeURIComponent(new URL(page.url()).hash)).toBe(address);
}

/** The name of what has the focus, or the payment of a row; its first line. */
export const focused = (page: Page) =>
  page.evaluate(`(() => {
    const { activeElement: one } = document;
    if (one === document.body) return "nothing";
    return (one.dataset.row ?? one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? (one.id || one.innerText)).split("\\n")[0];
  })()`) as Promise<string>;
