import { afterAll, test } from "bun:test";
import { expectRight } from "../../clients/expect-right.ts";
import { LANGUAGES } from "../../clients/languages.ts";
import { expectShown, MISTAKES } from "../../clients/mistakes.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";

const TIMEOUT_MS = 3_600_000;

afterAll(cleanUp);

for (const { name, needs, extension, source, startFrom } of LANGUAGES) {
  describeWith(needs, `the client in ${name}`, () => {
    test("is right in every drawn history", () => expectRight(startFrom(source), name, 5), TIMEOUT_MS);

    test.each(MISTAKES.flatMap((one) => (one[extension] ? [[one.name, one, one[extension]] as const] : [])))(
      "is found where it %s",
      (_, mistake, changes) => expectShown(mistake, changes, source, async (file) => startFrom(file)),
      TIMEOUT_MS,
    );
  });
}
