// table-store.mjs: keeps the client's orders in a table of PostgreSQL.
//   import pg from "pg";
//   const store = await tableStore(new pg.Pool()); // instead of fileStore
// Each call is a transaction of its own: were it a part of yours, and were yours rolled back, a push would be forgotten.

const TABLE = "CREATE TABLE IF NOT EXISTS momo_orders (name text PRIMARY KEY, value text NOT NULL)";

export async function tableStore(pool) {
  async function run(statement, ...values) {
    const { rows } = await pool.query(statement, values);
    return rows;
  }

  try {
    await run(TABLE);
  } catch (error) {
    const isMade = ["23505", "42P07", "42710"].includes(error.code); // by another process, at the same time
    if (!isMade) throw error;
  }
  return {
    async get(name) {
      const [row] = await run("SELECT value FROM momo_orders WHERE name = $1", name);
      return row ? JSON.parse(row.value) : null;
    },

    /** A value that is there stays, unless this replaces it. */
    async add(name, value, { replaces = false } = {}) {
      const conflict = replaces ? "UPDATE SET value = excluded.value" : "NOTHING";
      const statement = `INSERT INTO momo_orders (name, value) VALUES ($1, $2) ON CONFLICT (name) DO ${conflict}`;
      await run(statement, name, JSON.stringify(value));
    },

    async remove(name) {
      await run("DELETE FROM momo_orders WHERE name = $1", name);
    },

    async names() {
      const rows = await run("SELECT name FROM momo_orders ORDER BY name");
      return rows.map(({ name }) => name);
    },
  };
}
