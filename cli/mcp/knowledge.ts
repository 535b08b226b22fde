import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { pageText } from "../terminal/pages.ts";

/** What an assistant can read, and what it can be asked: documents, and three tasks. */

const RESOURCES: Readonly<Record<string, readonly [title: string, description: string]>> = {
  api: ["The payment API", "Its operations, member by member, and what momo does where the specification is silent"],
  audit: ["Mistakes of clients", "Each kind of finding of the audit, what it costs, and the right code"],
  testing: ["Test recipes", "Tests in TypeScript, JavaScript, Python, PHP, Go and shell, and in CI"],
  "llms.txt": ["Rules of a correct client", "The API and the rules of a correct client on one page"],
};

/** As `momo help` prints them. */
export function addResources(server: McpServer): void {
  for (const [name, [title, description]] of Object.entries(RESOURCES)) {
    const isText = name.endsWith(".txt");
    const mimeType = isText ? "text/plain" : "text/markdown";
    const address = `momo://docs/${name}${isText ? "" : ".md"}`;
    server.registerResource(name, address, { title, description, mimeType }, async ({ href }) => ({
      contents: [{ uri: href, mimeType, text: await pageText(name) }],
    }));
  }
}

type Prompt = readonly [description: string, argument: string, meaning: string, task: (argument?: string) => string];

const PROMPTS: Readonly<Record<string, Prompt>> = {
  integrate_this_program: [
    "Integrate this program",
    "language",
    "the language of the program",
    (language = "its language") => `Add mobile-money payments to this program in ${language}.
Read momo://docs/llms.txt, and keep its rules. momo client js, php or python prints a client to copy. Call connect for the address, the key and an example; read them from the environment.
Write tests for a payment that completes, one that is cancelled, one that fails and one that expires (momo://docs/testing.md).
Also test that an order is charged once although the answer to its start is lost (faults, kind disconnect). Run the tests with momo exec --audit=warning. You are done when it ends with 0.`,
  ],
  why_did_this_payment_fail: [
    "Why did this payment fail?",
    "payment",
    "its checkout request id, reference or phone",
    (
      payment = "that failed last",
    ) => `Why did the payment ${payment} end as it did? Without a checkout request id (ws_CO_…), find it
with list_payments. Then call explain_payment. Say how it ended, who decided that, whether the client handled it rightly, and what to
change in the program or in its test.`,
  ],
  prove_that_this_client_is_right: [
    "Prove that this client is right",
    "command",
    "the command that runs the tests",
    (command = "npm test") => `Prove that the payment client of this program is right. Read momo://docs/audit.md. Run
    momo exec --audit=warning -- ${command}
It runs the command with a private sandbox, and ends with 7 if the client makes a mistake. Mend each finding in the program, not in the
audit, and run it again until it ends with 0. Show the last summary line as the proof.`,
  ],
};

export function addPrompts(server: McpServer): void {
  for (const [prompt, [description, name, meaning, task]] of Object.entries(PROMPTS)) {
    const argsSchema = z.object({ [name]: z.string().max(1000).describe(meaning).optional() });
    server.registerPrompt(prompt, { description, argsSchema }, (given) => ({
      messages: [{ role: "user", content: { type: "text", text: task(given[name]) } }],
    }));
  }
}
