// Prints, and takes the reader back to the shop unless they prefer to stay.
const returning = document.querySelector("[data-return]");
let leaving = 0;
const stay = () => {
  clearTimeout(leaving);
  if (returning) returning.hidden = true;
};
for (const button of document.querySelectorAll("[data-stay], [data-print]")) {
  button.addEventListener("click", stay);
}
for (const button of document.querySelectorAll("[data-print]")) {
  button.addEventListener("click", () => print());
}
// Once a visit: who comes back to the receipt wants to read it.
const visit = `returned:${location.pathname}`;
if (returning && !sessionStorage.getItem(visit)) {
  sessionStorage.setItem(visit, "yes");
  returning.hidden = false;
  leaving = setTimeout(() => location.assign(document.getElementById("return").href), 15000);
}
