import { expect } from "bun:test";
import type { Engine } from "../support/engines.ts";
import { type Description, type Operation, withoutNames } from "../support/openapi.ts";
import { openScene, type Scene, type SceneOptions } from "../support/scene.ts";

/** The OpenAPI description of the merchant API, as a client gets it. */

/** Asks without credentials. */
export const fetchDescription = ({ handle }: Scene, init: RequestInit = {}) =>
  handle(new Request("http://localhost/openapi.json", init));

export async function openDescription(options: SceneOptions = {}, engine?: Engine) {
  const scene = await openScene(options, engine);
  const response = await fetchDescription(scene);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toStartWith("application/json");
  const description = (await response.json()) as Description;
  return { scene, description, close: scene.close };
}

export function operationOf(description: Description, path: string): Operation {
  const [operation] = Object.values(withoutNames(description).paths[path] ?? {});
  if (!operation) throw new Error(`${path} is not described`);
  return operation;
}
