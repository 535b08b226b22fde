import { type Profile, profileSchema } from "../../src/http/profile.ts";
import { parsePlaced } from "../control/input.ts";

/** Profiles of services: their files, and those that come with momo. */

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
