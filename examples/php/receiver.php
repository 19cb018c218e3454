<?php
// Receives webhooks at /webhooks, verifies them and handles each event once.
// PHP's own server runs it: php -S 127.0.0.1:3000 receiver.php

const BODY_BYTES_MAX = 1024 * 1024;
const IDS_MAX = 10_000;

function is_recent(string $sent): bool
{
    return ctype_digit($sent) && abs(time() - (int) $sent) <= 60;
}

function is_signed(string $message, string $key, string $signatures): bool
{
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $message, $key, true));
    foreach (explode(' ', $signatures) as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

// PHP keeps nothing from one request to the next, so the ids are in a file. A real program inserts
// the id into its database, in the same transaction as the event's effect.
function handle(array $event): void
{
    $file = fopen(sys_get_temp_dir() . '/tostao-example-ids-' . $_SERVER['SERVER_PORT'], 'c+');
    flock($file, LOCK_EX);
    $ids = explode("\n", stream_get_contents($file));
    if (in_array($event['id'], $ids, true)) {
        error_log("repeated {$event['event']} {$event['id']}");
        return;
    }
    file_put_contents('php://stdout', "verified {$event['event']} {$event['id']}\n");
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, implode("\n", [$event['id'], ...array_slice($ids, 0, IDS_MAX - 1)]));
}

$key = base64_decode(str_replace('whsec_', '', (string) getenv('TOSTAO_WEBHOOK_SECRET')));
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$sent = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$body = file_get_contents('php://input', length: BODY_BYTES_MAX + 1);
$signatures = $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '';
[$status, $reason] = match (true) {
    strlen($key) < 24 => [500, "Set TOSTAO_WEBHOOK_SECRET to the webhook's secret, whsec_…"],
    parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/webhooks' => [404, 'see /webhooks'],
    $_SERVER['REQUEST_METHOD'] !== 'POST' => [405, 'the method is POST'],
    strlen($body) > BODY_BYTES_MAX => [413, 'the body exceeds 1 MiB'],
    !is_recent($sent) => [400, 'webhook-timestamp is missing or not within 60 s of this clock'],
    !is_signed("$id.$sent.$body", $key, $signatures) => [400, 'no signature matches this body'],
    default => [204, ''],
};
if ($status === 204) {
    handle(json_decode($body, true));
}
http_response_code($status);
header('Allow: POST');
echo $reason;
