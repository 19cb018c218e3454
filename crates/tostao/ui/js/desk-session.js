// Two minutes before the session ends, offers to stay; asking for the page again is a use of it.
const ending = document.querySelector("[data-ends-in]");
const stay = document.querySelector("[data-stay]");
if (ending) {
  const wait = () => setTimeout(() => {
    ending.textContent = ending.dataset.text;
    stay.hidden = false;
  }, Math.max(0, ending.dataset.endsIn - 120) * 1000);
  stay.addEventListener("click", async () => {
    const { ok, redirected } = await fetch(location.href, { method: "HEAD" });
    if (!ok || redirected) return;
    ending.textContent = "";
    stay.hidden = true;
    wait();
  });
  wait();
}
