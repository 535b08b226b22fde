import { momoEnvironment } from "../environment.ts";
import { commandLine, quoted } from "../terminal/this-program.ts";
import { nameDataDirectory } from "./data-directory.ts";

/** How a shell in any folder runs momo commands for the server of a data directory: what stands before and after their words. */
export function ownCommand(data: string): { readonly program: string; readonly flags: string } {
  const { baseUrl, data: variable } = momoEnvironment();
  // Another terminal may not have the variables of this one.
  const isFoundAnyway = data === nameDataDirectory(undefined).path && baseUrl === undefined && variable === undefined;
  return { program: commandLine(), flags: isFoundAnyway ? "" : `--data ${quoted(data)}` };
}
