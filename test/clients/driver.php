<?php
// Runs the client of the file that is named, in the time of a history. Each line of the standard input is a call, or the
// world of a new client.
require $argv[1];

/** A store on a disk that can be full. */
final class Store {
    public function __construct(private Momo\FileStore $store, private string $folder, private string $url) {}

    public function __call(string $name, array $arguments): mixed {
        clearstatcache();
        $isFull = $name === 'add' && file_exists("$this->folder/full");
        if ($isFull) throw new RuntimeException('No space left on device');
        $result = $this->store->$name(...$arguments);
        if ($name === 'add' && !str_contains($arguments[0], '~')) file_get_contents("$this->url/still/");
        return $result;
    }
}

function createClient(object $world): Momo\Client {
    return new Momo\Client(
        "$world->url/v2", $world->key, $world->secret, $world->account,
        new Store(new Momo\FileStore($world->folder), $world->folder, $world->url), timeout: 1000,
        now: fn () => (float) file_get_contents("$world->folder/now"),
        sleep: fn (float $seconds) => file_get_contents("$world->url/sleep/$seconds"),
    );
}

while ($line = fgets(STDIN)) {
    $job = json_decode($line);
    if (isset($job->world)) {
        $momo = createClient($job->world);
        continue;
    }
    try {
        $result = [$momo, $job->name](...$job->args);
        $said = array_is_list($result) ? ['orders' => $result] : ['order' => $result];
    } catch (Momo\MomoError $error) {
        $said = ['error' => ['kind' => $error->kind, 'mayHavePaid' => $error->mayHavePaid]];
    } catch (Throwable $error) {
        $said = "$error";
    }
    echo json_encode(['job' => $job->job, 'said' => $said]), "\n";
}
