import { resolve } from "node:path";

/** What a command uses of the process that it runs in. Tests run commands in their own process, each with a host of its own. */
export interface Host {
  /** All words of the command line. */
  readonly words: readonly string[];
  readonly environment: Record<string, string | undefined>;
  /** The variables that gave options their values, by the option, such as `--port`. */
  readonly givenByVariable: Map<string, string>;
  /** The port of a server that is given none, where commands look for one. */
  readonly usualPort: number;
  exitCode: number | undefined;
  /** The path of a file that the user names: absolute, or in the current folder. */
  resolvePath(path: string): string;
  /** Makes new files private: only their owner can read them. */
  hideFiles(): void;
  /** Takes the output and the steps at the end in place of the process, and is no terminal; null: the process does it itself. */
  readonly captured: {
    out(text: string): void;
    error(text: string): void;
    atTheEnd(step: () => void): void;
  } | null;
}

const ownProcess: Host = {
  get words() {
    return process.argv;
  },
  get environment() {
    return process.env;
  },
  givenByVariable: new Map(),
  usualPort: 2547,
  get exitCode() {
    return process.exitCode === undefined ? undefined : Number(process.exitCode);
  },
  set exitCode(code) {
    process.exitCode = code;
  },
  resolvePath: (path) => resolve(path),
  hideFiles: () => void process.umask(0o077),
  captured: null,
};

let find: () => Host | undefined = () => undefined;

export const host = (): Host => find() ?? ownProcess;

/** For tests. Where it finds none, the host is the process. */
export function findHostBy(finder: () => Host | undefined): void {
  find = finder;
}
