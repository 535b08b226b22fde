/** The network's limit for one transaction: KES 250,000. */
export const NETWORK_LIMIT_CENTS = 250_000_00;
