// Waiting for what a server does by itself, some time after it was asked.

/** Longer than that a busy machine does not take. */
const WAIT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** Asks until there is an answer, and gives it; without one, an error says what did not come. */
export async function eventually(what, ask) {
  const end = Date.now() + WAIT_MS;
  while (Date.now() < end) {
    const found = await ask();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`${what} did not come within ${WAIT_MS} ms`);
}
