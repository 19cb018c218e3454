// Keeps the parts of a page current that are marked `data-live` with the beginnings of names. It
// listens while the tab is visible, and what it hears makes it read the same address again, at most
// every two seconds. A part in use, with the focus or something open, waits.
if (document.querySelector("[data-live]")) {
  const heard = new Set();
  let source = null, timer = 0, last = 0, missed = false;
  const address = `${location.pathname.split("/").slice(0, 3).join("/")}/stream`;
  const isMeant = (part) => part.dataset.live.split(",").some((wanted) =>
    [...heard].some((name) => name === "*" || name.startsWith(wanted)));
  const isFree = (part) => !part.contains(document.activeElement) && !part.querySelector("[open]");
  const meant = () => [...document.querySelectorAll("[data-live]")].filter(isMeant);
  const plan = () => {
    if (source && meant().length) timer ||= setTimeout(read, Math.max(0, last + 2000 - Date.now()));
  };
  const read = async () => {
    timer = 0;
    last = Date.now();
    const waiting = meant();
    if (!waiting.some(isFree)) return plan();
    const names = [...heard];
    heard.clear();
    try {
      const reply = await fetch(location.href, { headers: { "x-live-part": "yes" } });
      if (reply.redirected || [401, 403, 404].includes(reply.status)) return stop();
      if (!reply.ok) throw reply;
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      for (const part of waiting) {
        const fresh = page.getElementById(part.id);
        if (!isFree(part)) names.forEach((name) => heard.add(name));
        else if (fresh) {
          part.replaceWith(fresh);
          copies(fresh);
        }
      }
    } catch {
      names.forEach((name) => heard.add(name));
    }
    plan();
  };
  const hear = (names) => {
    for (const name of names) heard.add(name);
    plan();
  };
  const stop = () => {
    source?.close();
    source = null;
    missed = true;
  };
  const listen = () => {
    if (document.hidden) return stop();
    if (source) return;
    source = new EventSource(address);
    source.addEventListener("change", ({ data }) => hear(JSON.parse(data)));
    source.addEventListener("error", () => { missed = true; });
    source.addEventListener("open", () => {
      if (missed) hear(["*"]);
      missed = false;
    });
  };
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", stop);
  addEventListener("pageshow", listen);
  listen();
}
