<?php // MomoTestCase.php: a sandbox for PHPUnit

use PHPUnit\Framework\TestCase;

/** Each class starts a sandbox, or uses the empty one that MOMO_CONTROL_URL names, as in momo exec. Its clock stands still. */
abstract class MomoTestCase extends TestCase
{
    /** The mistakes of the client that fail a test; also 'warning', and 'note'. */
    private const FAILS_A_TEST = ['error'];

    /** What a shop reads. */
    protected static array $variables = [];
    private static string $controlUrl = '';
    private static $server = null;
    private static array $pipes = [];
    private array $mistakesBefore = [];

    public static function setUpBeforeClass(): void
    {
        $names = ['MOMO_BASE_URL', 'MOMO_API_KEY', 'MOMO_API_SECRET', 'MOMO_PAYMENT_ACCOUNT_ID'];
        if (getenv('MOMO_CONTROL_URL') !== false) {
            self::$controlUrl = getenv('MOMO_CONTROL_URL');
            self::$variables = array_combine($names, array_map(getenv(...), $names));
            if (self::payments() > 0) {
                throw new RuntimeException('the sandbox has payments, and each test would remove them: unset MOMO_CONTROL_URL');
            }
            return;
        }
        $command = 'exec momo serve --ephemeral --port 0 --json --quiet --until-stdin-closes';
        self::$server = proc_open($command, [['pipe', 'r'], ['pipe', 'w']], self::$pipes);
        $line = fgets(self::$pipes[1]);
        if ($line === false) {
            throw new RuntimeException('momo serve does not start: is momo on the path?');
        }
        $ready = json_decode($line, true);
        self::$controlUrl = $ready['control_url'];
        $values = [$ready['base_url'], $ready['api_key'], $ready['api_secret'], (string) $ready['payment_account_id']];
        self::$variables = array_combine($names, $values);
    }

    public static function tearDownAfterClass(): void
    {
        if (self::$server === null) {
            self::control('POST', '/clock', ['resume' => true]);
            return;
        }
        fclose(self::$pipes[0]);
        proc_close(self::$server);
        self::$server = null;
    }

    protected function setUp(): void
    {
        self::control('POST', '/reset', []);
        self::control('POST', '/clock', ['freeze' => true]);
        $this->mistakesBefore = self::mistakes();
    }

    /** What the client has not learned by now, it never learns. */
    protected function tearDown(): void
    {
        self::control('POST', '/reset', []);
        $this->assertSame($this->mistakesBefore, self::mistakes(), 'momo found mistakes of the client');
    }

    /** Any call of the control API, such as control('POST', '/rules', ['outcome' => 'cancelled', 'times' => 1]). */
    protected static function control(string $method, string $path, ?array $body = null): array
    {
        $headers = ['Content-Type: application/json', 'Authorization: Bearer ' . getenv('MOMO_CONTROL_TOKEN')];
        $http = ['method' => $method, 'header' => $headers, 'ignore_errors' => true];
        if ($body !== null) {
            $http['content'] = json_encode((object) $body);
        }
        $answer = file_get_contents(self::$controlUrl . $path, false, stream_context_create(['http' => $http]));
        $members = json_decode($answer, true);
        if ($members['success'] !== true) {
            throw new RuntimeException($members['message']);
        }
        return $members;
    }

    /** @param string $duration such as 3s */
    protected static function advance(string $duration): void
    {
        self::control('POST', '/clock', ['advance' => $duration]);
    }

    /** The sandbox's time, in seconds since 1970. A client that waits needs it. */
    protected static function now(): float
    {
        return self::control('GET', '/clock')['now_ms'] / 1000;
    }

    /** How many there are. */
    protected static function payments(): int
    {
        return self::control('GET', '/transactions?limit=1')['pagination']['total_items'];
    }

    /** How often the client made each mistake, in all tests: a reset forgets none. */
    private static function mistakes(): array
    {
        $mistakes = [];
        foreach (self::control('GET', '/audit?over=true')['findings'] as $finding) {
            if (in_array($finding['severity'], self::FAILS_A_TEST, true)) {
                $mistakes["$finding[kind]: $finding[message]"] = $finding['count'];
            }
        }
        ksort($mistakes);
        return $mistakes;
    }
}
