// Sends the card to the tokenizer alone, and goes on with the token. Where that fails the form is
// sent as it would be without scripts, to the tokenizer's own page.
const card = document.querySelector("[data-tokens]");
if (card) {
  const button = card.querySelector("button");
  // By their ids: without a name, no form sends them anywhere while this script is not loaded.
  const { number, expiry, cvv, holder } = card.elements;
  const fields = { number, expMonth: expiry, expYear: expiry, cvv, holderName: holder };
  const digits = (input) => input.value.replace(/\D/g, "");
  const isNumber = (text) => text.length > 12 && [...text].reverse().reduce((sum, digit, at) =>
    sum + (at % 2 ? +"0246813579"[digit] : +digit), 0) % 10 === 0;
  const isPast = (month, year) => new Date(year, month, 1) <= new Date();
  // How each tokenizer takes a card, names its token and says what is wrong; one that only knows
  // forms of cards has their sense checked here.
  const dialects = {
    sandbox: {
      faults: () => [],
      body: (month, year) => ({
        number: number.value, expMonth: month, expYear: year, cvv: cvv.value,
        holderName: holder.value,
      }),
      token: (answer) => answer.cardToken,
      read: (answer) => answer.errors.map(({ field, code }) => [fields[field], code]),
    },
    pagarme: {
      faults: (month, year) => [
        [number, "", isNumber(digits(number))],
        [expiry, "", month > 0 && month < 13 && year > 0],
        [expiry, "CARD_EXPIRED", !isPast(month, year)],
        [cvv, "", /^\d{3,4}$/.test(digits(cvv))],
        [holder, "", holder.value.trim() !== ""],
      ].filter(([, , isRight]) => !isRight),
      body: (month, year) => ({
        type: "card",
        card: {
          number: digits(number), holder_name: holder.value.trim(), exp_month: month,
          exp_year: year, cvv: digits(cvv),
        },
      }),
      token: (answer) => answer.id,
      read: (answer) => Object.keys(answer.errors).flatMap((name) => {
        const input = [["number", number], ["exp_", expiry], ["cvv", cvv], ["holder", holder]]
          .find(([part]) => name.includes(part));
        return input ? [[input[1], "REFUSED"]] : [];
      }),
    },
  };
  const dialect = dialects[card.dataset.dialect];
  const say = (text) => {
    document.getElementById("card-error").textContent = text;
    delete card.dataset.sent;
  };
  button.textContent = button.dataset.label;
  const mark = (field, text) => {
    field.toggleAttribute("aria-invalid", false);
    if (text) field.setAttribute("aria-invalid", "true");
    document.getElementById(`${field.id}-error`).textContent = text;
  };
  const clear = () => {
    for (const field of [number, expiry, cvv, holder]) mark(field, "");
  };
  const refuse = (faults) => {
    clear();
    say(faults.length ? "" : card.dataset.refused);
    for (const [input, code] of faults.reverse()) {
      mark(input, input.dataset[code.toLowerCase()] ?? input.dataset.wrong);
      input.focus();
    }
  };
  const tokenize = async () => {
    const [month, year] = expiry.value.match(/\d+/g) ?? [];
    const valid = [+month || 0, year ? 2000 + (year % 100) : 0];
    const faults = dialect.faults(...valid);
    if (faults.length) return refuse(faults);
    clear();
    const reply = await fetch(card.dataset.tokens, {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify(dialect.body(...valid)), signal: AbortSignal.timeout(15_000),
    });
    const answer = await reply.json();
    if (!reply.ok) return refuse(dialect.read(answer));
    const pay = document.getElementById("pay");
    pay.elements.cardToken.value = dialect.token(answer);
    document.getElementById("card-error").textContent = "";
    return pay.requestSubmit();
  };
  card.addEventListener("submit", (event) => {
    event.preventDefault();
    // Not sent as a form, it has a turn of its own, which ends with an error.
    event.stopPropagation();
    if (card.dataset.sent) return;
    card.dataset.sent = "yes";
    const instead = () => card.hasAttribute("action") ? card.submit() : say(card.dataset.silent);
    tokenize().catch(instead);
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
