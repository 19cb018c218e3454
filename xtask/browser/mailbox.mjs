// A server for mails on this machine: it keeps what arrives, and has no room yet for one address.
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

import { eventually } from "./eventually.mjs";

/** What is sent there waits. */
export const FULL = "cheia@example.com";

/** Starts it; answers with its address, a way to read what arrived, and a way to end it. */
export async function startMailbox() {
  const mails = [];
  const server = createServer((wire) => converse(wire, mails));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const arrived = (to, link) => eventually(`a mail to ${to}`, () => {
    const found = mails.filter((mail) => mail.to === to).map((mail) => mail.text.match(link));
    return found.find(Boolean)?.[0];
  });
  return { url: `smtp://127.0.0.1:${server.address().port}`, arrived, stop: () => server.close() };
}

function converse(wire, mails) {
  const say = (line) => wire.write(`${line}\r\n`);
  let [to, text] = ["", null];
  wire.on("error", () => {});
  say("220 mail.example");
  createInterface({ input: wire }).on("line", (line) => {
    if (text !== null) {
      if (line !== ".") text.push(line);
      else {
        mails.push({ to, text: plain(text.join("\n")) });
        text = null;
        say("250 kept");
      }
    } else if (/^EHLO/iu.test(line)) say("250 mail.example");
    else if (/^RCPT TO/iu.test(line)) {
      [, to] = line.match(/<(.+)>/u);
      say(to === FULL ? "452 no room" : "250 known");
    } else if (/^DATA/iu.test(line)) {
      text = [];
      say("354 go on");
    } else if (/^QUIT/iu.test(line)) wire.end("221 bye\r\n");
    else say("250 well");
  });
}

/** Quoted-printable as plain text, as far as links go; base64 parts are decoded. */
function plain(source) {
  const decoded = source.replaceAll(/=\n/gu, "").replaceAll(/=3D/giu, "=");
  const parts = decoded.match(/(?:[A-Za-z0-9+/=]{60,}\n?)+[A-Za-z0-9+/=]*/gu) ?? [];
  return [decoded, ...parts.map((part) => Buffer.from(part, "base64").toString())].join("\n");
}
