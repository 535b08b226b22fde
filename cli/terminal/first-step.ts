import { print, styled } from "./output.ts";
import { commandLine } from "./this-program.ts";

/** What `momo` prints without a command: the first steps of a new user. */
export function showFirstStep(): void {
  print(styled("bold", "momo, a mobile-money sandbox"), ": the payment service, a simulated network and a client.");
  print();
  print("Start the server first, and leave it running:");
  print();
  print(`  ${commandLine("serve")}`);
  print();
  print("Then, in another terminal, make a payment:");
  print();
  print(`  ${commandLine("pay", "0712345678", "100", "--wait")}`);
  print();
  print("momo --help lists all commands, and momo help COMMAND explains one.");
}
