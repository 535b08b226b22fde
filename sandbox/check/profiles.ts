import { parseInput } from "../../src/http/parse-input.ts";
import { type Profile, profileSchema } from "../../src/http/profile.ts";

/**
 * Checks the content of a profile's file.
 * @param text the whole file
 * @throws Refusal `invalid` that names the place of each error
 */
export const parseProfile = (content: unknown, text: string | null = null): Profile =>
  parseInput(profileSchema, content, text);
