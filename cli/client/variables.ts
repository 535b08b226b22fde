import type { ControlTarget, Target } from "./target.ts";

/** The variables with which a program finds the sandbox and controls it. */
export function variablesOf(target: Target & ControlTarget): Record<string, string> {
  return {
    MOMO_BASE_URL: target.baseUrl,
    MOMO_API_KEY: target.apiKey,
    MOMO_API_SECRET: target.apiSecret,
    ...(target.paymentAccountId !== null && { MOMO_PAYMENT_ACCOUNT_ID: String(target.paymentAccountId) }),
    MOMO_CONTROL_URL: target.controlUrl,
    ...(target.controlToken !== null && { MOMO_CONTROL_TOKEN: target.controlToken }),
  };
}
