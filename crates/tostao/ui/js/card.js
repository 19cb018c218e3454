// Sends the card to the tokenizer alone, and goes on with the token. Where that fails the form is
// sent as it would be without scripts, to the tokenizer's own page.
const card = document.querySelector("[data-tokens]");
if (card) {
  const button = card.querySelector("button");
  const { number, expiry, cvv, holder } = card.elements;
  const fields = { number, expMonth: expiry, expYear: expiry, cvv, holderName: holder };
  button.textContent = button.dataset.label;
  const mark = (field, text) => {
    field.toggleAttribute("aria-invalid", false);
    if (text) field.setAttribute("aria-invalid", "true");
    document.getElementById(`${field.id}-error`).textContent = text;
  };
  const tokenize = async () => {
    const [month, year] = expiry.value.match(/\d+/g) ?? [];
    const body = JSON.stringify({
      number: number.value, expMonth: +month || 0, expYear: year ? 2000 + (year % 100) : 0,
      cvv: cvv.value, holderName: holder.value,
    });
    const headers = { "content-type": "application/json" };
    const reply = await fetch(card.dataset.tokens, { method: "POST", headers, body });
    const answer = await reply.json();
    if (reply.ok) {
      const pay = document.getElementById("pay");
      pay.elements.cardToken.value = answer.cardToken;
      return pay.requestSubmit();
    }
    for (const field of [number, expiry, cvv, holder]) mark(field, "");
    for (const { field, code } of answer.errors.reverse()) {
      const input = fields[field];
      mark(input, input.dataset[code.toLowerCase()] ?? input.dataset.wrong);
      input.focus();
    }
    delete card.dataset.sent;
  };
  card.addEventListener("submit", (event) => {
    if (event.defaultPrevented || card.dataset.sent) return;
    event.preventDefault();
    tokenize().catch(() => card.submit());
  });

  // The brand, as soon as the first digits tell it.
  const brands = [
    ["Elo", /^(4011|4312|4389|4514|4576|5041|506[67]|509|6277|636[23]|650|6516|6550)/],
    ["Hipercard", /^(606282|3841)/], ["American Express", /^3[47]/], ["Diners Club", /^3[068]/],
    ["Visa", /^4/], ["Mastercard", /^(5[1-5]|2[2-7])/], ["Discover", /^6(011|4[4-9]|5)/],
    ["JCB", /^35/],
  ];
  const brand = document.createElement("span");
  brand.id = "brand";
  document.querySelector("label[for=number]").append(brand);
  number.addEventListener("input", () => {
    const digits = number.value.replace(/\D/g, "");
    brand.textContent = brands.find(([, begins]) => begins.test(digits))?.[0] ?? "";
  });
}
