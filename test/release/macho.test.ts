import { describe, expect, test } from "bun:test";
import { checkSignature, signAdHoc } from "../../scripts/release/macho.ts";

const HEADER_BYTES = 32;
const SEGMENT_BYTES = 72;
const CODE_BYTES = 3 * 4096 + 100;

/** The smallest file that has all that the signer reads, with different bytes in four pages, the last one cut short. */
function syntheticMachO(): Buffer {
  const file = Buffer.alloc(CODE_BYTES + 64);
  for (let at = 4096; at < CODE_BYTES; at += 1) file[at] = (at * 31) & 0xff;
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(3, 16);
  const segment = (at: number, name: string, offset: number, size: number) => {
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(SEGMENT_BYTES, at + 4);
    file.write(name, at + 8, "latin1");
    file.writeBigUInt64LE(BigInt(offset), at + 40);
    file.writeBigUInt64LE(BigInt(size), at + 48);
  };
  segment(HEADER_BYTES, "__TEXT", 0, 8192);
  segment(HEADER_BYTES + SEGMENT_BYTES, "__LINKEDIT", 8192, CODE_BYTES + 64 - 8192);
  const signature = HEADER_BYTES + 2 * SEGMENT_BYTES;
  file.writeUInt32LE(0x1d, signature);
  file.writeUInt32LE(16, signature + 4);
  file.writeUInt32LE(CODE_BYTES, signature + 8);
  file.writeUInt32LE(64, signature + 12);
  return file;
}

describe("the signature of a Mac's executable", () => {
  test("fits the file that was signed: every page, up to the signature itself", () => {
    expect(checkSignature(signAdHoc(syntheticMachO(), "momo"))).toBe(4);
  });

  test("is the same for the same file, and can be made again over itself", () => {
    const signed = signAdHoc(syntheticMachO(), "momo");
    expect(signed.includes("momo\0")).toBe(true); // no hash is written over the end of the name
    expect(signAdHoc(syntheticMachO(), "momo")).toEqual(signed);
    expect(signAdHoc(signed, "momo")).toEqual(signed);
  });

  test.each([4096, 2 * 4096 + 7, CODE_BYTES - 1])("does not fit when the byte at %d is another one", (at) => {
    const signed = signAdHoc(syntheticMachO(), "momo");
    signed[at] = (signed[at] ?? 0) ^ 1;
    expect(() => checkSignature(signed)).toThrow("1 of 4 pages of the signature are wrong");
  });

  test("does not fit when the end of the code is not signed", () => {
    const signed = signAdHoc(syntheticMachO(), "momo");
    const directory = CODE_BYTES + 20;
    signed.writeUInt32BE(3, directory + 28);
    signed.writeUInt32BE(3 * 4096, directory + 32);
    expect(() => checkSignature(signed)).toThrow("the signature leaves out 100 bytes");
  });

  test("is required: a file without one is refused, and so is a file of another kind", () => {
    expect(() => checkSignature(syntheticMachO())).toThrow("the file is not signed");
    expect(() => checkSignature(Buffer.alloc(64))).toThrow("not a 64-bit Mach-O file");
  });
});
