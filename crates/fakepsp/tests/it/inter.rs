//! Banco Inter, over mutual TLS.

use fakepsp::settings::Settings;
use serde_json::{Value, json};

use crate::harness::{Answer, Bank, KEY, Request, TXID, charge};
use crate::receiver::Receiver;

const SCOPES: &str = "cob.write cob.read pix.read pix.write webhook.write \
     boleto-cobranca.read boleto-cobranca.write extrato.read pagamento-pix.read \
     pagamento-pix.write webhook-banking.write";
const UUID: &str = "0b9f0a5e-6e0e-4a5e-9f35-0123456789ab";

async fn door(bank: &Bank, scopes: &str) -> Answer {
    let scopes = scopes.split_whitespace().collect::<Vec<_>>().join("+");
    let form = format!(
        "client_id=client&client_secret=secret&grant_type=client_credentials&scope={scopes}"
    );
    bank.mutual(Request::new("POST", "/oauth/v2/token").form(&form)).await.unwrap()
}

/// A bank whose token door may be used as often as the tests want, and its token.
async fn start() -> (Bank, String) {
    let bank = Bank::start().await;
    let token = door(&bank, SCOPES).await.json()["access_token"].as_str().unwrap().to_owned();
    (bank, token)
}

async fn send(bank: &Bank, token: &str, method: &str, path: &str, body: Value) -> Answer {
    let request = Request::new(method, path).bearer(token);
    let request = if body.is_null() { request } else { request.json(&body) };
    bank.mutual(request).await.unwrap()
}

fn slip(number: &str) -> Value {
    json!({
        "seuNumero": number,
        "valorNominal": 2.5,
        "dataVencimento": "2026-12-10",
        "numDiasAgenda": 30,
        "pagador": {
            "cpfCnpj": "52998224725", "tipoPessoa": "FISICA", "nome": "Ana Souza",
            "endereco": "Rua A", "cidade": "São Paulo", "uf": "SP", "cep": "01001000",
        },
    })
}

#[tokio::test]
async fn a_token_is_asked_for_with_a_form_and_few_times_a_minute() {
    let bank = Bank::start().await;

    let granted = door(&bank, "cob.read extrato.read").await;
    let unknown = door(&bank, "nonsense").await;
    let json = Request::new("POST", "/oauth/v2/token");
    let json = bank.mutual(json.json(&json!({ "grant_type": "client_credentials" }))).await;
    for _ in 0..2 {
        door(&bank, "cob.read").await;
    }
    let sixth = door(&bank, "cob.read").await;
    bank.admin("/__clock", json!({ "advance_seconds": 60 })).await;

    assert_eq!(granted.json()["scope"], "cob.read extrato.read");
    assert_eq!((unknown.status, json.unwrap().status, sixth.status), (400, 400, 429));
    assert_eq!(door(&bank, "cob.read").await.status, 200);
    let token = granted.json()["access_token"].as_str().unwrap().to_owned();
    let refused = send(&bank, &token, "GET", "/pix/v2/pix", Value::Null).await;
    assert_eq!(refused.status, 403);
}

#[tokio::test]
async fn charges_are_the_central_banks_with_inters_spelling_and_errors() {
    let (bank, token) = start().await;
    let path = format!("/pix/v2/cob/{TXID}");
    let put = || send(&bank, &token, "PUT", &path, charge("10.00"));

    let created = put().await;
    let again = put().await;
    let removal = json!({ "status": "REMOVIDA_PELO_USUARIO_RECEBEDOR" });
    let removed = send(&bank, &token, "PATCH", &path, removal).await;
    let unknown = format!("/pix/v2/cob/{}", TXID.replace('7', "8"));
    let unknown = send(&bank, &token, "GET", &unknown, Value::Null).await;

    assert_eq!(created.status, 201);
    assert_eq!(
        (again.status, again.header("content-type")),
        (400, Some("application/problem+json"))
    );
    assert_eq!(removed.json()["status"], "REMOVIDO_PELO_USUARIO_RECEBEDOR");
    assert_eq!(unknown.status, 404);
    let state = bank.get("/__state").await;
    assert_eq!(state["efi"]["pix"]["charges"], json!([]));
}

#[tokio::test]
async fn a_received_pix_is_notified_and_refunded() {
    let (bank, token) = start().await;
    let receiver = Receiver::start(&[200]).await;
    let hook = json!({ "webhookUrl": receiver.url() });
    let path = format!("/pix/v2/webhook/{KEY}");
    assert_eq!(send(&bank, &token, "PUT", &path, hook).await.status, 200);
    send(&bank, &token, "PUT", &format!("/pix/v2/cob/{TXID}"), charge("10.00")).await;
    let paid = bank.admin("/__pay", json!({ "dialect": "inter", "charge": TXID })).await;
    let e2e = paid["e2e"][0].as_str().unwrap();

    let path = format!("/pix/v2/pix/{e2e}/devolucao/r1");
    let body = json!({ "valor": "1.00", "natureza": "ORIGINAL" });
    let refund = send(&bank, &token, "PUT", &path, body).await;
    bank.fake.settle().await;

    assert_eq!(refund.status, 201);
    let notices = receiver.notices();
    assert_eq!(notices[0]["pix"][0]["endToEndId"], json!(e2e));
    assert_eq!(notices[1]["pix"][0]["devolucoes"][0]["status"], "DEVOLVIDO");
}

#[tokio::test]
async fn a_slip_is_unknown_at_first_then_in_process_then_registered() {
    let (bank, token) = start().await;
    let created = send(&bank, &token, "POST", "/cobranca/v3/cobrancas", slip("NF-1")).await;
    let code = created.json()["codigoSolicitacao"].as_str().unwrap().to_owned();
    let ask = || async {
        let path = format!("/cobranca/v3/cobrancas/{code}");
        send(&bank, &token, "GET", &path, Value::Null).await
    };

    let (first, second, third) = (ask().await, ask().await, ask().await);

    assert_eq!((created.status, first.status), (200, 404));
    let second = second.json();
    assert_eq!(second["cobranca"]["situacao"], "EM_PROCESSAMENTO");
    assert_eq!(second["boleto"], Value::Null);
    let third = third.json();
    assert_eq!(third["cobranca"]["situacao"], "A_RECEBER");
    assert_eq!(third["cobranca"]["valorNominal"], json!(2.5));
    let boleto = &third["boleto"];
    let length = |name: &str| boleto[name].as_str().unwrap().len();
    assert_eq!((length("codigoBarras"), length("linhaDigitavel")), (44, 47));
    assert!(third["pix"]["pixCopiaECola"].is_string());
}

#[tokio::test]
async fn the_same_slip_is_refused_for_half_an_hour() {
    let (bank, token) = start().await;
    let create =
        |number: &'static str| send(&bank, &token, "POST", "/cobranca/v3/cobrancas", slip(number));

    let (first, again, other) = (create("NF-1").await, create("NF-1").await, create("NF-2").await);
    bank.admin("/__clock", json!({ "advance_seconds": 1_800 })).await;
    let later = create("NF-1").await;

    let statuses = [first, again, other, later].map(|answer| answer.status);
    assert_eq!(statuses, [200, 409, 200, 200]);
}

#[tokio::test]
async fn a_slip_that_breaks_a_rule_is_refused() {
    let (bank, token) = start().await;
    for (pointer, value) in [
        ("/seuNumero", json!("1234567890123456")),
        ("/valorNominal", json!("2.50")),
        ("/valorNominal", json!(2.49)),
        ("/valorNominal", json!(2.505)),
        ("/dataVencimento", json!("2026-11-22")),
        ("/numDiasAgenda", json!(61)),
        ("/pagador/cep", json!("")),
        ("/pagador/cpfCnpj", json!("52998224726")),
        ("/pagador/tipoPessoa", json!("JURIDICA")),
    ] {
        let mut body = slip("NF-1");
        *body.pointer_mut(pointer).unwrap() = value;
        let answer = send(&bank, &token, "POST", "/cobranca/v3/cobrancas", body).await;
        assert_eq!(answer.status, 400, "{pointer}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_paid_slip_is_notified_in_an_array_and_found_by_the_day_it_was_paid() {
    let (bank, token) = start().await;
    let receiver = Receiver::start(&[200]).await;
    let hook = json!({ "webhookUrl": receiver.url() });
    let path = "/cobranca/v3/cobrancas/webhook";
    assert_eq!(send(&bank, &token, "PUT", path, hook).await.status, 204);
    send(&bank, &token, "POST", "/cobranca/v3/cobrancas", slip("NF-1")).await;

    bank.admin("/__pay", json!({ "dialect": "inter", "charge": "NF-1", "by": "pix" })).await;
    bank.fake.settle().await;

    let notice = receiver.posted()[0].json();
    assert_eq!(notice[0]["situacao"], "RECEBIDO");
    assert_eq!(notice[0]["origemRecebimento"], "PIX");
    assert_eq!(notice[0]["valorTotalRecebido"], "2.50");
    let window = "dataInicial=2026-11-23&dataFinal=2026-11-23&filtrarDataPor=PAGAMENTO";
    let path = format!("/cobranca/v3/cobrancas?{window}");
    let listed = send(&bank, &token, "GET", &path, Value::Null).await.json();
    assert_eq!((&listed["totalElementos"], &listed["ultimaPagina"]), (&json!(1), &json!(true)));
    assert_eq!(listed["cobrancas"][0]["cobranca"]["seuNumero"], "NF-1");
}

#[tokio::test]
async fn a_slip_is_cancelled_once() {
    let (bank, token) = start().await;
    let created = send(&bank, &token, "POST", "/cobranca/v3/cobrancas", slip("NF-1")).await;
    let code = created.json()["codigoSolicitacao"].as_str().unwrap().to_owned();
    let path = format!("/cobranca/v3/cobrancas/{code}/cancelar");
    let reason = json!({ "motivoCancelamento": "ACERTOS" });
    let cancel = || send(&bank, &token, "POST", &path, reason.clone());

    assert_eq!([cancel().await.status, cancel().await.status], [202, 400]);
    let state = bank.get("/__state").await;
    assert_eq!(state["inter"]["slips"][0]["cobranca"]["situacao"], "CANCELADO");
}

fn payout(amount: f64) -> Value {
    json!({ "valor": amount, "destinatario": { "tipo": "CHAVE", "chave": "payee@example.com" } })
}

async fn pay(bank: &Bank, token: &str, key: &str, amount: f64) -> Answer {
    let request = Request::new("POST", "/banking/v2/pix").bearer(token);
    let request = request.header("x-id-idempotente", key).json(&payout(amount));
    bank.mutual(request).await.unwrap()
}

#[tokio::test]
async fn two_payouts_with_one_key_are_one() {
    let (bank, token) = start().await;

    let first = pay(&bank, &token, UUID, 12.34).await.json();
    let again = pay(&bank, &token, UUID, 12.34).await.json();
    let other = pay(&bank, &token, UUID, 12.35).await;

    assert_eq!(first["codigoSolicitacao"], again["codigoSolicitacao"]);
    assert_eq!((&first["tipoRetorno"], other.status), (&json!("PROCESSADO"), 409));
    let path = format!("/banking/v2/pix/{}", first["codigoSolicitacao"].as_str().unwrap());
    let found = send(&bank, &token, "GET", &path, Value::Null).await.json();
    assert_eq!(found["transacaoPix"]["status"], "PAGO");
    assert!(found["transacaoPix"]["endToEnd"].as_str().unwrap().starts_with("E00416968"));
    assert_eq!(found["historico"].as_array().unwrap().len(), 2);
    let balance = send(&bank, &token, "GET", "/banking/v2/saldo", Value::Null).await.json();
    assert_eq!(balance["disponivel"], json!(999_987.66));
}

#[tokio::test]
async fn a_payout_waits_for_a_person_fails_and_is_notified() {
    let (bank, token) = start().await;
    let receiver = Receiver::start(&[200]).await;
    let hook = json!({ "webhookUrl": receiver.url() });
    let path = "/banking/v2/webhooks/pix-pagamento";
    assert_eq!(send(&bank, &token, "PUT", path, hook).await.status, 204);
    bank.admin("/__payout", json!({ "dialect": "inter", "outcome": "process" })).await;

    let created = pay(&bank, &token, UUID, 1.0).await.json();
    let refuse = json!({
        "dialect": "inter", "outcome": "refuse", "code": "AC03",
        "id": created["codigoSolicitacao"],
    });
    bank.admin("/__payout", refuse).await;
    bank.fake.settle().await;

    assert_eq!(created["tipoRetorno"], "APROVACAO");
    let statuses: Vec<Value> =
        receiver.posted().iter().map(|it| it.json()[0]["status"].clone()).collect();
    assert_eq!(statuses, ["AGUARDANDO_APROVACAO", "FALHA"]);
    let state = bank.get("/__state").await;
    let transfer = &state["inter"]["payouts"][0]["transacaoPix"];
    assert_eq!(transfer["erros"][0]["codigoErro"], "AC03");
    assert_eq!(state["inter"]["pix"]["balance_cents"], 100_000_000);
}

#[tokio::test]
async fn the_limit_of_tokens_can_be_lifted() {
    let bank = Bank::set(Settings { inter_token_limit: 0, ..Settings::default() }).await;
    for _ in 0..7 {
        assert_eq!(door(&bank, "cob.read").await.status, 200);
    }
}
