// Creates a payment link for R$ 49,90 and prints its URL.

const server = process.env.TOSTAO_SERVER ?? "http://127.0.0.1:8080";
const apiKey = process.env.TOSTAO_API_KEY ?? "";

async function createLink() {
  const response = await fetch(`${server}/api/v1/payment-links`, {
    method: "POST",
    headers: { "API-Key": apiKey, "Content-Type": "application/json" },
    body: JSON.stringify({ title: "Café em grãos, 250 g", amountCents: 4990 }),
  });
  // A proxy in front of the server may answer something other than JSON.
  const answer = await response.json().catch(() => ({}));
  if (response.status !== 201) throw new Error(explain(response.status, answer));
  return answer.data;
}

function explain(status, { code, message, requestId }) {
  return `${code ?? status}: ${message ?? "no message"} (request ${requestId ?? "unknown"})`;
}

try {
  const link = await createLink();
  console.log(link.url);
} catch (error) {
  console.error(error.cause?.code ?? error.message);
  process.exitCode = 1;
}
