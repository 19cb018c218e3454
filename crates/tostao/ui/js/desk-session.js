// Two minutes before the session ends, says so, and offers to stay while that is possible; asking
// for a page is a use of the session.
const ending = document.querySelector("[data-idle]");
const stay = document.querySelector("[data-stay]");
if (ending) {
  const { idle, most, home, text } = ending.dataset;
  const opened = Date.now();
  const left = () => most - (Date.now() - opened) / 1000;
  const wait = () => setTimeout(() => {
    ending.textContent = text;
    stay.hidden = left() <= 120;
  }, Math.max(0, Math.min(idle, left()) - 120) * 1000);
  stay.addEventListener("click", async () => {
    const { ok, redirected } = await fetch(home, { method: "HEAD" });
    if (!ok || redirected) return;
    ending.textContent = "";
    stay.hidden = true;
    wait();
  });
  wait();
}
