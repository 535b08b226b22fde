import type { Tool, ToolAction } from "../../sandbox/control/rows/row.ts";
import { ROWS } from "../../sandbox/control/rows/rows.ts";

/** The tools of `momo mcp`, from the rows of the control API. */

/** An action, and the method and the path of its call. */
export interface CalledAction extends ToolAction {
  readonly method: string;
  readonly path: string;
}

export interface ToolWithActions extends Tool {
  /** By name; the first is that of a call without `action`. */
  readonly actions: Readonly<Record<string, CalledAction>>;
}

export const TOOLS = toolsOf();

function toolsOf(): Readonly<Record<string, ToolWithActions>> {
  const tools: Record<string, Tool & { actions: Record<string, CalledAction> }> = {};
  for (const [path, methods] of Object.entries(ROWS)) {
    for (const [method, { actions = [] }] of Object.entries(methods)) {
      for (const action of actions) {
        const tool = tools[action.of.name] ?? { ...action.of, actions: {} };
        tool.actions[action.name] = { ...action, method, path };
        tools[tool.name] = tool;
      }
    }
  }
  return tools;
}

/** What arguments of several tools mean. */
export const COMMON_MEANINGS: Readonly<Record<string, string>> = {
  phone: "of the customer, such as 0712345678",
  reference: "of the order: the shop's own text",
  checkout_request_id: "of the payment: ws_CO_…",
  limit: "how many entries at most",
  after: "only entries after this id",
  before: "only entries before this id",
};
