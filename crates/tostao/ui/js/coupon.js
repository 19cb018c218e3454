// Tries a coupon without leaving the page: the answer is the same page, of which the parts that
// changed are taken over. Where that fails the form is sent as it would be without scripts.
const coupon = document.getElementById("coupon");
if (coupon) {
  const { form } = coupon, button = form.elements.apply;
  let plain = false;
  const live = [...document.querySelectorAll("[data-live]")];
  form.addEventListener("submit", (event) => {
    if (event.submitter !== button || plain) return;
    event.preventDefault();
    setTimeout(() => delete form.dataset.sent);
    ask();
  });
  const ask = async () => {
    try {
      const body = new URLSearchParams(new FormData(form, button));
      const reply = await fetch(form.action, { method: "POST", body });
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const fresh = live.map((part) => page.getElementById(part.id).innerHTML);
      if (!page.getElementById("methods")) throw new Error("nothing is left to pay");
      live.forEach((part, index) => (part.innerHTML = fresh[index]));
      const wrong = document.getElementById("coupon-error").textContent !== "";
      coupon.toggleAttribute("aria-invalid", false);
      if (wrong) coupon.setAttribute("aria-invalid", "true");
    } catch {
      plain = true;
      form.requestSubmit(button);
    }
  };
  coupon.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    button.click();
  });
}
