import type { DataDirectory } from "../files/data-directory.ts";
import type { CredentialsRecord } from "../files/server-record.ts";
import { explainTemporary, makeTemporaryDirectory, removeTemporaryLeftovers } from "../files/temporary-directory.ts";
import type { Io } from "../io.ts";
import { thisMachine } from "../serving/engine.ts";
import { type RunningSandbox, runSandbox, type SandboxConfig } from "../serving/run-sandbox.ts";
import type { SandboxChoices } from "../serving/sandbox-flags.ts";
import { serverAt } from "./server.ts";
import type { ControlTarget, Target } from "./target.ts";

interface PrivateConfig
  extends SandboxChoices,
    Pick<SandboxConfig, "accountId" | "opensAccounts" | "acceptsFinding" | "onRequest"> {}

export interface PrivateSandbox extends RunningSandbox {
  readonly directory: DataDirectory;
  readonly credentials: CredentialsRecord;
  /** Where it is, for its clients. */
  readonly target: Target & ControlTarget;
}

/** Starts a sandbox for one program: on any free port of this machine, in a temporary folder that its stop removes. */
export async function startPrivateSandbox(io: Io, config: PrivateConfig): Promise<PrivateSandbox> {
  io.hideFiles(); // our files are private
  removeTemporaryLeftovers();
  const { directory, remove } = makeTemporaryDirectory();
  try {
    const sandbox = await runSandbox({
      ...config,
      directory,
      isTemporary: true,
      host: "127.0.0.1",
      port: 0,
      controlPort: null,
      controlToken: null,
      ...thisMachine(io),
    });
    const { baseUrl, controlUrl, credentials } = sandbox;
    if (!credentials) throw new Error("a private sandbox has a key");
    const { api_key: apiKey, api_secret: apiSecret, payment_account_id: paymentAccountId } = credentials;
    return {
      ...sandbox,
      directory,
      credentials,
      target: {
        baseUrl,
        apiKey,
        apiSecret,
        paymentAccountId,
        controlUrl,
        controlToken: null,
        server: serverAt(baseUrl, io.send),
      },
      stop: () => sandbox.stop().finally(remove),
    };
  } catch (error) {
    remove();
    throw explainTemporary(directory, error);
  }
}
