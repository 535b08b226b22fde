import { z } from "zod";
import { parseDuration } from "../../src/domain/duration.ts";
import { parseTariff } from "../../src/domain/money.ts";
import { RESPONSE_FORMS } from "../../src/http/answers.ts";
import { PHONE_STARTS, type Profile } from "../../src/http/profile.ts";
import { parsePlaced } from "../control/input.ts";

/** Profiles of services: their files, and those that come with momo. */

const text = (most: number) => z.string().min(1).max(most);

/** Text that a function of the domain can read, which is kept as it was written. */
const checked = (read: (value: string) => unknown) =>
  text(100).superRefine((value, context) => {
    try {
      read(value);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
    }
  });

const refusal = z.strictObject({ status: z.int().min(200).max(599), message: text(500) });

/** At most 7 parts, as `--base-path`, and outside the control API. */
const BASE_PATH = /^(?!\/_momo(?:\/|$))(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+){0,7}$/;

const areCodes = (results: object): boolean => {
  const codes = Object.keys(results);
  return codes.length <= 50 && codes.every((code) => /^[0-9]{1,6}$/.test(code));
};

const profileSchema = z.strictObject({
  name: text(100).optional(),
  source: text(1000).optional(),
  base_path: z
    .string()
    .max(100)
    .regex(BASE_PATH, "must be a path such as /v2 of at most 7 parts, outside /_momo")
    .optional(),
  accept: z.enum(["strict", "lenient"]).optional(),
  response_form: z.enum(RESPONSE_FORMS).optional(),
  array_name: z.enum(["transactions", "data"]).optional(),
  unknown_id: refusal.optional(),
  invalid_account: refusal.optional(),
  bad_filter: z.union([z.literal("ignored"), refusal], 'must be "ignored", or a status and a message').optional(),
  page_bounds: z.enum(["refused", "clamped"]).optional(),
  filter_case: z.enum(["any", "lower"]).optional(),
  phone: z.enum(PHONE_STARTS).optional(),
  timestamps: z.enum(["nairobi", "utc"]).optional(),
  fee: checked((value) => parseTariff(value, "it")).optional(),
  prompt_timeout: checked((value) => {
    if (parseDuration(value, "it") < 1000) throw new Error("must be 1s or more");
  }).optional(),
  results: z.record(z.string(), text(200)).refine(areCodes, "must have result codes as members, 50 at most").optional(),
});

/**
 * Checks the content of a profile's file.
 * @throws Refusal `invalid` that names the place of each error
 */
export const parseProfile = (content: unknown): Profile => parsePlaced(profileSchema, content, "");

/** What public clients of these services show; which of them does what is not known more exactly. */
const FIELD: Profile = {
  source:
    "From public client code of about 20 projects, 2026: the paths below /api/v2, account ids and amounts as text, and the two messages, which were seen without their HTTP status. Not measured at the service.",
  base_path: "/api/v2",
  accept: "lenient",
  unknown_id: { status: 404, message: "Transaction not found" },
  invalid_account: { status: 400, message: "Invalid payment account ID" },
};

/** The services of the field that come with momo, by their names. */
export const PROFILES: ReadonlyMap<string, Profile> = new Map(
  ["payflow", "spawiko", "shadowpay", "optimapay"].map((name) => [name, { name, ...FIELD }]),
);
