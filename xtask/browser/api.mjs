// The API, as programs call it.

/** The password of every person. */
export const PASSWORD = "senha de teste";

/** Calls the API; what it refuses is an error. */
export async function call(base, method, path, body, bearer, more = {}) {
  const headers = { "content-type": "application/json", ...more };
  if (bearer) headers.authorization = `Bearer ${bearer}`;
  const reply = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`);
  return JSON.parse(text);
}
