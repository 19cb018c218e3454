<?php
// Creates a payment link for R$ 49,90 and prints its URL.

function create_link(): array
{
    $server = getenv('TOSTAO_SERVER') ?: 'http://127.0.0.1:8080';
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => ['API-Key: ' . getenv('TOSTAO_API_KEY'), 'Content-Type: application/json'],
        'content' => json_encode(['title' => 'Café em grãos, 250 g', 'amountCents' => 4990]),
        'timeout' => 20,
        // An error's body says what is wrong.
        'ignore_errors' => true,
    ]]);
    $stream = @fopen("$server/api/v1/payment-links", 'r', false, $context);
    if ($stream === false) {
        fail(error_get_last()['message']);
    }
    $status = (int) explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1];
    $answer = json_decode(stream_get_contents($stream), true) ?? [];
    if ($status !== 201) {
        fail(explain($status, $answer));
    }
    return $answer['data'];
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

echo create_link()['url'], "\n";
