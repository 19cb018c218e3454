// Efí's own SDK calls the fake: its schemas judge every answer.
//
// Arguments: the fake's line of JSON, a P12 with the client certificate, and an address that takes
// notices. The SDK knows the bank's hosts alone, so the fake's are written over them.

const path = require("node:path");
const sdk = require("sdk-node-apis-efi");
const { admin, check, end } = require("./lines.cjs");

const [line, certificate, door] = process.argv.slice(2);
const fake = JSON.parse(line);
const folder = path.dirname(require.resolve("sdk-node-apis-efi/package.json"));
const { endpoints } = require(path.join(folder, "dist/cjs/internal/constants/endpoints.js"));
for (const [name, { URL }] of Object.entries(endpoints.APIS)) {
  URL.SANDBOX = name === "DEFAULT" ? fake.tls : fake.tls_client;
}
const efi = new sdk.EfiPay({
  client_id: "id",
  client_secret: "secret",
  sandbox: true,
  certificate,
  validateMtls: false,
});

const KEY = "pix@example.com";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const now = Date.now();
const instant = (at) => new Date(at).toISOString();
const day = (at) => instant(at).slice(0, 10);
const window = { inicio: instant(now - HOUR), fim: instant(now + HOUR) };
const page = { "paginacao.paginaAtual": 0, "paginacao.itensPorPagina": 100 };
const days = { charge_type: "billet", begin_date: day(now - DAY), end_date: day(now + DAY) };

/** Calls a method; its answer passes the SDK's schema of that method, if there is one. */
function call(method, ...parameters) {
  return check(`efi: ${method}`, async () => {
    const answer = await efi[method](...parameters).catch((error) => {
      throw new Error(error.message ?? JSON.stringify(error));
    });
    const schema = sdk[`${method[0].toUpperCase()}${method.slice(1)}ResponseSchema`];
    const judged = schema?.safeParse(answer);
    if (judged && !judged.success) {
      throw new Error(JSON.stringify(judged.error.issues));
    }
    return answer;
  });
}

async function charges() {
  const txid = "7978c0c97ea847e78e8849634473c1f1";
  const body = {
    calendario: { expiracao: 3600 },
    valor: { original: "10.00" },
    chave: KEY,
    solicitacaoPagador: "Loja",
  };
  const charge = await call("pixCreateCharge", { txid }, body);
  await call("pixCreateImmediateCharge", {}, body);
  await call("pixUpdateCharge", { txid }, { valor: { original: "11.00" } });
  await call("pixGenerateQRCode", { id: charge.loc.id });
  await call("pixConfigWebhook", { chave: KEY }, { webhookUrl: door });
  await call("pixDetailWebhook", { chave: KEY });
  await call("pixListWebhook", window);
  const paid = await admin(fake, "/__pay", { dialect: "efi", charge: txid });
  await call("pixDetailCharge", { txid });
  await call("pixListCharges", window);
  const other = { txid: "8978c0c97ea847e78e8849634473c1f1" };
  await call("pixCreateCharge", other, body);
  await call("pixUpdateCharge", other, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" });
  return paid.e2e[0];
}

async function received(e2eId) {
  await call("pixReceivedList", { ...window, ...page });
  await call("pixDetailReceived", { e2eId });
  await call("pixDevolution", { e2eId, id: "r1" }, { valor: "1.00" });
  await call("pixDetailDevolution", { e2eId, id: "r1" });
  await admin(fake, "/__med", { action: "open", e2e: e2eId });
  const reports = await call("medList", window);
  const defence = { analise: "rejeitado", justificativa: "x" };
  await call("medDefense", { idInfracao: reports.infracoes[0].idInfracao }, defence);
  await call("pixResendWebhook", {}, { tipo: "PIX_RECEBIDO", e2eids: [e2eId] });
}

async function payouts() {
  const body = {
    valor: "1.00",
    pagador: { chave: KEY, infoPagador: "Saque" },
    favorecido: { chave: "ana@example.com" },
  };
  await call("pixSend", { idEnvio: "w1" }, body);
  await call("pixSendDetailId", { idEnvio: "w1" });
  await admin(fake, "/__payout", { outcome: "return", parts_cents: [50, 50] });
  await call("pixSend", { idEnvio: "w2" }, body);
  await call("pixSendDetailId", { idEnvio: "w2" });
  await call("pixSendList", { ...window, ...page });
  await call("getAccountBalance", {});
}

async function boletos() {
  const order = (reference, customer) => ({
    items: [{ name: "x", value: 5990, amount: 1 }],
    metadata: { custom_id: reference, notification_url: door },
    payment: {
      banking_billet: {
        customer,
        expire_at: day(now + 10 * DAY),
        configurations: { days_to_write_off: 5 },
      },
    },
  });
  const ana = { name: "Ana Souza", cpf: "52998224725" };
  const company = { juridical_person: { corporate_name: "Loja SA", cnpj: "11222333000181" } };
  const first = await call("createOneStepCharge", {}, order("ref1", ana));
  await call("detailCharge", { id: first.data.charge_id });
  await admin(fake, "/__pay", { dialect: "cobrancas", charge: "ref1" });
  await call("listCharges", { ...days, custom_id: "ref1", date_of: "payment", limit: 10, page: 1 });
  const notices = await admin(fake, "/__notices");
  await call("getNotification", { token: notices.find((notice) => notice.form).form[0][1] });
  const second = await call("createOneStepCharge", {}, order("ref2", company));
  await call("cancelCharge", { id: second.data.charge_id });
}

charges().then(received).then(payouts).then(boletos).then(end);
