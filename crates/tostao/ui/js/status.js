// Waits for the payment on a stream of events. After two failures, or ten seconds of silence
// (some proxies hold streams back), it asks every four seconds instead.
const watch = document.querySelector("[data-events]");
if (watch) {
  const { status, events, poll, receipt, paid } = watch.dataset;
  let failures = 0, polling = 0, settled = false;
  const learn = (current, next) => {
    if (settled || !current || current === status || current === "PENDING") return;
    settled = true;
    if (current === "PAID") {
      document.getElementById("status").textContent = paid;
      location.assign(/^\/pay\//.test(next) ? next : receipt);
    } else {
      setTimeout(() => location.reload(), 1000);
    }
  };
  const ask = async () => {
    try {
      const reply = await fetch(poll, { cache: "no-store" });
      if (reply.ok) learn((await reply.json()).transaction.status);
    } catch {
      // The next question may find the network back.
    }
  };
  const askOften = () => (polling ||= setInterval(ask, 4000));
  const stream = new EventSource(events);
  const silence = setTimeout(askOften, 10000);
  stream.addEventListener("status", (event) => {
    failures = 0;
    clearTimeout(silence);
    const { status, next } = JSON.parse(event.data);
    learn(status, next);
  });
  stream.addEventListener("error", () => {
    if (++failures > 1) {
      stream.close();
      askOften();
    }
  });
  // Coming back from the bank's app, the reader should not wait for a reconnection.
  document.addEventListener("visibilitychange", () => document.hidden || ask());
}
