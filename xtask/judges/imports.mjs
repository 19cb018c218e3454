// Imports the OpenAPI document as users of Postman and of Insomnia do, with the importers of these
// programs, which share nothing with the server.
//
// Arguments: the folder of the installed libraries, and the file of the document. Each import has
// every operation of the document exactly once, and nothing else: under its summary, with a way to
// authenticate that the document offers, and with an example of its request body, which is JSON and
// has all required fields. An operation that needs no authentication or body has none, and one
// that takes a file may have anything in its place.
//
// The importer of Insomnia reads OpenAPI 3.1 only when its parser is of version 10.1 or later, as
// the parser of Insomnia itself is; the manifest of the libraries overrides it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { promisify } from "node:util";

const [, , folder, documentFile] = process.argv;
const load = createRequire(`${resolve(folder)}/`);
const text = readFileSync(documentFile, "utf8");
const document = JSON.parse(text);

// The importer of Postman invents values; they are the same on every run.
let state = 1;
Math.random = () => {
  state = (state * 48271) % 2147483647;
  return (state - 1) / 2147483646;
};
const IMPORTERS = {
  Postman: importPostman.bind(null, promisify(load("openapi-to-postmanv2").convertV2)),
  Insomnia: importInsomnia.bind(null, load("insomnia-importers").convert),
};

const METHODS = ["delete", "get", "head", "options", "patch", "post", "put", "trace"];
const schemes = document.components?.securitySchemes ?? {};

/** What a request sends to authenticate, in the same words for the document and the imports. */
function credential({ type, scheme, in: place, name }) {
  return type === "apiKey" ? `${place} ${name}` : scheme ?? type;
}

function resolved(schema) {
  if (schema.$ref === undefined) {
    return schema;
  }
  const names = schema.$ref.replace("#/", "").split("/");
  return resolved(names.reduce((outer, name) => outer[name], document));
}

function documentOperation(method, path, { summary, requestBody, security }) {
  const accepted = (security ?? document.security ?? []).flatMap(Object.keys);
  const content = requestBody && resolved(requestBody).content;
  const body = content?.["application/json"]?.schema;
  return {
    place: `${method.toUpperCase()} ${path}`,
    summary,
    accepted: accepted.map((name) => credential(schemes[name])),
    takesFile: content !== undefined && body === undefined,
    fields: body && (resolved(body).required ?? []),
  };
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => method in item).map((method) =>
    documentOperation(method, path, item[method]),
  ),
);

async function importPostman(convert) {
  const { result, reason, output } = await convert({ type: "string", data: text }, {});
  if (!result) {
    throw new Error(reason);
  }
  return output.flatMap(({ data }) => postmanRequests(data, data.auth));
}

/** The requests in a folder, and in the folders in it; they inherit its authentication. */
function postmanRequests(outer, inherited) {
  return outer.item.flatMap((entry) => {
    if (entry.item !== undefined) {
      return postmanRequests(entry, entry.auth ?? inherited);
    }
    const { method, url, auth } = entry.request;
    const path = url.path.map((part) => part.replace(/^:(.+)$/, "{$1}")).join("/");
    // Each example of a response repeats the request.
    const sent = [entry.request, ...entry.response.map((example) => example.originalRequest)];
    return {
      place: `${method} /${path}`,
      name: entry.name,
      credentials: postmanCredentials(auth ?? inherited),
      bodies: sent.map(({ body }) => body?.raw),
    };
  });
}

function postmanCredentials(auth) {
  if (!auth || auth.type === "noauth") {
    return [];
  }
  const details = Object.fromEntries(auth[auth.type].map(({ key, value }) => [key, value]));
  return [auth.type === "apikey" ? `${details.in} ${details.key}` : auth.type];
}

async function importInsomnia(convert) {
  // A document that its parser refuses is imported all the same, without its bodies, and printed.
  const printed = [];
  const { log } = console;
  console.log = (...words) => printed.push(...words);
  const { data } = await convert(text).finally(() => {
    console.log = log;
  });
  if (printed.length > 0) {
    throw new Error(printed.map((word) => word.message ?? word).join(" "));
  }
  return data.resources.filter(({ _type }) => _type === "request").map(insomniaRequest);
}

function insomniaRequest({ name, method, url, headers, parameters, authentication, body }) {
  const path = url.replace(/^\{\{ base_url \}\}/, "").replace(/\{\{ (\w+) \}\}/g, "{$1}");
  const keys = Object.values(schemes).map(credential);
  const sent = [
    ...headers.map((header) => `header ${header.name}`),
    ...parameters.map((parameter) => `query ${parameter.name}`),
  ];
  return {
    place: `${method} ${path}`,
    name,
    credentials: sent.filter((key) => keys.includes(key)).concat(authentication.type ?? []),
    bodies: [body.text],
  };
}

function bodyFaults(body, fields) {
  if (fields === undefined) {
    return body === undefined ? [] : [`a body that it does not take: ${body}`];
  }
  if (body === undefined) {
    return ["no body"];
  }
  let example;
  try {
    example = JSON.parse(body);
  } catch (error) {
    return [`a body that is not JSON, ${error.message}: ${body}`];
  }
  if (example === null || typeof example !== "object") {
    return [`a body that is no object: ${body}`];
  }
  const missing = fields.filter((field) => !Object.hasOwn(example, field));
  return missing.map((field) => `a body without ${field}: ${body}`);
}

function requestFaults({ name, credentials, bodies }, { summary, accepted, takesFile, fields }) {
  const wrong = takesFile
    ? []
    : [...new Set(bodies)].flatMap((body) => bodyFaults(body, fields));
  if (name !== summary) {
    wrong.push(`named ${name}, not ${summary}`);
  }
  if (accepted.length > 0 && credentials.length === 0) {
    wrong.push(`no ${accepted.join(" or ")} to authenticate`);
  }
  const others = credentials.filter((key) => !accepted.includes(key));
  return [...wrong, ...others.map((key) => `${key} to authenticate`)];
}

function importFaults(requests) {
  const known = new Set(operations.map(({ place }) => place));
  const wrong = requests
    .filter(({ place }) => !known.has(place))
    .map(({ place }) => `${place}: not in the document`);
  for (const operation of operations) {
    const copies = requests.filter(({ place }) => place === operation.place);
    const faults = copies.flatMap((request) => requestFaults(request, operation));
    if (copies.length !== 1) {
      faults.push(`imported ${copies.length} times`);
    }
    wrong.push(...faults.map((fault) => `${operation.place}: ${fault}`));
  }
  return wrong;
}

const found = [];
const counts = [];
for (const [importer, importRequests] of Object.entries(IMPORTERS)) {
  let requests = [];
  try {
    requests = await importRequests();
    found.push(...importFaults(requests).map((fault) => `${importer}: ${fault}`));
  } catch (error) {
    found.push(`${importer}: ${error.message ?? error}`);
  }
  const bodies = requests.flatMap((request) => request.bodies).filter((body) => body !== undefined);
  counts.push(`${requests.length} requests and ${bodies.length} bodies in ${importer}`);
}
for (const line of found) {
  console.error(line.replace(/\s*\n\s*/g, " "));
}
console.log(
  `imports: ${operations.length} operations, ${counts.join(", ")}, ${found.length} faults`,
);
process.exitCode = operations.length === 0 || found.length > 0 ? 1 : 0;
