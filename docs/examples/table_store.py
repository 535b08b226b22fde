# table_store.py: keeps the client's orders in a table of SQLite: Client(…, TableStore("/srv/shop/shop.db"))
# Another database has other parameters than ?. Each call is a transaction of its own: were it a part of yours, and were
# yours rolled back, a push would be forgotten.
import json
import sqlite3
from contextlib import closing

TABLE = "CREATE TABLE IF NOT EXISTS momo_orders (name VARCHAR(200) PRIMARY KEY, value TEXT NOT NULL)"


class TableStore:
    def __init__(self, path):
        self.path = path
        self.run(TABLE)

    def get(self, name):
        rows = self.run("SELECT value FROM momo_orders WHERE name = ?", name)
        return json.loads(rows[0][0]) if rows else None

    def add(self, name, value, replaces=False):
        """A value that is there stays, unless this replaces it."""
        conflict = "UPDATE SET value = excluded.value" if replaces else "NOTHING"
        statement = f"INSERT INTO momo_orders (name, value) VALUES (?, ?) ON CONFLICT (name) DO {conflict}"
        self.run(statement, name, json.dumps(value))

    def remove(self, name):
        self.run("DELETE FROM momo_orders WHERE name = ?", name)

    def names(self):
        return [name for (name,) in self.run("SELECT name FROM momo_orders ORDER BY name")]

    def run(self, statement, *values):
        with closing(self.connect()) as connection, connection:
            return connection.execute(statement, values).fetchall()

    def connect(self):
        return sqlite3.connect(self.path, timeout=10)
