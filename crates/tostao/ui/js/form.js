// Sends a form once, however often the button is pressed.
addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// Punctuates numbers as they are typed. It only helps the eye: the server reads any punctuation.
const fill = (text, pattern) => {
  let next = 0;
  const shown = pattern.replace(/#|[^#]+/g, (part) =>
    next >= text.length ? "" : part === "#" ? text[next++] : part);
  return shown + text.slice(next);
};
const masks = {
  document: (text) => /^\d{0,11}$/.test(text)
    ? fill(text, "###.###.###-##") : fill(text, "##.###.###/####-##"),
  phone: (text) => fill(text, text.length > 10 ? "(##) #####-####" : "(##) ####-####"),
  postal_code: (text) => fill(text, "#####-###"),
  card: (text) => fill(text, "#### #### #### #### ###"),
  expiry: (text) => fill(text, "##/##"),
};
const bare = (text) => text.toUpperCase().replace(/[^0-9A-Z]/g, "");
for (const input of document.querySelectorAll("[data-mask]")) {
  input.addEventListener("input", () => {
    // Rewriting in the middle would move the cursor.
    if (input.selectionEnd === input.value.length && !input.value.startsWith("+")) {
      input.value = masks[input.dataset.mask](bare(input.value));
    }
  });
}

// Checks the last two digits of a CPF or CNPJ, letters included, when the reader moves on.
const checkDigit = (text, highest) => {
  let sum = 0, weight = 2;
  for (const character of [...text].reverse()) {
    sum += (character.charCodeAt(0) - 48) * weight;
    weight = weight === highest ? 2 : weight + 1;
  }
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
};
const isDocument = (text) => {
  const highest = /^\d{11}$/.test(text) ? 11 : /^[0-9A-Z]{12}\d\d$/.test(text) ? 9 : 0;
  if (!highest || /^(.)\1+$/.test(text)) return false;
  const base = text.slice(0, -2), first = checkDigit(base, highest);
  return text === base + first + checkDigit(base + first, highest);
};
for (const input of document.querySelectorAll("[data-invalid]")) {
  input.addEventListener("change", () => {
    // A button must not move from under the pointer; the server's answer says the same.
    if (document.querySelector("button:active")) return;
    const text = bare(input.value), wrong = text !== "" && !isDocument(text);
    input.toggleAttribute("aria-invalid", false);
    if (wrong) input.setAttribute("aria-invalid", "true");
    document.getElementById(`${input.id}-error`).textContent = wrong ? input.dataset.invalid : "";
  });
}
