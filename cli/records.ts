import { z } from "zod";
import { type DataDirectory, damaged, readJsonFile, writePrivateFile } from "./data-directory.ts";

/** The two records beside the database that let commands find a server without flags. */

const credentialsSchema = z.object({
  merchant_id: z.int().min(1),
  payment_account_id: z.int().min(1),
  api_key: z.string().regex(/^mk_[0-9a-z]{1,100}$/),
  api_secret: z.string().regex(/^ms_[0-9a-z]{1,100}$/),
});

const serverSchema = z.object({
  pid: z.int().min(1),
  base_url: z.url(),
  control_url: z.url(),
  control_token: z.string().max(200).nullable(),
});

/** The first merchant's key, so that `momo pay` works at once. */
export type CredentialsRecord = z.infer<typeof credentialsSchema>;

/** Where the running server is. */
export type ServerRecord = z.infer<typeof serverSchema>;

export const readCredentials = ({ credentials }: DataDirectory) => read(credentials, credentialsSchema);
export const readServer = ({ server }: DataDirectory) => read(server, serverSchema);

export function writeCredentials({ credentials }: DataDirectory, record: CredentialsRecord): void {
  writePrivateFile(credentials, `${JSON.stringify(record, null, 2)}\n`);
}

export function writeServer({ server }: DataDirectory, record: ServerRecord): void {
  writePrivateFile(server, `${JSON.stringify(record, null, 2)}\n`);
}

/** Null where there is no such file. A file that holds something else is refused, never guessed at. */
function read<T>(file: string, schema: z.ZodType<T>): T | null {
  const content = readJsonFile(file);
  if (content === null) return null;
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw damaged(file);
  return parsed.data;
}
