<?php
// Runs the client of the file that is named, in the time of a history: each line of the standard input is a payment.
require $argv[1];
$world = json_decode($argv[2]);
$momo = new Momo\Client(
    "$world->url/v2", $world->key, $world->secret, $world->account, new Momo\FileStore($world->folder), timeout: 1000,
    now: fn () => (float) file_get_contents("$world->folder/now"),
    sleep: fn (float $seconds) => file_get_contents("$world->url/sleep/$seconds"),
);
while ($line = fgets(STDIN)) {
    $job = json_decode($line);
    try {
        $order = $momo->pay($job->reference, $job->phone, $job->amount);
        $isWrong = isset($order['may_have_paid']) === isset(Momo\CODES[$order['status']]);
        $said = $order['status'] . ($isWrong ? ', and may_have_paid is wrong' : '');
    } catch (Momo\MomoError $error) {
        $said = $error->kind;
    } catch (Throwable $error) {
        $said = "error $error";
    }
    echo json_encode(['job' => $job->job, 'said' => $said]), "\n";
}
