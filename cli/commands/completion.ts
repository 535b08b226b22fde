import { Argument, type Option } from "commander";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import { jsonText, visible } from "../../src/domain/visible.ts";
import { openOptionalControl } from "../client/client.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { described } from "../terminal/help.ts";
import { PAGE_NAMES } from "../terminal/pages.ts";

/** `momo completion SHELL` prints a script for the shell. The script asks `momo complete` for suggestions. */
export function completionCommand(io: Io): Command {
  const shells = Object.keys(SCRIPTS);
  return new Command("completion")
    .addArgument(new Argument("<shell>", "whose script").choices(shells))
    .action((shell: keyof typeof SCRIPTS) => io.stdout.write(SCRIPTS[shell]));
}

/** Suggests the next word of a command line, for the scripts that `momo completion` prints. */

interface Suggestion {
  readonly word: string;
  readonly what: string;
}

interface Suggestions {
  readonly words: readonly Suggestion[];
  /** What the shell completes besides our words. */
  readonly also: "files" | "commands" | "";
}

const NOTHING: Suggestions = { words: [], also: "" };

/** The arguments of the command that momo exec runs. */
const OF_OTHER_COMMAND: Suggestions = { words: [], also: "files" };

/**
 * One line for each suggestion, and a last one for what the shell adds.
 * @param words the words so far; the last one is still being typed, and may be empty
 */
export async function suggestionsFor(io: Io, program: Command, words: readonly string[]): Promise<string> {
  const { words: found, also } = await suggest(io, program, words);
  const typed = words.at(-1) ?? "";
  const fitting = found.filter(({ word }) => word.startsWith(typed));
  return [...fitting.map(({ word, what }) => `${visible(word)}\t${visible(what)}`), `:${also}`, ""].join("\n");
}

async function suggest(io: Io, program: Command, words: readonly string[]): Promise<Suggestions> {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1).flatMap((word) => splitOption(word));
  let command = program;
  const values: string[] = [];
  let wanted: Option | undefined;
  for (const [index, word] of before.entries()) {
    if (wanted) {
      wanted = undefined;
      continue;
    }
    // Another command follows: first its name, then its arguments.
    if (word === "--") return index === before.length - 1 ? { words: [], also: "commands" } : OF_OTHER_COMMAND;
    if (word.startsWith("-")) wanted = optionOf(command, word);
    else {
      const child = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (child) command = child;
      else if (command === program) return NOTHING;
      else if (command.name() === "exec") return OF_OTHER_COMMAND;
      else values.push(word);
    }
  }
  if (wanted) return valuesOf(io, wanted, wanted.long ?? "", before);
  const [name, value] = splitOption(last);
  if (value !== undefined) {
    const option = command.options.find(({ long, required, optional }) => long === name && (required || optional));
    const { words: values, also } = option ? await valuesOf(io, option, `${name}`, before) : NOTHING;
    return { words: values.map(({ word, what }) => ({ word: `${name}=${word}`, what })), also };
  }
  if (last.startsWith("-")) return { words: optionsOf(command), also: "" };
  if (command.name() === "help") {
    const named = values.reduce((at, word) => at.commands.find((child) => child.name() === word) ?? at, program);
    const commands = childrenOf(named);
    return { words: [...commands, ...(values.length === 0 ? topicsBeside(commands) : [])], also: "" };
  }
  if (command.commands.length > 0) return { words: childrenOf(command), also: "" };
  if (command.name() === "exec") return { words: [{ word: "--", what: "before the command" }], also: "commands" };
  const argument = command.registeredArguments[values.length] ?? command.registeredArguments.find((a) => a.variadic);
  return argument ? valuesOf(io, argument, argument.name(), before) : NOTHING;
}

/** `--name=value` as two words. */
const splitOption = (word: string): string[] => /^(--[\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word];

/** The option that the word names, if its value is the next word. */
function optionOf(command: Command, word: string): Option | undefined {
  const option = command.options.find(({ short, long }) => word === short || word === long);
  return option?.required ? option : undefined;
}

const childrenOf = (command: Command): Suggestion[] =>
  command.commands.map((child) => ({ word: child.name(), what: child.description() }));

const optionsOf = (command: Command): Suggestion[] => [
  ...command.options.map((option) => ({ word: option.long ?? "", what: described(option) })),
  { word: "--help", what: "show the help" },
];

function topicsBeside(commands: readonly Suggestion[]): Suggestion[] {
  const pages = PAGE_NAMES.filter((page) => commands.every(({ word }) => word !== page));
  return [{ word: "exit-codes", what: "all exit codes" }, ...pages.map((word) => ({ word, what: "a page" }))];
}

async function valuesOf(
  io: Io,
  taker: Option | Argument,
  name: string,
  before: readonly string[],
): Promise<Suggestions> {
  if (name === "--outcome" || name === "outcome") {
    return { words: OUTCOMES.map(({ name: word, meaning }) => ({ word, what: meaning })), also: "" };
  }
  if (taker.argChoices) return { words: taker.argChoices.map((word) => ({ word, what: "" })), also: "" };
  const isFile = "flags" in taker ? /<(file|path|dir)(\.\.\.)?>$/.test(taker.flags) : name === "file";
  if (isFile) return { words: [], also: "files" };
  const source = SOURCES[name];
  return source ? { words: await source(io, before), also: "" } : NOTHING;
}

type Source = (io: Io, before: readonly string[]) => Promise<Suggestion[]>;

/** Values that the running sandbox knows. Without one, there are no suggestions. */
const SOURCES: Readonly<Record<string, Source>> = {
  "--account": (io, before) => ask(io, before, "/accounts", "accounts", ({ id, name }) => [id, name]),
  "--merchant": (io, before) => ask(io, before, "/merchants", "merchants", ({ id, name }) => [id, name]),
  "--api-key": keysInForce,
  "api-key": keysInForce,
  // Only open prompts: people check or answer these.
  payment: (io, before) =>
    ask(io, before, "/prompts", "prompts", ({ checkout_request_id, phone, amount }) => [
      checkout_request_id,
      `KES ${jsonText(amount)} from ${String(phone)}`,
    ]),
  phone: (io, before) =>
    ask(io, before, "/prompts", "prompts", ({ phone, business }) => [phone, `asked by ${String(business)}`]),
};

async function keysInForce(io: Io, before: readonly string[]): Promise<Suggestion[]> {
  return ask(io, before, "/keys", "keys", ({ api_key, label, revoked }) => (revoked ? null : [api_key, label]));
}

async function ask(
  io: Io,
  before: readonly string[],
  path: string,
  member: string,
  read: (item: Record<string, unknown>) => [unknown, unknown] | null,
): Promise<Suggestion[]> {
  const after = (flag: string) => (before.includes(flag) ? before[before.lastIndexOf(flag) + 1] : undefined);
  const [data, baseUrl] = [after("--data"), after("--base-url")];
  const flags = { ...(data !== undefined && { data }), ...(baseUrl !== undefined && { baseUrl }) };
  const items = (await openOptionalControl(io, flags)(path))?.[member];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: Record<string, unknown>) => {
    const found = read(item);
    return found ? [{ word: String(found[0]), what: String(found[1]) }] : [];
  });
}

/**
 * The scripts for the shells. Each calls `momo complete -- WORDS`, which prints one line per suggestion (a word, a tab, a
 * description), and in the last line what the shell adds itself: `:files`, `:commands` or `:`.
 */

const bash = `# Completion of momo in bash. It needs nothing but bash itself, 3.2 or later.
_momo() {
  local line word at mark rest="\${COMP_LINE:0:COMP_POINT}" before=
  local -a words=()
  COMPREPLY=()
  # bash splits words at = and :, and replaces only the last part.
  for ((at = 0; at <= COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    if [[ $at -gt 0 && $rest != [[:space:]]* ]]; then words[\${#words[@]}-1]+="$word"; else words+=("$word"); fi
    rest="\${rest#*"$word"}"
  done
  word="\${words[\${#words[@]}-1]}"
  for mark in = :; do
    line="\${word%"\${word##*"$mark"}"}"
    if [[ $COMP_WORDBREAKS == *"$mark"* && \${#line} -gt \${#before} ]]; then before="$line"; fi
  done
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default 2>/dev/null ;;
      :commands) while IFS= read -r line; do COMPREPLY+=("\${line#"$before"}"); done < <(compgen -c -- "$word" | sort -u) ;;
      :*) ;;
      *)
        line="\${line%%$'\\t'*}"
        COMPREPLY+=("\${line#"$before"}") ;;
    esac
  done < <(momo complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _momo momo
`;

const zsh = `#compdef momo
# Completion of momo in zsh: source <(momo completion zsh), after compinit.
_momo() {
  local line word more=:
  local -a found
  while IFS= read -r line; do
    case $line in
      :*) more=$line ;;
      *)
        word=\${line%%$'\\t'*}
        found+=("\${word//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <(momo complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe momo found
  case $more in
    :files) compset -P '--*=' ; _files ;;
    :commands) _command_names -e ;;
  esac
}
if [[ \${funcstack[1]} == _momo ]]; then _momo "$@"
elif (( $+functions[compdef] )); then compdef _momo momo
else
  print -u2 "momo: completion needs compinit: put autoload -Uz compinit && compinit before this line"
fi
`;

const fish = `# Completion of momo in fish: momo completion fish | source
function __momo_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (momo complete -- $words[2..] "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$current"
            case ':commands'
                __fish_complete_command
            case ':*'
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c momo -f -a '(__momo_complete)'
`;

const powershell = `# Completion of momo in PowerShell: momo completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName momo -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '""' }
  momo complete -- @words 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
    $word, $what = $_ -split "\`t", 2
    if (-not $what) { $what = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $what)
  }
}
`;

const SCRIPTS = { bash, zsh, fish, powershell } as const;
