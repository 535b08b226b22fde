/** The addresses of releases, by `repository` of a package.json; null if it has none. */

/** Where the newest release can be downloaded. */
export function releasesOf(manifest: object): string | null {
  const home = homeOf(manifest);
  return home && `${home}/releases/latest/download`;
}

/** Where a version can be downloaded. */
export function releaseOf(manifest: object, version: string): string | null {
  const home = homeOf(manifest);
  return home && `${home}/releases/download/v${version}`;
}

/** The page of the project. */
export function homeOf(manifest: object): string | null {
  const repository = "repository" in manifest ? manifest.repository : undefined;
  const url =
    typeof repository === "object" && repository !== null && "url" in repository ? repository.url : repository;
  if (typeof url !== "string") return null;
  return url.replace(/^git\+/, "").replace(/\.git$/, "");
}
