// Shows what makes sense only when scripts run.
for (const element of document.querySelectorAll("[data-script], [data-copy], [data-print]")) {
  element.hidden = false;
}
