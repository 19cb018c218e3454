//! Pix that the account sends at Efí.

use fakepsp::settings::Settings;
use serde_json::{Value, json};

use crate::harness::{Bank, KEY};
use crate::receiver::Receiver;

const PAYEE: &str = "payee@example.com";

fn order(amount: &str) -> Value {
    json!({
        "valor": amount,
        "pagador": { "chave": KEY, "infoPagador": "Saque 7" },
        "favorecido": { "chave": PAYEE, "cpf": "12345678909" },
    })
}

async fn send(bank: &Bank, id: &str, body: Value) -> crate::harness::Answer {
    bank.efi("PUT", &format!("/v3/gn/pix/{id}"), body).await
}

async fn found(bank: &Bank, id: &str) -> Value {
    let path = format!("/v2/gn/pix/enviados/id-envio/{id}");
    bank.efi("GET", &path, Value::Null).await.json()
}

async fn listening(settings: Settings) -> (Bank, Receiver) {
    let bank = Bank::set(settings).await;
    let receiver = Receiver::start(&[200]).await;
    bank.listen(&receiver.url()).await;
    (bank, receiver)
}

#[tokio::test]
async fn a_payout_is_in_process_in_its_answer_and_done_in_its_notice() {
    let (bank, receiver) = listening(Settings::default()).await;

    let answer = send(&bank, "w1", order("12.34")).await;
    bank.fake.settle().await;

    assert_eq!(answer.status, 201);
    assert_eq!(answer.json()["status"], "EM_PROCESSAMENTO");
    let notice = &receiver.notices()[0]["pix"][0];
    assert_eq!(notice["tipo"], "SOLICITACAO");
    assert_eq!(notice["status"], "REALIZADO");
    assert_eq!(notice["gnExtras"]["idEnvio"], "w1");
    let sent = found(&bank, "w1").await;
    assert_eq!(sent["endToEndId"], answer.json()["endToEndId"]);
    assert_eq!((&sent["status"], &sent["valor"]), (&json!("REALIZADO"), &json!("12.34")));
    let balance = bank.efi("GET", "/v2/gn/saldo", Value::Null).await.json();
    assert_eq!(balance["saldo"], "999987.66");
}

#[tokio::test]
async fn a_payout_needs_a_webhook_a_new_id_and_nothing_that_the_schema_does_not_know() {
    let bank = Bank::start().await;
    let deaf = send(&bank, "w1", order("1.00")).await;
    bank.listen(&Receiver::start(&[200]).await.url()).await;
    send(&bank, "w1", order("1.00")).await;

    let again = send(&bank, "w1", order("1.00")).await;
    let mut extra = order("1.00");
    extra["favorecido"]["nome"] = json!("Ana");
    let extra = send(&bank, "w2", extra).await;
    let number = send(&bank, "w2", json!({ "valor": 1 })).await;
    let hyphens = send(&bank, "a-b", order("1.00")).await;

    assert_eq!(deaf.refusal(), (400, "webhook_nao_cadastrado".to_owned()));
    assert_eq!(again.refusal(), (409, "id_envio_duplicado".to_owned()));
    for answer in [extra, number, hyphens] {
        assert_eq!(answer.refusal(), (400, "json_invalido".to_owned()), "{}", answer.text);
    }
    let state = bank.get("/__state").await;
    assert_eq!(state["efi"]["payouts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_of_another_document_and_a_key_that_is_not_ours_are_refused() {
    let holders = [(PAYEE.to_owned(), "52998224725".to_owned())].into();
    let keys = vec![KEY.to_owned()];
    let (bank, _receiver) = listening(Settings { holders, keys, ..Settings::default() }).await;
    let mut foreign = order("1.00");
    foreign["pagador"]["chave"] = json!("other@example.com");

    let other = send(&bank, "w1", order("1.00")).await;
    let foreign = send(&bank, "w1", foreign).await;

    assert_eq!(other.refusal(), (400, "chave_nao_pertence_ao_documento".to_owned()));
    assert_eq!(foreign.refusal(), (400, "chave_invalida".to_owned()));
}

#[tokio::test]
async fn the_next_payouts_come_to_what_the_test_says() {
    let (bank, receiver) = listening(Settings::default()).await;
    for outcome in [
        json!({ "outcome": "refuse", "code": "AC06" }),
        json!({ "outcome": "process" }),
        json!({ "outcome": "return", "parts_cents": [200, 300] }),
        json!({ "outcome": "contradict" }),
        json!({ "outcome": "reject", "status": 422, "name": "pagamento_negado", "text": "Não" }),
    ] {
        bank.admin("/__payout", outcome).await;
    }
    let mut statuses = Vec::new();
    for id in ["refused", "waiting", "returned", "contradicted", "rejected"] {
        statuses.push(send(&bank, id, order("5.00")).await.status);
    }
    bank.fake.settle().await;

    assert_eq!(statuses, [201, 201, 201, 201, 422]);
    let status = |sent: &Value| sent["status"].as_str().unwrap().to_owned();
    let refused = found(&bank, "refused").await;
    assert_eq!(status(&refused), "NAO_REALIZADO");
    assert_eq!(refused["gnExtras"]["erro"]["codigo"], "AC06");
    assert_eq!(status(&found(&bank, "waiting").await), "EM_PROCESSAMENTO");
    let returned = found(&bank, "returned").await;
    assert_eq!(returned["devolucoes"].as_array().unwrap().len(), 2);
    assert_eq!(status(&found(&bank, "contradicted").await), "REALIZADO");
    let unknown = found(&bank, "rejected").await;
    assert_eq!(unknown["type"], "https://pix.bcb.gov.br/api/v2/error/PixEnviadoNaoEncontrado");
    let notices: Vec<Value> = receiver.notices().iter().map(|it| it["pix"][0].clone()).collect();
    let of = |id: &str| notices.iter().filter(|it| it["gnExtras"]["idEnvio"] == id).count();
    assert_eq!(["refused", "waiting", "returned", "contradicted"].map(of), [1, 0, 3, 2]);
    assert_eq!(notices[0]["horario"], Value::Null);

    bank.admin("/__payout", json!({ "id": "waiting", "outcome": "pay" })).await;
    assert_eq!(status(&found(&bank, "waiting").await), "REALIZADO");
    let balance = bank.efi("GET", "/v2/gn/saldo", Value::Null).await.json();
    assert_eq!(balance["saldo"], "999990.00");
}

#[tokio::test]
async fn the_test_environments_amounts_decide_where_it_is_asked_for() {
    let settings = Settings { efi_homologation: true, ..Settings::default() };
    let (bank, _receiver) = listening(settings).await;
    let mut came_to = Vec::new();
    for (id, amount) in [("a", "4.00"), ("b", "10.00"), ("c", "10.01"), ("d", "20.01")] {
        let status = send(&bank, id, order(amount)).await.status;
        came_to.push((status, found(&bank, id).await["status"].clone()));
    }

    let expected = [(201, json!("REALIZADO")), (201, json!("REALIZADO"))];
    assert_eq!(came_to[..2], expected);
    assert_eq!(came_to[2], (201, json!("NAO_REALIZADO")));
    assert_eq!(came_to[3].0, 422);
    assert_eq!(found(&bank, "a").await["devolucoes"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn payouts_are_listed_by_window_and_more_than_the_balance_is_refused() {
    let (bank, _receiver) = listening(Settings::default()).await;
    bank.admin("/__balance", json!({ "cents": 100 })).await;
    send(&bank, "w1", order("1.00")).await;

    let poor = send(&bank, "w2", order("0.01")).await;

    assert_eq!(poor.refusal(), (400, "saldo_insuficiente".to_owned()));
    let window = "inicio=2026-11-23T00:00:00Z&fim=2026-11-24T00:00:00Z";
    let path = format!("/v2/gn/pix/enviados?{window}");
    let listed = bank.efi("GET", &path, Value::Null).await.json();
    assert_eq!(listed["pix"].as_array().unwrap().len(), 1);
    assert_eq!(listed["pix"][0]["idEnvio"], "w1");
}
