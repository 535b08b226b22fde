/** The document that all replicas apply, as text, and how often it has changed. */
export interface StoredDocument {
  readonly version: number;
  readonly document: string;
}

/** Where the replicas of a database keep one document, and which version each of them applies. */
export interface SharedDocument {
  read(): Promise<StoredDocument>;
  /** Runs `edit` on the latest document, with a lock, and stores the result as the next version. `edit` may run twice. */
  edit(edit: (current: StoredDocument) => string): Promise<StoredDocument>;
  /**
   * Registers this replica, with the document that `edit` returns. `isAlone`: there is no other living replica.
   * @throws an error if a replica with this name is still alive after its lease would have ended
   */
  join(leaseMs: number, edit: (current: StoredDocument, isAlone: boolean) => string): Promise<StoredDocument>;
  /** Renews the lease of this replica, and stores which version it applies. */
  confirm(version: number, leaseMs: number): Promise<void>;
  /** The names of the living replicas that apply an earlier version. */
  behind(version: number): Promise<string[]>;
  leave(): Promise<void>;
}
