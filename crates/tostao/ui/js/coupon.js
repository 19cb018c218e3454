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
  const take = (part, markup) => {
    if (part.innerHTML === markup) return;
    const focused = document.activeElement, held = part.contains(focused);
    const chosen = [...part.querySelectorAll(":checked")].map(({ value }) => value);
    part.innerHTML = markup;
    // The reader may have gone on while the answer was under way.
    for (const value of chosen) {
      const same = part.querySelector(`[value="${value}"]`);
      // A radio button knows the one, a row of a list the other.
      if (same) same.checked = same.selected = true;
    }
    if (held) (document.getElementById(focused.id) ?? button).focus();
  };
  const ask = async () => {
    try {
      const body = new URLSearchParams(new FormData(form, button));
      const reply = await fetch(form.action, { method: "POST", body });
      // A limit is said above the form, which is not taken over.
      if (reply.status === 429) throw reply;
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const fresh = live.map((part) => page.getElementById(part.id).innerHTML);
      live.forEach((part, index) => take(part, fresh[index]));
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
