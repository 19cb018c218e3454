// Reads charges that the server issued with a library that shares nothing with it: BR Codes, the
// lines and barcodes of boletos, documents.
//
// Arguments: the folder of the installed library, and a JSON file with what was asked for and what
// came of it. The library knows a CNPJ with letters only when told so, and no barcode, only its
// line. A forged document may be right by chance: the server must take it where the library does,
// and nowhere else. Of BR Codes the library reads all but those that hold a recurrence alone, and
// the server issues none of these.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [, , folder, chargesFile] = process.argv;
const library = createRequire(`${folder}/`)("@brazilian-utils/brazilian-utils");
const charges = JSON.parse(readFileSync(chargesFile, "utf8"));

const LETTERS_TOO = { version: 2 };
const BANK = "999";
const FIRST_CHECK_DIGIT = 9;
const CITY = "SAO PAULO";

function differences(found, expected) {
  return Object.entries(expected)
    .filter(([name, value]) => found[name] !== value)
    .map(([name, value]) => `${name} is ${found[name]}, not ${value}`);
}

/** The same text with another check digit in one place. */
function forgery(text, at) {
  return text.slice(0, at) + (text[at] === "0" ? "1" : "0") + text.slice(at + 1);
}

function codeFaults({ pix, merchantName }) {
  if (pix === null) {
    return [];
  }
  const { brCode, txid } = pix;
  const info = library.getPixPayloadInfo(brCode);
  if (!library.isValidPixPayload(brCode) || info === null) {
    return [`${brCode} is not valid`];
  }
  const url = `pix.example.com/v2/${txid}`;
  const expected = { pointOfInitiation: "dynamic", url, merchantCity: CITY };
  const wrong = differences(info, expected);
  const written = library.generatePixPayload({ url, merchantName, merchantCity: CITY });
  if (written !== brCode) {
    wrong.push(`the library writes ${written}`);
  }
  // A judge that accepts everything would prove nothing.
  if (library.isValidPixPayload(forgery(brCode, brCode.length - 1))) {
    wrong.push("a forgery is read");
  }
  return wrong.map((fault) => `${brCode}: ${fault}`);
}

function localDay(date) {
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Puts the fields of a line where the barcode has them. */
function barcodeOf(line) {
  const free = line.slice(4, 9) + line.slice(10, 20) + line.slice(21, 31);
  return line.slice(0, 4) + line.slice(32) + free;
}

function boletoFaults({ boleto, cents, dueDate }) {
  if (boleto === null) {
    return [];
  }
  const line = boleto.digitableLine.replace(/\D/g, "");
  const info = library.getBoletoInfo(line);
  if (!library.isValidBoleto(line) || info === null) {
    return [`${line} is not valid`];
  }
  const read = { ...info, dueDate: localDay(info.expirationDate), barcode: barcodeOf(line) };
  const { barcode } = boleto;
  const wrong = differences(read, { amount: cents, dueDate, barcode, bankCode: BANK });
  if (boleto.dueDate !== dueDate) {
    wrong.push(`the API says it is due on ${boleto.dueDate}`);
  }
  if (library.isValidBoleto(forgery(line, FIRST_CHECK_DIGIT))) {
    wrong.push("a forgery is read");
  }
  return wrong.map((fault) => `${line}: ${fault}`);
}

function isDocument(text) {
  return library.isValidCpf(text) || library.isValidCnpj(text, LETTERS_TOO);
}

function documentFaults({ document, kept, masked, forged }) {
  const wrong = [];
  const plain = document.toUpperCase().replace(/[^0-9A-Z]/g, "");
  if (!isDocument(kept) || kept !== plain) {
    wrong.push(`it is kept as ${kept}`);
  }
  const whole = kept.length === 11 ? library.formatCpf(kept) : library.formatCnpj(kept, LETTERS_TOO);
  const shown = kept.length === 11 ? 3 : 2;
  if (masked !== whole.slice(0, shown) + whole.slice(shown).replace(/[0-9A-Z]/g, "*")) {
    wrong.push(`it is shown as ${masked}`);
  }
  if (isDocument(forged.document.toUpperCase()) !== forged.taken) {
    wrong.push(`${forged.document} was ${forged.taken ? "taken" : "refused"}`);
  }
  return wrong.map((fault) => `${document}: ${fault}`);
}

const found = charges.flatMap((charge) => [
  ...codeFaults(charge),
  ...boletoFaults(charge),
  ...documentFaults(charge),
]);
for (const line of found.slice(0, 10)) {
  console.error(line);
}
const count = (test) => charges.filter(test).length;
const codes = count(({ pix }) => pix !== null);
const boletos = count(({ boleto }) => boleto !== null);
const letters = count(({ kept }) => /[A-Z]/.test(kept));
console.log(
  `charges: ${codes} BR Codes, ${boletos} boletos and ${charges.length} documents (${letters} ` +
    `with letters) read, ${found.length} faults`,
);
process.exitCode = charges.length === 0 || found.length > 0 ? 1 : 0;
