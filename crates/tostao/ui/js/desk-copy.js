// Copies a text; where the clipboard is out of reach the text is left selected.
const copies = (root) => {
  for (const button of root.querySelectorAll("[data-copy]")) {
    const text = document.getElementById(button.dataset.copy);
    const notice = button.parentElement.querySelector("[role=status]");
    button.hidden = false;
    button.addEventListener("click", async () => {
      notice.textContent = "";
      try {
        await navigator.clipboard.writeText(text.textContent);
        notice.textContent = button.dataset.copied;
      } catch {
        getSelection().selectAllChildren(text);
        notice.textContent = button.dataset.selected;
      }
    });
  }
};
copies(document);
