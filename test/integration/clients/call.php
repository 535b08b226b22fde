<?php
// Calls the client of the file that is named, with the environment and the call of its arguments, or else with those of
// each line of the standard input. A line of its output is the result or the error of a call.
require $argv[1];

/** With `nowMs`, the clock shows that. It goes back by an hour in each pause, which takes no time; the result has their sum. */
function run(array $env, array $call, array $options = []): void {
    ['nowMs' => $now] = $options + ['nowMs' => null];
    unset($options['nowMs']);
    $slept = 0;
    if ($now) {
        $options['now'] = function () use (&$now) { return $now / 1000; };
        $options['sleep'] = function (float $seconds) use (&$now, &$slept) { $slept += $seconds; $now -= 3_600_000; };
    }
    try {
        $store = new Momo\FileStore($env['MOMO_ORDERS']);
        $given = [$env['MOMO_BASE_URL'], $env['MOMO_API_KEY'], $env['MOMO_API_SECRET'], $env['MOMO_PAYMENT_ACCOUNT_ID']];
        $momo = new Momo\Client(...$given, ...['store' => $store], ...$options);
        $name = array_shift($call);
        $result = $momo->$name(...$call);
        if ($now) $result['slept'] = $slept;
    } catch (Momo\MomoError $error) {
        $said = ['code' => $error->kind, 'message' => $error->getMessage(), 'may_have_paid' => $error->mayHavePaid];
        $result = ['error' => $said];
    }
    echo json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}

if ($argc > 2) run(getenv(), array_slice($argv, 2));
else while ($line = fgets(STDIN)) run(...json_decode($line, true));
