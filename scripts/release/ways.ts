import { join } from "node:path";

/** A way to get momo from an npm registry: the commands of a package manager, and the command that starts momo. */
export interface Way {
  /** The package manager with its version. */
  readonly name: string;
  /** The command as people type it. */
  readonly typed: string;
  /** The same as words; empty if starting also installs, as with npx. */
  readonly install: readonly string[];
  /** The words that start momo in the folder of the project. */
  readonly momo: readonly string[];
  /** The words that run a file with the test helper; null if the project has none. */
  readonly runs: readonly string[] | null;
  readonly env?: Readonly<Record<string, string>>;
  /** Files that must exist before the installation. */
  readonly files?: Readonly<Record<string, string>>;
}

const PACKAGE = "momo-sandbox";
const LOCAL = ["node_modules/.bin/momo"];

/** @param clients the folder with the package managers @param url of the registry */
export function waysOf(clients: string, url: string): Way[] {
  const modules = join(clients, "node_modules");
  const node = "node";
  const node22 = join(modules, "node-22/bin/node");
  const bun = process.execPath;
  const npm10 = [node, join(modules, "npm-10/bin/npm-cli.js")];
  const local = { momo: LOCAL, runs: [node] };
  const typed = `npm install --save-dev ${PACKAGE}`;
  const save = ["install", "--save-dev", PACKAGE];
  return [
    { ...local, name: "npm", typed, install: ["npm", ...save] },
    { ...local, name: "npm 10", typed, install: [...npm10, ...save] },
    { ...local, name: "npm", typed: `${typed} --ignore-scripts`, install: ["npm", ...save, "--ignore-scripts"] },
    {
      name: "npm",
      typed: `npm install --global ${PACKAGE}`,
      install: ["npm", "install", "--global", "--prefix", "global", PACKAGE],
      momo: ["global/bin/momo"],
      runs: null,
    },
    { name: "npx", typed: `npx ${PACKAGE}`, install: [], momo: ["npx", "--yes", PACKAGE], runs: null },
    {
      name: "Bun",
      typed: `bun add --dev ${PACKAGE}`,
      install: [bun, "add", "--dev", PACKAGE],
      momo: [bun, "--bun", "run", "momo"],
      runs: [bun],
    },
    { name: "bunx", typed: `bunx ${PACKAGE}`, install: [], momo: [bun, "x", "--bun", PACKAGE], runs: null },
    ...["pnpm-9", "pnpm-10"].map((name) => ({
      ...local,
      name: name.replace("-", " "),
      typed: `pnpm add --save-dev ${PACKAGE}`,
      install: [node, join(modules, name, "bin/pnpm.cjs"), "add", "--save-dev", PACKAGE],
    })),
    {
      name: "pnpm 11, Node 22",
      typed: `pnpm add --save-dev ${PACKAGE}`,
      install: [node22, join(modules, "pnpm-11/bin/pnpm.mjs"), "add", "--save-dev", PACKAGE],
      momo: [node22, "node_modules/momo-sandbox/bin/momo.cjs"],
      runs: [node22],
    },
    {
      ...local,
      name: "yarn 1",
      typed: `yarn add --dev ${PACKAGE}`,
      install: [node, join(modules, "yarn-1/bin/yarn.js"), "add", "--dev", PACKAGE],
    },
    yarn4([node, join(modules, "yarn-4/bin/yarn.js")], url),
  ];
}

/** Yarn without node_modules: packages stay in archives, except those that ask to be unpacked. */
function yarn4(yarn: readonly string[], url: string): Way {
  return {
    name: "yarn 4 (PnP)",
    typed: `yarn add --dev ${PACKAGE}`,
    install: [...yarn, "add", "--dev", PACKAGE],
    momo: [...yarn, "momo"],
    runs: [...yarn, "node"],
    env: {
      YARN_NPM_REGISTRY_SERVER: url,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      // Otherwise yarn refuses a version on its first day.
      YARN_NPM_MINIMAL_AGE_GATE: "0",
      YARN_ENABLE_TELEMETRY: "0",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
    },
    files: { "yarn.lock": "" },
  };
}
