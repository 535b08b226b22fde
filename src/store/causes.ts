/** Why a file cannot be used, and what helps: the one table for the codes of the system and of SQLite. */
export interface Cause {
  /** The row of the table, such as `ENOSPC`. */
  readonly name: string;
  /** Such as `the disk is full (ENOSPC)`. It fits behind a path and a colon. */
  readonly reason: string;
  /** What helps, besides another place. */
  readonly remedy: string;
}

const LOCAL_DISK = "use a folder on a local disk";

/** SQLite would write the log of the damaged database into the copy. */
const PUT_A_COPY = "stop momo, remove the -wal and -shm files beside the database, and put a copy in its place";

const CAUSES: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "free some space on that disk"],
  EDQUOT: ["the disk quota is used up", "remove other files of this user, or raise the quota"],
  EFBIG: ["it would be larger than this process may write", "raise the limit with ulimit -f"],
  EROFS: ["the file system is read-only", "mount it for writing, or use another disk"],
  EACCES: ["this user has no right to it", "give this user the right (chmod, chown)"],
  EPERM: ["the system does not permit it", "remove its protection (lsattr shows it), or make it yours with chown"],
  MODES: ["the file system keeps no file modes, so others could read it", "mount it with this user as the owner"],
  ENOLCK: ["the file system has no file locks", `${LOCAL_DISK}, or mount it with locks (NFS: without nolock)`],
  FSYNC: ["the file system cannot flush data to the disk", LOCAL_DISK],
  ENOTSUP: ["the file system cannot do that", LOCAL_DISK],
  ENOTDIR: ["a part of its path is not a folder", "correct the path"],
  EISDIR: ["it is a folder", "name a file"],
  EEXIST: ["something else is there", "remove that"],
  ENOENT: ["there is no such file or folder", "correct the path"],
  ELOOP: ["its links lead in a circle", "correct the links"],
  ENAMETOOLONG: ["the name is too long", "shorten it"],
  EMFILE: ["this process has too many open files", "raise the limit with ulimit -n"],
  ENFILE: ["this machine has too many open files", "close other programs, or raise fs.file-max"],
  ENOMEM: ["this machine has too little memory", "close other programs"],
  EBUSY: ["it is a mount by itself, or in use", "mount the folder that it is in instead"],
  EIO: ["the disk fails", "check that disk"],
  ESTALE: ["the network file system has lost it", "mount that file system again"],
  ENOTCONN: ["its file system is not connected", "mount that file system again"],
  LOCKED: ["another program has locked the database", "end that program"],
  CANTOPEN: ["it, or a file beside it, cannot be opened", "look at those files"],
  DAMAGED: ["the database is damaged", PUT_A_COPY],
};

/** By the beginning of SQLite's code, because extended codes begin with that of their kind. The first that fits counts. */
const OF_SQLITE: readonly (readonly [code: string, cause: string])[] = [
  ["FULL", "ENOSPC"],
  ["BUSY", "LOCKED"],
  ["LOCKED", "LOCKED"],
  ["PROTOCOL", "ENOLCK"],
  ["NOLFS", "EFBIG"],
  ["IOERR_FSYNC", "FSYNC"],
  ["IOERR_DIR_FSYNC", "FSYNC"],
  ["IOERR_NOMEM", "ENOMEM"],
  ["IOERR_CORRUPTFS", "EIO"],
  ["IOERR_SHORT_READ", "DAMAGED"],
  ["IOERR", "EIO"],
  ["READONLY", "EACCES"],
  ["PERM", "EACCES"],
  ["AUTH", "EACCES"],
  ["CANTOPEN", "CANTOPEN"],
  ["CORRUPT", "DAMAGED"],
  ["NOTADB", "DAMAGED"],
];

/** SQLite reports these for many causes; only an attempt to write beside the file tells which. */
const IS_VAGUE = /^SQLITE_(?:IOERR|READONLY|PERM|AUTH|CANTOPEN|BUSY|PROTOCOL)/;

/**
 * The cause of an error of the file system or of SQLite; null for every other error.
 * @param attempt finds the system's error behind a vague code of SQLite, by an attempt to use files in the same folder
 */
export function causeOf(error: unknown, attempt: () => unknown = () => null): Cause | null {
  const code = codeOf(error);
  const found = IS_VAGUE.test(code) ? attempt() : null;
  const name = nameOf(found) ?? nameOf(error);
  const [reason, remedy] = CAUSES[name ?? ""] ?? [];
  if (name === undefined || reason === undefined || remedy === undefined) return null;
  const codes = [...new Set([code, codeOf(found)])].filter((each) => each !== "").join(", ");
  return { name, reason: `${reason} (${codes})`, remedy };
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

function nameOf(error: unknown): string | undefined {
  const code = codeOf(error);
  const { syscall } = (error ?? {}) as { syscall?: unknown };
  if (/^(?:EPERM|EOPNOTSUPP|ENOTSUP|ENOSYS)$/.test(code) && /chmod/.test(String(syscall))) return "MODES";
  if (/^(?:EINVAL|EIO|EOPNOTSUPP|ENOTSUP|ENOSYS)$/.test(code) && /sync/.test(String(syscall))) return "FSYNC";
  if (code === "EOPNOTSUPP" || code === "ENOSYS") return "ENOTSUP";
  if (code === "ERR_FS_EISDIR") return "EISDIR";
  if (/^E[A-Z]+$/.test(code)) return Object.hasOwn(CAUSES, code) ? code : undefined;
  return OF_SQLITE.find(([beginning]) => code.startsWith(`SQLITE_${beginning}`))?.[1];
}

/** What helps, as one line: against the cause, or by another place. */
export const helpFor = (cause: { readonly remedy: string | null } | null, elsewhere: string): string =>
  cause?.remedy ? `${cause.remedy}, or ${elsewhere}` : elsewhere;
