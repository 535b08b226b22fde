import { failWith, respond } from "../../src/http/reply.ts";
import { createCallTable, wholeCalls } from "./call-table.ts";
import type { RegistryContext } from "./context.ts";
import { REGISTRY_AREA } from "./rows/registry.ts";

const TABLE = createCallTable(await wholeCalls(REGISTRY_AREA));

/** Answers a call about merchants, accounts and keys without a server, also with a refusal. Other errors are thrown. */
export async function answerAlone(request: Request, context: RegistryContext): Promise<Response> {
  const found = TABLE.find(request);
  if (!("carryOut" in found)) return respond(found);
  try {
    const answer = await found.carryOut(context, () => {});
    return answer instanceof Response ? answer : respond(answer);
  } catch (error) {
    return respond(
      failWith(error, (bug) => {
        throw bug;
      }),
    );
  }
}
