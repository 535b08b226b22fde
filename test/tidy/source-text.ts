/** The text of a source file without its comments or strings. */

/** Comments, plain strings, templates and regular expressions. Each is matched whole, because it can contain the others. */
const TOKENS =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|`(?:\\.|[^`\\])*`|(?<=(?:[=(,:!&|?{};[>]|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;

export function withoutComments(text: string): string {
  return text.replace(TOKENS, (token, comment?: string) => (comment === undefined ? token : blank(token)));
}

export function withoutStrings(text: string): string {
  return text.replace(TOKENS, (token, comment?: string, plain?: string) =>
    comment === undefined && plain === undefined ? token : blank(token),
  );
}

/** Keeps the line numbers of the text behind it. */
function blank(token: string): string {
  return token.replace(/[^\n]/g, " ");
}

export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
