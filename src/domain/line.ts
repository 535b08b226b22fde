/** The longest text of a result, and the longest message. */
export const MAX_LINE_LENGTH = 200;

/** Whether people can read a text in one line: it has characters, but no control characters and no line separators. */
export const isLine = (text: string, most = MAX_LINE_LENGTH): boolean =>
  text.trim() !== "" && [...text].length <= most && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && text.isWellFormed();
