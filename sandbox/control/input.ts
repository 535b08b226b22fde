import { z } from "zod";
import { invalid, Refusal } from "../../src/domain/error.ts";
import { readJsonObject } from "../../src/http/request.ts";

/** Shapes that several calls take, and errors that say where in the input they are. */

/** Reads with a function of the domain; its refusal becomes the issue at this place. */
export function readWith<T>(base: z.ZodType<string>, read: (text: string) => T) {
  return base.transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });
}

/**
 * Holds a nested input against its schema.
 * @param root what the input is called, such as `rules`; empty for the members of a body
 * @throws Refusal `invalid` that names the place of each error, as in `rules[2].match.phone`
 */
export function parsePlaced<T extends z.ZodType>(schema: T, input: unknown, root: string): z.output<T> {
  const parsed = schema.safeParse(input, {
    error: (issue) => (issue.input === undefined ? "is missing" : undefined),
  });
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.map((issue) => `${placeOf(root, issue.path)}${issue.message}`).join("; "));
}

function placeOf(root: string, path: readonly PropertyKey[]): string {
  let place = root;
  for (const part of path) {
    place += typeof part === "number" ? `[${part}]` : `${place === "" ? "" : "."}${String(part)}`;
  }
  return place === "" ? "" : `${place}: `;
}

/** A call's body, held against its schema. */
export async function readBody<T extends z.ZodType>(schema: T, request: Request): Promise<z.output<T>> {
  return parsePlaced(schema, await readJsonObject(request), "");
}
