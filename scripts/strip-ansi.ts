/** Stands for `node:util` in commander, when the executable is built (build.ts). */
export const stripVTControlCharacters = Bun.stripANSI;
