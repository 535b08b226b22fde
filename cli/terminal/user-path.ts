import { join } from "node:path";
import { homeFolder } from "../environment.ts";
import { Failure } from "./failure.ts";

/**
 * A path that an option or a variable names. A leading `~/` means the home directory, also where no shell has replaced it: in
 * `--data=~/x`, and in a file of variables.
 */
export function userPath(text: string): string {
  if (text !== "~" && !text.startsWith("~/")) return text;
  const home = homeFolder();
  if (home === null)
    throw new Failure(
      "usage",
      `${text} is in the home directory, and HOME is not set`,
      "set HOME, or give the whole path",
    );
  return join(home, text.slice(1));
}
