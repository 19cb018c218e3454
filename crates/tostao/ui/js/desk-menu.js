// Closes an open menu by Escape, and when the focus or the pointer goes elsewhere.
const menus = document.querySelectorAll(".menu details, details.person");
const close = (menu) => menu.removeAttribute("open");
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus) {
    if (menu.open && menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    close(menu);
  }
});
for (const kind of ["pointerdown", "focusin"]) {
  addEventListener(kind, ({ target }) => {
    for (const menu of menus) if (!menu.contains(target)) close(menu);
  });
}
