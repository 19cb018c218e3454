// The product under test: a server of its own, on a free port, with an empty database.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer as createPlainServer } from "node:http";
import { createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** How often one buyer may send one link's form: more than any story does that is not about it. */
export const CHECKOUTS_A_MINUTE = 15;

/** From what every server derives its keys, so that a story can speak as the simulated bank. */
export const SECRET = "what a browser is tried with, and nothing else";

/**
 * Starts the program, with more settings and a command before where a story wants them; answers,
 * once it serves, with its address and a way to end it.
 */
export async function startServer(program, { more = [], before = null, log = "json" } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "tostao-browser-"));
  const address = `127.0.0.1:${await freePort()}`;
  const storage = ["--database-url", `sqlite:${join(folder, "tostao.db")}`];
  const settings = [
    ...storage,
    "--listen", address,
    "--log-format", log,
    "--rate-limits", "on",
    "--rate-limit-overrides", `checkout_development=${CHECKOUTS_A_MINUTE}/60`,
    "--trusted-proxies", "127.0.0.1",
    "--allow-local-webhooks",
    ...more,
  ];
  const options = { stdio: ["ignore", "pipe", "pipe"], env: plainEnvironment() };
  if (before) await promisify(execFile)(program, [...before, ...storage], options);
  const child = spawn(program, ["serve", ...settings], options);
  // However this process ends, nothing of the server stays.
  process.on("exit", () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const lines = await untilServing(child);
  const stop = async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const [code] = await ended;
    if (code !== 0) throw new Error(`the server ended with ${code}\n${lines.join("\n")}`);
  };
  return { base: `http://${address}`, log: lines, stop };
}

/** A shop's own site: where a buyer comes from, and goes back to. */
export async function startSite() {
  const page = `<!doctype html><html lang="pt-BR"><title>Loja</title><link rel="icon" href="data:,">
    <h1>Loja Exemplo</h1>`;
  const server = createPlainServer((_, reply) => {
    reply.setHeader("content-type", "text/html; charset=utf-8").end(page);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${server.address().port}/obrigado?de=checkout`, stop };
}

async function freePort() {
  const socket = createSocket();
  await once(socket.listen(0, "127.0.0.1"), "listening");
  const { port } = socket.address();
  const closed = once(socket, "close");
  socket.close();
  await closed;
  return port;
}

/** The settings of the person who runs this must not reach the server. */
function plainEnvironment() {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("TOSTAO_"));
  return { ...Object.fromEntries(own), TOSTAO_SECRET_KEY: SECRET };
}

/** Waits for the line that says so; the log goes on growing. */
function untilServing(child) {
  const log = [];
  const { promise, resolve, reject } = withResolvers();
  const listen = (line) => {
    log.push(line);
    if (/"serving"|: serving /u.test(line)) resolve(log);
  };
  createInterface({ input: child.stdout }).on("line", listen);
  createInterface({ input: child.stderr }).on("line", listen);
  child.once("error", reject);
  child.once("exit", (code) => reject(new Error(`the server ended: ${code}\n${log.join("\n")}`)));
  return promise;
}

function withResolvers() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
