<?php
// Creates one PIX charge of R$ 49,90, however often its request has to be sent.

const ATTEMPTS = 5;
const TIMEOUT_SECONDS = 5;
// Every other 409 is final: the same request gets it again.
const RETRIED_CONFLICTS = ['IDEMPOTENCY_KEY_IN_PROGRESS', 'CONCURRENT_UPDATE'];

function send(array $http): array
{
    $url = (getenv('TOSTAO_SERVER') ?: 'http://127.0.0.1:8080') . '/api/v1/transactions';
    $stream = @fopen($url, 'r', false, stream_context_create(['http' => $http]));
    if ($stream === false) {
        return [0, 0, ['code' => 'no answer', 'message' => error_get_last()['message']]];
    }
    $answer = json_decode(stream_get_contents($stream), true);
    $headers = stream_get_meta_data($stream)['wrapper_data'];
    $status = (int) explode(' ', $headers[0])[1];
    $waits = preg_filter('/^retry-after: (\d+)$/i', '$1', $headers);
    // What is not JSON was cut off, or comes from a proxy in front of the server.
    $answer ??= ['code' => 'no readable answer', 'message' => $headers[0]];
    return [$status, (int) current($waits), $answer];
}

function is_transient(int $status, string $code): bool
{
    $is_conflict = $status === 409 && in_array($code, RETRIED_CONFLICTS, true);
    // A 201 is transient if its body was cut off.
    return $is_conflict || in_array($status, [0, 201, 429], true) || $status >= 500;
}

function charge(array $http): array
{
    for ($attempt = 1; ; $attempt++) {
        [$status, $wait, $answer] = send($http);
        if (isset($answer['transaction'])) {
            return $answer['transaction'];
        }
        $request = $answer['requestId'] ?? 'unknown';
        $problem = "{$answer['code']}: {$answer['message']} (request $request)\n";
        if ($attempt === ATTEMPTS || !is_transient($status, $answer['code'])) {
            fwrite(STDERR, $problem);
            exit(1);
        }
        // The random part keeps many clients from coming back at the same moment.
        $seconds = max($wait, 2 ** ($attempt - 1)) + random_int(0, 999) / 1000;
        fprintf(STDERR, "attempt %d, the next in %.1f s: %s", $attempt, $seconds, $problem);
        time_sleep_until(microtime(true) + $seconds);
    }
}

// A real program stores key and body before it sends them, to have them after a crash.
$key = bin2hex(random_bytes(16));
$customer = ['name' => 'Fulano de Tal', 'email' => 'fulano@example.com'];
$body = json_encode(['method' => 'PIX', 'amountCents' => 4990, 'customer' => $customer]);
$headers = ['API-Key: ' . getenv('TOSTAO_API_KEY'), 'Content-Type: application/json'];
$headers[] = "Idempotency-Key: $key";
$http = ['method' => 'POST', 'header' => $headers, 'content' => $body];
$transaction = charge($http + ['timeout' => TIMEOUT_SECONDS, 'ignore_errors' => true]);
echo "transaction {$transaction['id']}\npix {$transaction['pix']['brCode']}\n";
