import { succeed } from "../../src/http/reply.ts";
import { outcomesView } from "../network/outcomes.ts";
import type { ControlCall } from "./context.ts";

export const outcomes: ControlCall = async () => succeed("the outcomes by name", { outcomes: outcomesView() });
