/** Where the newest release can be downloaded, by `repository` of a package.json; null where it has none. */
export function releasesOf(manifest: object): string | null {
  const repository = "repository" in manifest ? manifest.repository : undefined;
  const url =
    typeof repository === "object" && repository !== null && "url" in repository ? repository.url : repository;
  if (typeof url !== "string") return null;
  return `${url.replace(/^git\+/, "").replace(/\.git$/, "")}/releases/latest/download`;
}
