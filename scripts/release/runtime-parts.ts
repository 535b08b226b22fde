/** A library inside Bun, the runtime in the executable. */
export interface RuntimePart {
  readonly name: string;
  /** A repository on GitHub as OWNER/NAME, or another address. */
  readonly source: string;
  /** An SPDX expression. */
  readonly license: string;
  readonly copyright: string;
  /** Its key in `process.versions` of Bun, if it has one. */
  readonly key?: string;
}

const part = (name: string, source: string, license: string, copyright: string, key?: string): RuntimePart => ({
  ...{ name, source, license, copyright },
  ...(key !== undefined && { key }),
});

const NODE = "Joyent, Inc. and other Node contributors";
const polyfill = (name: string, copyright = NODE) => part(name, `https://npmjs.com/package/${name}`, "MIT", copyright);

/**
 * What Bun links and embeds, by its LICENSE.md and its `process.versions`; a test compares the latter. Some parts are only in the
 * executable of one system, such as libuv on Windows.
 */
export const RUNTIME_PARTS: readonly RuntimePart[] = [
  part(
    "WebKit (JavaScriptCore)",
    "oven-sh/WebKit",
    "LGPL-2.1-or-later AND BSD-2-Clause",
    "Apple Inc. and others",
    "webkit",
  ),
  part(
    "BoringSSL",
    "google/boringssl",
    "Apache-2.0 AND ISC AND MIT",
    "The OpenSSL Project Authors, Google Inc.",
    "boringssl",
  ),
  part("brotli", "google/brotli", "MIT", "2013-2015 the Brotli Authors"),
  part(
    "c-ares",
    "c-ares/c-ares",
    "MIT",
    "1998 Massachusetts Institute of Technology; 2007-2023 Daniel Stenberg",
    "ares",
  ),
  part("esbuild (ported)", "evanw/esbuild", "MIT", "2020 Evan Wallace"),
  part(
    "HdrHistogram_c",
    "HdrHistogram/HdrHistogram_c",
    "BSD-2-Clause",
    "2012-2014 Gil Tene; 2014 Michael Barker; 2014 Matt Warren; 2015 Philip Orwig",
  ),
  part("highway", "google/highway", "Apache-2.0", "2019 Google LLC"),
  part(
    "ICU",
    "unicode-org/icu",
    "Unicode-3.0",
    "2016-2025 Unicode, Inc.; 1995-2016 International Business Machines Corporation and others",
    "icu",
  ),
  part(
    "libarchive",
    "libarchive/libarchive",
    "BSD-2-Clause AND BSD-3-Clause",
    "2003-2009 Tim Kientzle and others; The Regents of the University of California",
    "libarchive",
  ),
  part(
    "libbase64",
    "aklomp/base64",
    "BSD-2-Clause",
    "2005-2007 Nick Galbreath; 2015-2017 Wojciech Mula; 2016-2017 Matthieu Darbois; 2013-2022 Alfred Klomp",
  ),
  part("libdeflate", "ebiggers/libdeflate", "MIT", "2016 Eric Biggers; 2024 Google LLC", "libdeflate"),
  part(
    "libjpeg-turbo",
    "libjpeg-turbo/libjpeg-turbo",
    "IJG AND BSD-3-Clause AND Zlib",
    "1991-2020 Thomas G. Lane, Guido Vollbeding; 2009-2024 D. R. Commander and others. This software is based in part on the work of the Independent JPEG Group",
  ),
  part("libspng", "randy408/libspng", "BSD-2-Clause", "2018-2021 Randy <randy408@protonmail.com>"),
  part("libuv", "libuv/libuv", "MIT", `2015-present libuv project contributors; ${NODE}`, "uv"),
  part("libwebp", "webmproject/libwebp", "BSD-3-Clause", "2010 Google Inc."),
  part("llhttp", "nodejs/llhttp", "MIT", "2018 Fedor Indutny", "llhttp"),
  part("LLVM libc++abi", "llvm/llvm-project", "Apache-2.0 WITH LLVM-exception", "the LLVM Project's contributors"),
  part("lol-html", "cloudflare/lol-html", "BSD-3-Clause", "2019 Cloudflare, Inc.; 2019 Ivan Nikulin", "lolhtml"),
  part("ls-hpack", "litespeedtech/ls-hpack", "MIT", "2018 LiteSpeed Technologies Inc", "lshpack"),
  part("ls-qpack", "litespeedtech/ls-qpack", "MIT", "2018-2021 LiteSpeed Technologies Inc"),
  part(
    "lsquic",
    "litespeedtech/lsquic",
    "MIT AND BSD-3-Clause",
    "2017-2018 LiteSpeed Technologies Inc; 2015 The Chromium Authors",
  ),
  part("mimalloc", "microsoft/mimalloc", "MIT", "2018-2025 Microsoft Corporation, Daan Leijen", "mimalloc"),
  part("Node.js (tests and modules, ported)", "nodejs/node", "MIT", NODE),
  part(
    "picohttpparser",
    "h2o/picohttpparser",
    "MIT",
    "2009-2014 Kazuho Oku, Tokuhiro Matsuno, Daisuke Murase",
    "picohttpparser",
  ),
  part("simdutf", "simdutf/simdutf", "Apache-2.0", "2021 The simdutf authors"),
  part("SQLite", "https://sqlite.org", "blessing", "none: it is in the public domain", "sqlite"),
  part("TigerBeetle (its IO)", "tigerbeetle/tigerbeetle", "Apache-2.0", "TigerBeetle, Inc."),
  part(
    "TinyCC",
    "https://repo.or.cz/tinycc.git",
    "LGPL-2.1-or-later",
    "2001-2004 Fabrice Bellard and others",
    "tinycc",
  ),
  part("TypeScript", "microsoft/TypeScript", "Apache-2.0", "Microsoft Corporation", "typescript"),
  part("uSockets", "uNetworking/uSockets", "Apache-2.0", "Alex Hultman and contributors", "usockets"),
  part("uucode", "jacobsandlund/uucode", "MIT", "Jacob Sandlund"),
  part("uWebSockets", "uNetworking/uWebSockets", "Apache-2.0", "Alex Hultman and contributors", "uwebsockets"),
  part("Zig's standard library", "https://ziglang.org", "MIT", "Zig contributors", "zig"),
  part("zlib-ng", "zlib-ng/zlib-ng", "Zlib", "1995-2025 Jean-loup Gailly and Mark Adler", "zlib"),
  part("zstd", "facebook/zstd", "BSD-3-Clause", "2016-2022 Meta Platforms, Inc. and affiliates", "zstd"),
  polyfill("acorn", "2012-2022 various contributors"),
  polyfill("acorn-walk", "2012-2020 various contributors"),
  polyfill("assert"),
  polyfill("browserify-zlib", `2014-2015 Devon Govett; ${NODE}`),
  polyfill("buffer", "Feross Aboukhadijeh, and other contributors"),
  polyfill("constants-browserify", "Julian Gruber"),
  polyfill("crypto-browserify", "2013 Dominic Tarr"),
  polyfill("domain-browser", "Benjamin Lupton"),
  polyfill("events"),
  polyfill("https-browserify", "James Halliday"),
  polyfill("os-browserify", "2017 CoderPuppy"),
  polyfill("path-browserify", "2013 James Halliday"),
  polyfill("process", "2013 Roman Shtylman"),
  polyfill("punycode", "Mathias Bynens"),
  polyfill("querystring-es3", "2012 Irakli Gozalishvili"),
  polyfill("stream-browserify", "James Halliday"),
  polyfill("stream-http", "2015 John Hiesey"),
  polyfill("string_decoder"),
  polyfill("timers-browserify", `2012 J. Ryan Stinnett; ${NODE}`),
  polyfill("tty-browserify", "James Halliday"),
  polyfill("url"),
  polyfill("util"),
  polyfill("vm-browserify", "James Halliday"),
];
