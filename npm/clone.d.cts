import type { ConnectSandbox, StartSandbox } from "./test-sandbox.ts";

export type * from "./records.ts";
export type * from "./test-sandbox.ts";
export declare const connectSandbox: ConnectSandbox;
export declare const startSandbox: StartSandbox;
