import { createListeners, type Listener } from "../../src/domain/listeners.ts";
import type { Prompt } from "../../src/domain/provider.ts";
import type { Rule } from "../control/shapes/steering.ts";
import { type Numbered, NumberedList, type Place, type SavedList } from "../numbered-list.ts";
import type { Choice } from "./choice.ts";
import { matches } from "./rule-match.ts";

export const MAX_RULES = 1000;

export interface RuleBook {
  /** Its listener is called when one of the times of a rule is used up. */
  readonly subscribe: (listener: Listener<[]>) => () => void;
  readonly list: () => readonly Numbered<Rule>[];
  /** @returns their ids */
  readonly add: (more: readonly Rule[], place?: Place) => number[];
  readonly replace: (next: readonly Rule[]) => void;
  readonly remove: (id: string) => undefined;
  readonly clear: () => void;
  readonly save: () => SavedList<Rule>;
  readonly load: (saved: SavedList<Rule>) => void;
  readonly reset: () => void;
  /** Whether `take` uses up one of the times of a rule. */
  readonly isCounted: (prompt: Prompt) => boolean;
  /** The choice of the first rule that matches. A rule with a count is used once, and removed at zero. */
  take(prompt: Prompt): RuleChoice | null;
}

interface RuleChoice extends Choice {
  /** The id of the rule. */
  readonly rule: number;
}

/** The rules in force, in order. They are kept in memory; decisions are stored with the transactions. */
export function createRuleBook(start: readonly Rule[], reportFault: (error: unknown) => void): RuleBook {
  const list = new NumberedList<Rule>("rule", MAX_RULES);
  const counted = createListeners<[]>(reportFault);
  list.add(start);

  return {
    subscribe: counted.subscribe,
    list: () => list.items,
    add: (more: readonly Rule[], place?: Place) => list.add(more, place),
    replace: (next: readonly Rule[]) => list.replace(next),
    remove: (id: string) => void list.remove(id),
    clear: () => list.clear(),
    save: () => list.save(),
    load: (saved: SavedList<Rule>) => list.load(saved),
    reset: () => list.reset(),
    isCounted: (prompt: Prompt): boolean => (list.items.find(({ match }) => matches(match, prompt))?.times ?? 0) > 0,
    take(prompt: Prompt): RuleChoice | null {
      const rule = list.items.find(({ match }) => matches(match, prompt));
      if (!rule) return null;
      if (list.use(rule)) counted.announce();
      return { ...rule, rule: rule.id };
    },
  };
}
