import type { Call, Calls, ControlContext } from "../context.ts";
import type { SteeringPart } from "../shapes/requests.ts";

/**
 * A call of the control API, without its schemas and what carries it out: its sentence, and, where it has them, the commands and the
 * actions of tools that send it. Commands load the rows without the calls, so they import little.
 */
export interface Row {
  readonly summary: string;
  /** The part of the state that it shows or changes. */
  readonly part?: SteeringPart;
  readonly commands?: readonly CallCommand[];
  readonly actions?: readonly ToolAction[];
}

/** By their path below `/_momo` and their method; capitals stand for an id, one part of the path. */
export type Rows = Readonly<Record<string, Readonly<Record<string, Row>>>>;

/** The rows of calls that one file carries out. It is loaded when a call is sent. */
export interface Area<C = ControlContext> {
  readonly rows: Rows;
  readonly load: () => Promise<Calls<C>>;
}

/** Calls with what their rows say. */
export type WholeCalls<C = ControlContext> = Readonly<Record<string, Readonly<Record<string, Row & Call<C>>>>>;

/** The first word of commands, such as `rules` of `momo rules add`. */
export interface Word {
  readonly name: string;
  /** Its line in the help of momo. */
  readonly says: string;
  /** What `-q` prints, in the help. */
  readonly prints: string;
  readonly shows: Shown;
  /** The page of `momo help PAGE` that has more about it. */
  readonly page: string;
}

/** A command that sends the call. cli/commands/calls.ts makes it; what no row can say is in its `OWN`. */
export interface CallCommand {
  readonly of: Word;
  /** Absent if the word alone is the command. */
  readonly name?: string;
  readonly alias?: string;
  /** Its line in the help of the word; absent if the word alone is the command. */
  readonly says?: string;
  /** It is the id of the path, or a member of the body. */
  readonly argument?: CommandArgument;
  readonly options?: readonly CommandOption[];
  /**
   * Makes the body from the options and the argument, if these are not its members as they are.
   * @throws Refusal `invalid` if they do not fit each other
   */
  readonly sends?: (options: never, argument: string) => object;
  /** How the answer is shown, if it is not as for the word. */
  readonly shows?: Shown;
  /** What `-q` prints, if it is not as for the word. */
  readonly quiet?: (answer: never) => unknown;
  readonly timeoutMs?: number;
  readonly examples?: readonly (readonly [line: string, does: string])[];
}

interface Typed {
  readonly means: string;
  readonly choices?: readonly string[];
  /** What it must be; absent: any text, or one of the choices. */
  readonly value?: ValueName;
}

export interface CommandArgument extends Typed {
  readonly name: string;
  readonly isOptional?: true;
}

export interface CommandOption extends Typed {
  /** Such as `--times <number>`; without a value it is a switch. */
  readonly flag: string;
}

/** What can be typed: cli/commands/values.ts reads it. */
export type ValueName =
  | "outcome"
  | "phones"
  | "amount"
  | "id"
  | "reference"
  | "description"
  | "duration"
  | "move"
  | "instant"
  | "uses"
  | "name"
  | "path"
  | "url"
  | "copies";

/** A list as a table, a sentence as data, or a sentence that only tells what was done, where `-q` prints the argument. */
export type Shown = ShownList | ShownSentence | "done";

export interface ShownSentence {
  readonly sentence: (answer: never) => string;
  /** The member of the answer that `-q` prints. */
  readonly quiet: string;
}

export interface ShownList {
  /** The member of the answer. */
  readonly list: string;
  /** The member of an entry that `-q` prints. */
  readonly quiet: string;
  readonly columns: readonly Column<never>[];
  /** The command to run if the list is empty. */
  readonly next: string;
  /** Whether the message of the answer is told before the list. */
  readonly tells?: true;
}

/** A member of the entries, or a name and how to make its cells. */
export type Column<T> =
  | (keyof T & string)
  | { readonly name: string; readonly cell?: (entry: T) => string; readonly align?: "right" };

/** A tool of `momo mcp`: its actions are the calls that name it. */
export interface Tool {
  readonly name: string;
  /** When to use it. */
  readonly use: string;
  /** What its arguments and their members mean to an assistant, instead of the description that the schema of the call has. */
  readonly means?: Readonly<Record<string, string>>;
  /** Whether it removes or replaces what is there. */
  readonly destroys?: true;
}

export interface ToolAction {
  readonly of: Tool;
  /** Of several, the argument `action` names one; if it is left out, it is the first. */
  readonly name: string;
  /** Other names of arguments that assistants use. */
  readonly alsoNamed?: Readonly<Record<string, string>>;
  /** The argument with the id of the path. */
  readonly id?: string;
  /** Other arguments that may stand for the id, each with what the call is told then. */
  readonly otherIds?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Members that the action itself stands for. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** What an assistant needs of the answer. */
  readonly compact?: (answer: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** Whether it only waits: it changes nothing, although it is no GET, and takes long. */
  readonly waits?: true;
  /** Arguments that the assistant may leave out, with the values that they then have. */
  readonly usual?: (sandbox: { readonly paymentAccountId: number | null }) => Readonly<Record<string, unknown>>;
  /** What to do after a refusal with this status, as a tool to call: the control API knows no tools. */
  readonly next?: Readonly<Record<number, string>>;
}
