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

const NODE = "Joyent, Inc. and other Node contributors";

/**
 * What Bun links and embeds, by its LICENSE.md and its `process.versions`; a test compares the latter. Some parts are only in the
 * executable of one system, such as libuv on Windows. The columns are those of RuntimePart; an indented line continues the row.
 */
const LINKED = `
WebKit (JavaScriptCore) | oven-sh/WebKit | LGPL-2.1-or-later AND BSD-2-Clause | Apple Inc. and others | webkit
BoringSSL | google/boringssl | Apache-2.0 AND ISC AND MIT | The OpenSSL Project Authors, Google Inc. | boringssl
brotli | google/brotli | MIT | 2013-2015 the Brotli Authors
c-ares | c-ares/c-ares | MIT | 1998 Massachusetts Institute of Technology; 2007-2023 Daniel Stenberg | ares
esbuild (ported) | evanw/esbuild | MIT | 2020 Evan Wallace
HdrHistogram_c | HdrHistogram/HdrHistogram_c | BSD-2-Clause | 2012-2014 Gil Tene; 2014 Michael Barker;
  2014 Matt Warren; 2015 Philip Orwig
highway | google/highway | Apache-2.0 | 2019 Google LLC
ICU | unicode-org/icu | Unicode-3.0 | 2016-2025 Unicode, Inc.;
  1995-2016 International Business Machines Corporation and others | icu
libarchive | libarchive/libarchive | BSD-2-Clause AND BSD-3-Clause | 2003-2009 Tim Kientzle and others;
  The Regents of the University of California | libarchive
libbase64 | aklomp/base64 | BSD-2-Clause | 2005-2007 Nick Galbreath; 2015-2017 Wojciech Mula;
  2016-2017 Matthieu Darbois; 2013-2022 Alfred Klomp
libdeflate | ebiggers/libdeflate | MIT | 2016 Eric Biggers; 2024 Google LLC | libdeflate
libjpeg-turbo | libjpeg-turbo/libjpeg-turbo | IJG AND BSD-3-Clause AND Zlib | 1991-2020 Thomas G.
  Lane, Guido Vollbeding; 2009-2024 D. R. Commander and others. This software is based in part on the work of the
  Independent JPEG Group
libspng | randy408/libspng | BSD-2-Clause | 2018-2021 Randy <randy408@protonmail.com>
libuv | libuv/libuv | MIT | 2015-present libuv project contributors; NODE | uv
libwebp | webmproject/libwebp | BSD-3-Clause | 2010 Google Inc.
llhttp | nodejs/llhttp | MIT | 2018 Fedor Indutny | llhttp
LLVM libc++abi | llvm/llvm-project | Apache-2.0 WITH LLVM-exception | the LLVM Project's contributors
lol-html | cloudflare/lol-html | BSD-3-Clause | 2019 Cloudflare, Inc.; 2019 Ivan Nikulin | lolhtml
ls-hpack | litespeedtech/ls-hpack | MIT | 2018 LiteSpeed Technologies Inc | lshpack
ls-qpack | litespeedtech/ls-qpack | MIT | 2018-2021 LiteSpeed Technologies Inc
lsquic | litespeedtech/lsquic | MIT AND BSD-3-Clause | 2017-2018 LiteSpeed Technologies Inc; 2015 The Chromium Authors
mimalloc | microsoft/mimalloc | MIT | 2018-2025 Microsoft Corporation, Daan Leijen | mimalloc
Node.js (tests and modules, ported) | nodejs/node | MIT | NODE
picohttpparser | h2o/picohttpparser | MIT | 2009-2014 Kazuho Oku, Tokuhiro Matsuno, Daisuke Murase | picohttpparser
simdutf | simdutf/simdutf | Apache-2.0 | 2021 The simdutf authors
SQLite | https://sqlite.org | blessing | none: it is in the public domain | sqlite
TigerBeetle (its IO) | tigerbeetle/tigerbeetle | Apache-2.0 | TigerBeetle, Inc.
TinyCC | https://repo.or.cz/tinycc.git | LGPL-2.1-or-later | 2001-2004 Fabrice Bellard and others | tinycc
TypeScript | microsoft/TypeScript | Apache-2.0 | Microsoft Corporation | typescript
uSockets | uNetworking/uSockets | Apache-2.0 | Alex Hultman and contributors | usockets
uucode | jacobsandlund/uucode | MIT | Jacob Sandlund
uWebSockets | uNetworking/uWebSockets | Apache-2.0 | Alex Hultman and contributors | uwebsockets
Zig's standard library | https://ziglang.org | MIT | Zig contributors | zig
zlib-ng | zlib-ng/zlib-ng | Zlib | 1995-2025 Jean-loup Gailly and Mark Adler | zlib
zstd | facebook/zstd | BSD-3-Clause | 2016-2022 Meta Platforms, Inc. and affiliates | zstd`;

/** Modules of Node for browsers, from npm, all MIT: the name and the copyright. */
const POLYFILLS = `
acorn | 2012-2022 various contributors
acorn-walk | 2012-2020 various contributors
assert | NODE
browserify-zlib | 2014-2015 Devon Govett; NODE
buffer | Feross Aboukhadijeh, and other contributors
constants-browserify | Julian Gruber
crypto-browserify | 2013 Dominic Tarr
domain-browser | Benjamin Lupton
events | NODE
https-browserify | James Halliday
os-browserify | 2017 CoderPuppy
path-browserify | 2013 James Halliday
process | 2013 Roman Shtylman
punycode | Mathias Bynens
querystring-es3 | 2012 Irakli Gozalishvili
stream-browserify | James Halliday
stream-http | 2015 John Hiesey
string_decoder | NODE
timers-browserify | 2012 J. Ryan Stinnett; NODE
tty-browserify | James Halliday
url | NODE
util | NODE
vm-browserify | James Halliday`;

const rowsOf = (table: string): string[][] =>
  table
    .trim()
    .replaceAll(/\n +/g, " ")
    .replaceAll("NODE", NODE)
    .split("\n")
    .map((row) => row.split(" | "));

export const RUNTIME_PARTS: readonly RuntimePart[] = [
  ...rowsOf(LINKED).map(([name = "", source = "", license = "", copyright = "", key]) => ({
    ...{ name, source, license, copyright },
    ...(key !== undefined && { key }),
  })),
  ...rowsOf(POLYFILLS).map(([name = "", copyright = ""]) => ({
    ...{ name, source: `https://npmjs.com/package/${name}`, license: "MIT", copyright },
  })),
];
