// Copies the code; where the clipboard is out of reach the code is left selected.
for (const button of document.querySelectorAll("[data-copy]")) {
  const code = document.getElementById(button.dataset.copy);
  const notice = document.getElementById("copy-notice");
  button.addEventListener("click", async () => {
    notice.textContent = "";
    try {
      await navigator.clipboard.writeText(code.value);
      notice.textContent = button.dataset.copied;
    } catch {
      code.focus();
      code.select();
      notice.textContent = button.dataset.selected;
    }
  });
}
