<?php // table-store.php: keeps the client's orders in a table of MySQL, PostgreSQL or SQLite.
//   $store = new TableStore(new PDO('mysql:host=127.0.0.1;dbname=shop', $user, $password)); // instead of FileStore
// The connection is no other's: in a transaction of yours that is rolled back, a push would be forgotten.

final class TableStore {
    private const TABLE = 'CREATE TABLE IF NOT EXISTS momo_orders (name VARCHAR(200) PRIMARY KEY, value TEXT NOT NULL)';

    public function __construct(private PDO $database) {
        $this->run(self::TABLE);
    }

    public function get(string $name): ?array {
        $row = $this->run('SELECT value FROM momo_orders WHERE name = ?', $name)->fetch(PDO::FETCH_ASSOC);
        return $row === false ? null : json_decode($row['value'], true, flags: JSON_THROW_ON_ERROR);
    }

    /** A value that is there stays, unless this replaces it. */
    public function add(string $name, array $value, bool $replaces = false): void {
        $text = json_encode($value, JSON_THROW_ON_ERROR);
        try {
            $this->run('INSERT INTO momo_orders (name, value) VALUES (?, ?)', $name, $text);
        } catch (PDOException $error) {
            $isThere = str_starts_with((string) $error->getCode(), '23'); // the class of SQLSTATE for the primary key
            if (!$isThere) {
                throw $error;
            }
            if ($replaces) {
                $this->run('UPDATE momo_orders SET value = ? WHERE name = ?', $text, $name);
            }
        }
    }

    public function remove(string $name): void {
        $this->run('DELETE FROM momo_orders WHERE name = ?', $name);
    }

    public function names(): array {
        return $this->run('SELECT name FROM momo_orders ORDER BY name')->fetchAll(PDO::FETCH_COLUMN);
    }

    private function run(string $statement, string ...$values): PDOStatement {
        $prepared = $this->database->prepare($statement);
        $prepared->execute($values);
        return $prepared;
    }
}
