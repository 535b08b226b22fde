import { afterAll, describe, expect, test } from "bun:test";
import { NumberedList } from "../../../sandbox/numbered-list.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { useScene } from "../../support/scene.ts";

afterAll(cleanUp);

/** Rules and faults are lists whose items have ids, so that several clients change them at once. */

const sandbox = useScene();

const RULE = { outcome: "cancelled" };
const FAULT = { kind: "error", path: "/status.php" };

describe.each<[list: "rules" | "faults", item: object]>([
  ["rules", RULE],
  ["faults", FAULT],
])("%s", (list, item) => {
  const path = `/${list}`;
  const idsIn = (answer: Record<string, unknown>) => (answer[list] as { id: number }[]).map(({ id }) => id);
  const inForce = async () => idsIn(await sandbox.control("GET", path));

  test("one is added with its id, several with theirs; a removed one is gone by name, and its id does not come again", async () => {
    expect(await sandbox.control("POST", path, item)).toMatchObject({ id: 1, ids: [1] });
    const several = await sandbox.control("POST", path, [item, item]);
    expect(several).toMatchObject({ ids: [2, 3] });
    expect(several).not.toHaveProperty("id");
    expect(await sandbox.control("POST", path, { [list]: [item] })).toMatchObject({ id: 4 });
    expect(idsIn(await sandbox.control("DELETE", `${path}/2`))).toEqual([1, 3, 4]);
    expect(idsIn(await sandbox.control("DELETE", `${path}/4`))).toEqual([1, 3]);
    for (const id of ["2", "4", "99", "0", "-1", "1.0", "one", "%20"]) {
      const { status, body } = await sandbox.call("DELETE", `${path}/${id}`);
      const what = `there is no ${list.slice(0, -1)} with the id ${JSON.stringify(decodeURIComponent(id))}`;
      expect({ status, message: body.message }).toEqual({ status: 404, message: `${what}; in force: 1, 3` });
    }
    expect(await sandbox.control("POST", path, item)).toMatchObject({ id: 5 });
    await sandbox.control("DELETE", path);
    expect((await sandbox.call("DELETE", `${path}/5`)).body.message).toContain(" is in force");
    expect(await sandbox.control("POST", path, item)).toMatchObject({ id: 6 });
    await sandbox.control("POST", "/reset", {});
    expect(await sandbox.control("POST", path, item)).toMatchObject({ id: 1 });
  });

  test("with ?first=true, one comes before all others; with ?before=ID, before that one", async () => {
    await sandbox.control("POST", path, [item, item]);
    expect(await sandbox.control("POST", `${path}?first=true`, [item, item])).toMatchObject({ ids: [3, 4] });
    await sandbox.control("POST", `${path}?first=false`, item);
    expect(await inForce()).toEqual([3, 4, 1, 2, 5]);
    expect(await sandbox.control("POST", `${path}?before=1`, [item, item])).toMatchObject({ ids: [6, 7] });
    expect(await inForce()).toEqual([3, 4, 6, 7, 1, 2, 5]);
    expect((await sandbox.call("POST", `${path}?before=77`, { json: item })).status).toBe(404);
    const both = await sandbox.call("POST", `${path}?before=1&first=true`, { json: item });
    expect([both.status, both.body.message]).toEqual([400, 'give first or before, not both; they are "true" and 1']);
    expect(await inForce()).toEqual([3, 4, 6, 7, 1, 2, 5]);
    const { status, body } = await sandbox.call("POST", `${path}?first=1`, { json: item });
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'first must be true or false; it is "1"',
    });
  });

  test("a list that is sent again keeps its ids; new items and ids that are not in force get new ones", async () => {
    await sandbox.control("POST", path, [item, item, item]);
    const sent = [{ ...item, id: 3 }, item, { ...item, id: 1 }, { ...item, id: 3 }, { ...item, id: 77 }];
    expect(idsIn(await sandbox.control("PUT", path, { [list]: sent }))).toEqual([3, 4, 1, 5, 6]);
    const { [list]: again } = await sandbox.control("GET", path);
    expect(idsIn(await sandbox.control("PUT", path, { [list]: again }))).toEqual([3, 4, 1, 5, 6]);
  });

  test("100 that are added at once are all there, and 50 that are removed at once are gone", async () => {
    const added = await Promise.all(Array.from({ length: 100 }, () => sandbox.control("POST", path, item)));
    const ids = added.map(({ id }) => Number(id));
    expect(new Set(ids).size).toBe(100);
    expect(new Set(await inForce())).toEqual(new Set(ids));
    await Promise.all(ids.slice(50).map((id) => sandbox.control("DELETE", `${path}/${id}`)));
    expect(new Set(await inForce())).toEqual(new Set(ids.slice(0, 50)));
  });

  test("one more than there can be is refused, and those that are there stay", async () => {
    const most = list === "rules" ? 1000 : 100;
    await sandbox.control("PUT", path, { [list]: Array(most).fill(item) });
    const { status, body } = await sandbox.call("POST", path, { json: item });
    expect({ status, message: body.message }).toEqual({ status: 400, message: `there can be at most ${most} ${list}` });
    const all = await sandbox.call("PUT", path, { json: { [list]: Array(most + 1).fill(item) } });
    expect([all.status, all.body.message]).toEqual([400, expect.stringContaining(`at most ${most}`)]);
    expect(await inForce()).toHaveLength(most);
  });
});

test("a refusal names twenty ids, and says if there are more", () => {
  const list = new NumberedList("rule", 30);
  list.add(Array(20).fill({}));
  expect(() => list.remove("x")).toThrow(/, 19, 20$/);
  list.add([{}]);
  expect(() => list.remove("x")).toThrow(/, 19, 20, and more$/);
});

test("a restored list goes on with its ids", () => {
  const list = new NumberedList<{ times?: number }>("rule", 3);
  list.add([{ times: 1 }, {}]);
  const saved = JSON.parse(JSON.stringify(list.save()));
  const [first] = list.items;
  expect([first && list.use(first), list.items.map(({ id }) => id)]).toEqual([true, [2]]);
  list.load(saved);
  expect(list.add([{}])).toEqual([3]);
});
