import { afterEach, test } from "bun:test";
import { expectNoMistake, expectRight } from "../../clients/expect-right.ts";
import { expectShown } from "../../clients/expect-shown.ts";
import { JAVASCRIPT_MISTAKES } from "../../clients/javascript-mistakes.ts";
import { LANGUAGES, startFrom, startTogether, TOGETHER } from "../../clients/languages.ts";
import { MISTAKES } from "../../clients/mistakes.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";

const TIMEOUT_MS = 3_600_000;

afterEach(cleanUp);

for (const language of LANGUAGES) {
  const { name, needs, extension, source } = language;
  describeWith(needs, `the client in ${name}`, () => {
    test("is right in every drawn history", () => expectRight(startFrom(language), name, 5), TIMEOUT_MS);

    test(
      "is right in the histories that show mistakes",
      () => expectNoMistake(startFrom(language), [...MISTAKES, ...JAVASCRIPT_MISTAKES]),
      TIMEOUT_MS,
    );

    test.each(MISTAKES.map((mistake) => [mistake.name, mistake] as const))(
      "that %s is found",
      (_, mistake) => expectShown(mistake, mistake[extension], source, async (file) => startFrom(language, file)),
      TIMEOUT_MS,
    );
  });
}

describeWith(
  TOGETHER.flatMap(({ needs }) => needs),
  "the clients in all languages, on one folder",
  () => {
    test("are right in every drawn history", () => expectRight(startTogether(), "one folder", 3), TIMEOUT_MS);
  },
);
