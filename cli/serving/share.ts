import type { SteeringPart } from "../../sandbox/control/shapes/requests.ts";
import type { FaultState } from "../../sandbox/faults.ts";
import type { Choice } from "../../sandbox/network/choice.ts";
import type { ClockState } from "../../sandbox/network/clock.ts";
import type { Rule } from "../../sandbox/network/rules.ts";
import { SharedSteering, type SteeringTable } from "../../sandbox/shared-steering.ts";
import type { SteeredPart } from "../../sandbox/steering.ts";
import type { WebhookSettings } from "../../sandbox/webhooks/settings.ts";
import { fail, respond } from "../../src/http/reply.ts";
import type * as engine from "./engine.ts";

/** Applies the settings that all servers on the database share. */
export function shareSteering(
  table: SteeringTable,
  { steered, eventHub, realClock, stopwatch }: engine.SteeredParts,
): SharedSteering {
  return new SharedSteering({
    table,
    parts: partsOf(steered),
    lasting: "clock" satisfies SteeringPart,
    realClock,
    stopwatch,
    onChange: (names) => {
      for (const name of names) eventHub.steered(name as SteeringPart);
    },
  });
}

/** The parts have the names of their events. */
function partsOf({ rules, default: byDefault, faults, clock, webhooks, ownMemory }: engine.Steered): SteeredPart[] {
  const part = <T>(name: SteeringPart, save: () => T, load: (saved: T) => void): SteeredPart => ({
    name,
    save,
    load: (saved) => load(saved as T),
  });
  return [
    part<readonly Rule[]>("rules", rules.list, rules.replace),
    part<Choice>(
      "default",
      () => byDefault.choice,
      (choice) => byDefault.replace(choice),
    ),
    part<FaultState>("faults", faults.state, faults.resume),
    part<ClockState>("clock", clock.state, clock.go),
    part<WebhookSettings | null>(
      "webhook",
      () => webhooks.settings,
      (settings) => webhooks.replace(settings),
    ),
    part<number>(
      "reset",
      () => ownMemory.resets,
      (resets) => ownMemory.forget(resets),
    ),
  ];
}

/** Reads the settings again before an answer, if those of this server can be out of date. */
export const whenFresh: engine.Shared["whenFresh"] = (handler, steering, reportFault) => {
  return async (request, keepOpen) => {
    if (!steering.isFresh) {
      try {
        await steering.refresh();
      } catch (error) {
        reportFault(error);
        return respond(fail(503, "the database cannot be reached: send the request again later"));
      }
    }
    return handler(request, keepOpen);
  };
};
