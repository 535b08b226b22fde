import manifest from "../../package.json" with { type: "json" };

/** Where releases are, by `repository` of package.json; a Homebrew formula and a Scoop manifest, from the checksums of a release. */

/** The page of the project; null while package.json has none. */
export function homeOf(content: object): string | null {
  const repository = "repository" in content ? content.repository : null;
  const url = repository instanceof Object && "url" in repository ? repository.url : repository;
  return typeof url === "string" ? url.replace(/^git\+/, "").replace(/\.git$/, "") : null;
}

/** Where a version, or the newest release, can be downloaded. */
export function releasesOf(content: object, version?: string): string | null {
  const home = homeOf(content);
  return home && `${home}/releases/${version === undefined ? "latest/download" : `download/v${version}`}`;
}

/** The checksums of files, by their names. */
export type Sums = ReadonlyMap<string, string>;

/** @throws Error that names the first wrong line */
export function parseSums(text: string): Sums {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [, sum = "", name] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`this is no line of SHA256SUMS: ${line}`);
      return [name, sum];
    }),
  );
}

/** @param sums by the name of the archive, as SHA256SUMS has them @param releases the address of the archives of this version */
export function homebrewFormula(version: string, releases: string, sums: Sums): string {
  const download = (target: string) =>
    `      url "${releases}/momo-${target}.tar.gz"\n      sha256 "${sumFor(sums, `momo-${target}.tar.gz`)}"`;
  const system = (name: string, prefix: string) =>
    `  on_${name} do\n    on_arm do\n${download(`${prefix}-arm64`)}\n    end\n    on_intel do\n${download(`${prefix}-x64`)}\n    end\n  end`;
  return `class Momo < Formula
  desc "${manifest.description}"
  version "${version}"
  license "${manifest.license}"

${system("macos", "darwin")}

${system("linux", "linux")}

  def install
    bin.install "momo"
    man1.install "momo.1"
    bash_completion.install "completions/momo.bash" => "momo"
    zsh_completion.install "completions/_momo"
    fish_completion.install "completions/momo.fish"
  end

  # Homebrew must not change the executable: its program is in a part of the file that tools remove.
  skip_clean "bin/momo"

  test do
    assert_match version.to_s, shell_output("#{bin}/momo --version")
  end
end
`;
}

export function scoopManifest(version: string, releases: string, sums: Sums) {
  const download = (cpu: "x64" | "arm64") => {
    const name = `momo-windows-${cpu}.zip`;
    return { url: `${releases}/${name}`, hash: sumFor(sums, name) };
  };
  return {
    version,
    description: manifest.description,
    license: manifest.license,
    architecture: { "64bit": download("x64"), arm64: download("arm64") },
    bin: "momo.exe",
  };
}

function sumFor(sums: Sums, name: string): string {
  const sum = sums.get(name);
  if (sum === undefined) throw new Error(`SHA256SUMS has no ${name}`);
  return sum;
}
