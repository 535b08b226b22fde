import { createHash } from "node:crypto";

/**
 * Code signatures of 64-bit Mach-O files (macOS). The compiler signs files for arm64. A file for x64 keeps the signature of Bun's
 * runtime, which is wrong for the new file, so macOS would kill the process.
 */

const MAGIC_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const CODE_DIRECTORY_HEADER_BYTES = 88;
const SUPER_BLOB_HEADER_BYTES = 20;
const PAGE_BITS = 12;
const PAGE_BYTES = 2 ** PAGE_BITS;
const HASH_BYTES = 32;
const SHA256 = 2;
/** The flags of an ad-hoc signature by a linker. */
const AD_HOC_BY_LINKER = 0x20002;
const VERSION_WITH_EXEC_SEGMENT = 0x20400;
const MAIN_BINARY = 1;

/** The positions in the load commands of a file; offsets are those of the commands themselves. */
interface Layout {
  readonly signatureCommand: number;
  readonly linkEditCommand: number;
  readonly text: { readonly offset: number; readonly size: number };
}

function layoutOf(file: Buffer): Layout {
  if (file.readUInt32LE(0) !== MAGIC_64) throw new Error("not a 64-bit Mach-O file");
  let signatureCommand = 0;
  let linkEditCommand = 0;
  let text = { offset: 0, size: 0 };
  let at = HEADER_BYTES;
  for (let left = file.readUInt32LE(16); left > 0; left -= 1) {
    const command = file.readUInt32LE(at);
    if (command === LC_CODE_SIGNATURE) signatureCommand = at;
    if (command === LC_SEGMENT_64) {
      const name = file.toString("latin1", at + 8, at + 24).replace(/\0+$/, "");
      if (name === "__LINKEDIT") linkEditCommand = at;
      if (name === "__TEXT") {
        text = { offset: Number(file.readBigUInt64LE(at + 40)), size: Number(file.readBigUInt64LE(at + 48)) };
      }
    }
    at += file.readUInt32LE(at + 4);
  }
  if (signatureCommand === 0 || linkEditCommand === 0) throw new Error("the file has no place for a signature");
  return { signatureCommand, linkEditCommand, text };
}

/**
 * Replaces the signature of the file by an ad-hoc signature.
 * @param identifier the name of the program in the signature
 */
export function signAdHoc(original: Buffer, identifier: string): Buffer {
  const { signatureCommand, linkEditCommand, text } = layoutOf(original);
  const codeBytes = original.readUInt32LE(signatureCommand + 8);
  const pages = Math.ceil(codeBytes / PAGE_BYTES);
  const hashesAt = CODE_DIRECTORY_HEADER_BYTES + Buffer.byteLength(identifier) + 1;
  const directoryBytes = hashesAt + pages * HASH_BYTES;
  const signatureBytes = SUPER_BLOB_HEADER_BYTES + directoryBytes;

  const signed = Buffer.alloc(codeBytes + signatureBytes);
  original.copy(signed, 0, 0, codeBytes);
  signed.writeUInt32LE(signatureBytes, signatureCommand + 12);
  const linkEditOffset = Number(signed.readBigUInt64LE(linkEditCommand + 40));
  const linkEditBytes = codeBytes + signatureBytes - linkEditOffset;
  signed.writeBigUInt64LE(BigInt(Math.ceil(linkEditBytes / 0x4000) * 0x4000), linkEditCommand + 32);
  signed.writeBigUInt64LE(BigInt(linkEditBytes), linkEditCommand + 48);

  const blob = signed.subarray(codeBytes);
  writeBigEndian(blob, 0, [SUPER_BLOB, signatureBytes, 1, 0, SUPER_BLOB_HEADER_BYTES]);
  const directory = blob.subarray(SUPER_BLOB_HEADER_BYTES);
  writeBigEndian(directory, 0, [
    ...[CODE_DIRECTORY, directoryBytes, VERSION_WITH_EXEC_SEGMENT, AD_HOC_BY_LINKER],
    ...[hashesAt, CODE_DIRECTORY_HEADER_BYTES, 0, pages, codeBytes],
  ]);
  directory.set([HASH_BYTES, SHA256, 0, PAGE_BITS], 36);
  directory.writeBigUInt64BE(BigInt(text.offset), 64);
  directory.writeBigUInt64BE(BigInt(text.size), 72);
  directory.writeBigUInt64BE(BigInt(MAIN_BINARY), 80);
  directory.write(`${identifier}\0`, CODE_DIRECTORY_HEADER_BYTES);
  for (let page = 0; page < pages; page += 1) {
    hashOfPage(signed, page, codeBytes).copy(directory, hashesAt + page * HASH_BYTES);
  }
  return signed;
}

/**
 * Computes the hash of each page, and compares it with the one in the signature.
 * @returns the number of pages
 * @throws Error if macOS would not run the file
 */
export function checkSignature(file: Buffer): number {
  const { signatureCommand } = layoutOf(file);
  const signatureAt = file.readUInt32LE(signatureCommand + 8);
  const directory = codeDirectoryOf(file.subarray(signatureAt));
  const hashesAt = directory.readUInt32BE(16);
  const pages = directory.readUInt32BE(28);
  const codeBytes = directory.readUInt32BE(32);
  if (directory[36] !== HASH_BYTES || directory[37] !== SHA256) throw new Error("the signature has no SHA-256 hashes");
  const pageBytes = 2 ** (directory[39] ?? 0);
  let wrong = 0;
  for (let page = 0; page < pages; page += 1) {
    const expected = directory.subarray(hashesAt + page * HASH_BYTES, hashesAt + (page + 1) * HASH_BYTES);
    if (!hashOfPage(file, page, codeBytes, pageBytes).equals(expected)) wrong += 1;
  }
  if (wrong > 0) throw new Error(`${wrong} of ${pages} pages of the signature are wrong`);
  if (codeBytes !== signatureAt) throw new Error(`the signature leaves out ${signatureAt - codeBytes} bytes`);
  return pages;
}

function codeDirectoryOf(blob: Buffer): Buffer {
  if (blob.readUInt32BE(0) !== SUPER_BLOB) throw new Error("the file is not signed");
  for (let entry = 0; entry < blob.readUInt32BE(8); entry += 1) {
    const at = blob.readUInt32BE(12 + entry * 8 + 4);
    if (blob.readUInt32BE(at) === CODE_DIRECTORY) return blob.subarray(at, at + blob.readUInt32BE(at + 4));
  }
  throw new Error("the signature has no code directory");
}

function hashOfPage(file: Buffer, page: number, codeBytes: number, pageBytes = PAGE_BYTES): Buffer {
  const content = file.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, codeBytes));
  return createHash("sha256").update(content).digest();
}

function writeBigEndian(target: Buffer, at: number, values: readonly number[]): void {
  for (const [index, value] of values.entries()) target.writeUInt32BE(value, at + index * 4);
}
