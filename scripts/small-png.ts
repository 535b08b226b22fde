import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Reduces a picture of a page to 256 colours, so that the README loads fast. */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS = 256;

/** @param png eight bits of red, green and blue without transparency, as Chromium's screenshots have */
export function smallPng(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const header = chunks.find(({ type }) => type === "IHDR")?.data;
  if (header?.[8] !== 8 || header[9] !== 2) throw new Error("this is no PNG of eight-bit RGB");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const packed = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)));
  const pixels = unfiltered(packed, width, height);
  const { palette, nearest } = paletteOf(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + x + 1] = nearest(pixels, (y * width + x) * 3);
  }
  const indexed = Buffer.from(header);
  indexed[9] = 3;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", indexed),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The pixels themselves: a PNG stores most rows as differences from their neighbours. */
function unfiltered(packed: Buffer, width: number, height: number): Buffer {
  const stride = width * 3;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = packed[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x >= 3 ? (pixels[at - 3] ?? 0) : 0;
      const above = y > 0 ? (pixels[at - stride] ?? 0) : 0;
      const corner = x >= 3 && y > 0 ? (pixels[at - stride - 3] ?? 0) : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter ?? 0] ?? 0;
      pixels[at] = (packed[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return pixels;
}

function paeth(left: number, above: number, corner: number): number {
  const estimate = left + above - corner;
  const toLeft = Math.abs(estimate - left);
  const toAbove = Math.abs(estimate - above);
  const toCorner = Math.abs(estimate - corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** The most frequent colours, with similar colours as one, and the index of the nearest one for each pixel. */
function paletteOf(pixels: Buffer) {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const colour = pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const chosen: number[] = [];
  const seen = new Set<number>();
  for (const [colour] of [...counts].sort((a, b) => b[1] - a[1])) {
    const alike = colour & 0xf8f8f8;
    if (seen.has(alike)) continue;
    seen.add(alike);
    if (chosen.push(colour) === COLOURS) break;
  }
  const palette = Buffer.alloc(chosen.length * 3);
  chosen.forEach((colour, index) => {
    palette.writeUIntBE(colour, index * 3, 3);
  });
  const known = new Map<number, number>();
  return {
    palette,
    nearest(from: Buffer, at: number): number {
      const colour = from.readUIntBE(at, 3);
      const place = known.get(colour) ?? nearestOf(colour, chosen);
      known.set(colour, place);
      return place;
    },
  };
}

function nearestOf(colour: number, chosen: readonly number[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  chosen.forEach((candidate, index) => {
    const distance = [16, 8, 0].reduce(
      (sum, shift) => sum + (((candidate >> shift) & 0xff) - ((colour >> shift) & 0xff)) ** 2,
      0,
    );
    if (distance < least) [best, least] = [index, distance];
  });
  return best;
}
