/** What a client and its history know of each other. */

/** What a client needs of its history. */
export interface World {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly paymentAccountId: number;
  /** Orders outlive the process of the client: in a new folder, or in memory. */
  readonly folder: string;
  readonly kept: Map<string, string>;
  /** Which of `count` languages makes the next call. */
  draw(count: number): number;
  /** The clock of the client's machine, which can jump. */
  nowMs(): number;
  isDiskFull(): boolean;
  /** A process can stand still between the store of an order and its push, while others go on. */
  standStill(before: "look" | "push"): Promise<void>;
  /** Cleans up after the history. */
  atEnd(clean: () => void): void;
  after(ms: number, happen: () => void): void;
  /** Sends a request to the service; rejects if the connection is lost or the client's time is over. */
  send(path: string, init: RequestInit): Promise<Response>;
}

/** An order as the client shows it. */
export interface SaidOrder {
  readonly reference: string;
  readonly status: string;
  readonly checkout_request_id: string | null;
  readonly receipt: string | null;
  readonly result_code: number | null;
  readonly may_have_paid?: true;
}

/** What a call of the client gave. */
export interface Said {
  readonly order?: SaidOrder;
  readonly orders?: readonly SaidOrder[];
  readonly error?: { readonly kind: string; readonly mayHavePaid: boolean };
}

/** A process with the client. */
export interface Client {
  /** Rejects after an error that is not the client's own. */
  call(name: "pay" | "start" | "ask" | "open", ...args: readonly unknown[]): Promise<Said>;
  /** Lets one thing that is due happen, and waits until the process waits again; false if nothing is due. */
  goOn(): Promise<boolean>;
  kill(): void;
}

export type StartClient = (world: World) => Client;
