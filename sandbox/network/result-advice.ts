import type { ResultCode } from "../../src/domain/result-codes.ts";

/** What a result code means in plain words, and what a client should do about it. */
export const RESULT_ADVICE: Record<ResultCode, { readonly meaning: string; readonly advice: string }> = {
  0: {
    meaning: "The customer has paid.",
    advice: "Deliver, once: keep the receipt number, so that no payment is booked twice.",
  },
  1: {
    meaning: "The customer's balance is too low for the amount and its charges.",
    advice: "Say so, and offer to try again later or with another phone. Do not repeat it by yourself.",
  },
  3: {
    meaning: "The amount is above what the network carries in one transaction.",
    advice: "Do not repeat it: offer another way to pay, or smaller amounts.",
  },
  17: {
    meaning: "A rule of the network stopped it, most often the same amount to the same business again too soon.",
    advice: "Look whether the first payment went through; if not, wait some minutes before another prompt.",
  },
  1019: {
    meaning: "The prompt's time was over before an outcome was known.",
    advice: "Offer to send another prompt. Nothing was charged as far as is known.",
  },
  1025: {
    meaning: "The network could not send the prompt to the phone.",
    advice: "Try once more after some seconds; if it fails again, offer another way to pay.",
  },
  1032: {
    meaning: "The customer dismissed the prompt.",
    advice: "Take it as a no: keep the order open, and send another prompt only when the customer asks for it.",
  },
  1037: {
    meaning: "The phone did not answer: it is off, out of reach, busy with another prompt, or its SIM is too old.",
    advice: "Ask the customer to look at the phone, and then try again.",
  },
  2001: {
    meaning: "The customer entered a wrong PIN.",
    advice: "Let the customer try again; several wrong PINs in a row lock it.",
  },
  8006: {
    meaning: "The customer's PIN is locked after too many wrong ones.",
    advice: "Do not repeat it: the customer has to have the PIN unlocked by the network first.",
  },
};
