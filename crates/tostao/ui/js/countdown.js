// Counts down to the expiry; read aloud only at five minutes and at one.
const timer = document.querySelector("[data-seconds]");
if (timer && timer.dataset.seconds < 86400) {
  const end = Date.now() + timer.dataset.seconds * 1000;
  const notice = document.getElementById("time-notice");
  const two = (number) => String(number).padStart(2, "0");
  let before = Infinity;
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
    const minutes = Math.floor(left / 60);
    timer.textContent = minutes < 60
      ? `${two(minutes)}:${two(left % 60)}`
      : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(left % 60)}`;
    for (const [mark, text] of [[300, timer.dataset.five], [60, timer.dataset.one]]) {
      if (before < Infinity && before > mark && left <= mark) notice.textContent = text;
    }
    before = left;
    if (left === 0) {
      clearInterval(ticking);
      setTimeout(() => location.reload(), 2000);
    }
  };
  const ticking = setInterval(tick, 1000);
  timer.parentElement.hidden = false;
  tick();
}
