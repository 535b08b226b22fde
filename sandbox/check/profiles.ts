import { type Profile, profileSchema } from "../../src/http/profile.ts";
import { parsePlaced } from "../control/input.ts";

/**
 * Checks the content of a profile's file.
 * @throws Refusal `invalid` that names the place of each error
 */
export const parseProfile = (content: unknown): Profile => parsePlaced(profileSchema, content, "");
