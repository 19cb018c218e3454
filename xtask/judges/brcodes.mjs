// Reads BR Codes that the server issued with a library that shares nothing with it.
//
// Arguments: the folder of the installed library, and a JSON file with what was ordered.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [, , folder, ordersFile] = process.argv;
const library = createRequire(`${folder}/`)("@brazilian-utils/brazilian-utils");
const orders = JSON.parse(readFileSync(ordersFile, "utf8"));

function faults({ brCode, txid, merchantName }) {
  const info = library.getPixPayloadInfo(brCode);
  if (!library.isValidPixPayload(brCode) || info === null) {
    return ["it is not valid"];
  }
  const expected = {
    pointOfInitiation: "dynamic",
    url: `pix.example.com/v2/${txid}`,
    merchantCity: "SAO PAULO",
  };
  const wrong = Object.entries(expected)
    .filter(([name, value]) => info[name] !== value)
    .map(([name, value]) => `${name} is ${info[name]}, not ${value}`);
  const { url, merchantCity } = expected;
  const written = library.generatePixPayload({ url, merchantName, merchantCity });
  return written === brCode ? wrong : [...wrong, `the library writes ${written}`];
}

// A judge that accepts everything would prove nothing.
function acceptsForgery({ brCode }) {
  const last = brCode.endsWith("0") ? "1" : "0";
  return library.isValidPixPayload(brCode.slice(0, -1) + last);
}

const found = orders.flatMap((order) => {
  const wrong = faults(order).map((fault) => `${order.brCode}: ${fault}`);
  return acceptsForgery(order) ? [...wrong, `forged, yet read: ${order.brCode}`] : wrong;
});
for (const line of found.slice(0, 10)) {
  console.error(line);
}
console.log(`BR Codes: ${orders.length} read and written alike, ${found.length} faults`);
process.exitCode = orders.length === 0 || found.length > 0 ? 1 : 0;
