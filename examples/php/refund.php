<?php
// Refunds a transaction in full, then repeats the request: it is the same refund.

function refund(string $transaction_id, string $idempotency_key): array
{
    $server = getenv('TOSTAO_SERVER') ?: 'http://127.0.0.1:8080';
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'API-Key: ' . getenv('TOSTAO_API_KEY'),
            'Content-Type: application/json',
            "Idempotency-Key: $idempotency_key",
        ],
        'content' => json_encode(['reason' => 'Returned by the customer']),
        'timeout' => 20,
        // An error's body says what is wrong.
        'ignore_errors' => true,
    ]]);
    $path = '/api/v1/transactions/' . rawurlencode($transaction_id) . '/refund';
    $stream = @fopen($server . $path, 'r', false, $context);
    if ($stream === false) {
        fail(error_get_last()['message']);
    }
    $headers = stream_get_meta_data($stream)['wrapper_data'];
    $status = (int) explode(' ', $headers[0])[1];
    $answer = json_decode(stream_get_contents($stream), true) ?? [];
    if ($status !== 201) {
        fail(explain($status, $answer));
    }
    $replayed = preg_grep('/^idempotency-replayed: true$/i', $headers) !== [];
    return [...$answer['refund'], 'replayed' => $replayed];
}

// A proxy in front of the server may answer something other than JSON.
function explain(int $status, array $answer): string
{
    $request = $answer['requestId'] ?? 'unknown';
    return ($answer['code'] ?? $status) . ': ' . ($answer['message'] ?? '') . " (request $request)";
}

function fail(string $message): never
{
    fwrite(STDERR, "$message\n");
    exit(1);
}

if ($argc !== 2) {
    fail('usage: php refund.php TRANSACTION_ID');
}
// A real program stores the key before it sends the request, to have it after a crash.
$idempotency_key = bin2hex(random_bytes(16));
$first = refund($argv[1], $idempotency_key);
echo "refund {$first['id']} {$first['status']}\n";
$second = refund($argv[1], $idempotency_key);
if ($second['id'] !== $first['id'] || !$second['replayed']) {
    fail('That was a second refund.');
}
echo "replay {$second['id']} {$second['status']}\n";
