import { delay } from "./delay.ts";
import { disconnect } from "./disconnect.ts";
import { error } from "./error.ts";
import type { AnyFaultKind, Field } from "./kind.ts";
import { rate } from "./rate.ts";

/** The kinds of faults, by their names. */
export const FAULTS = { error, delay, disconnect, rate };

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

export const kindOf = ({ kind }: { readonly kind: FaultName }): AnyFaultKind => FAULTS[kind];

/** The fields of the page's form for a fault of this kind, by the names of its members. */
export const fieldsOf = (kind: FaultName) => (kindOf({ kind }).fields ?? {}) as Readonly<Record<string, Field>>;

/** What a fault does, in a few words. */
export const describeFault = (fault: { readonly kind: FaultName }): string => kindOf(fault).inWords(fault);
