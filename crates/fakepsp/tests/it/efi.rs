//! Efí's API Pix: charges, received Pix, refunds, addresses of notices.

use fakepsp::settings::Settings;
use serde_json::{Value, json};

use crate::harness::{Bank, KEY, NOON, Request, TXID, charge};
use crate::receiver::Receiver;

const WINDOW: &str = "inicio=2026-11-23T00:00:00Z&fim=2026-11-24T00:00:00Z";

#[tokio::test]
async fn a_charge_is_created_as_the_central_bank_and_efi_write_it() {
    let bank = Bank::start().await;

    let answer = bank.charge(TXID, "123.45").await;

    assert_eq!(answer.status, 201);
    let cob = answer.json();
    assert_eq!(cob["status"], "ATIVA");
    assert_eq!(cob["valor"]["original"], "123.45");
    assert_eq!(cob["calendario"]["criacao"], "2026-11-23T15:00:00.000Z");
    assert_eq!(cob["loc"]["txid"], TXID);
    let location = cob["location"].as_str().unwrap();
    assert!(!location.contains("://"), "{location}");
    let code = cob["pixCopiaECola"].as_str().unwrap();
    assert!(code.contains(&format!("25{:02}{location}", location.len())), "{code}");
    assert_eq!(bank.efi("GET", &format!("/v2/cob/{TXID}"), Value::Null).await.json(), cob);
    let id = &cob["loc"]["id"];
    let drawn = bank.efi("GET", &format!("/v2/loc/{id}/qrcode"), Value::Null).await;
    assert_eq!(drawn.json()["qrcode"], code);
}

#[tokio::test]
async fn a_txid_is_used_once() {
    let bank = Bank::start().await;
    bank.charge(TXID, "123.45").await;

    let again = bank.charge(TXID, "123.45").await;

    assert_eq!(again.refusal(), (409, "txid_duplicado".to_owned()));
}

#[tokio::test]
async fn a_charge_that_breaks_a_rule_is_refused_with_the_rules_name() {
    let bank = Bank::set(Settings { keys: vec![KEY.to_owned()], ..Settings::default() }).await;
    let put = |path: &'static str, change: fn(&mut Value)| {
        let mut body = charge("10.00");
        change(&mut body);
        bank.efi("PUT", path, body)
    };
    let good = "/v2/cob/7978c0c97ea847e78e8849634473c1f1";
    for (path, change, name) in [
        (good, (|it| it["valor"]["original"] = json!(10)) as fn(&mut Value), "json_invalido"),
        (good, |it| it["valor"]["original"] = json!("10.0"), "json_invalido"),
        (good, |it| it["valor"]["original"] = json!("0.00"), "valor_invalido"),
        (good, |it| it["calendario"]["expiracao"] = json!(0), "valor_invalido"),
        (good, |it| it["calendario"]["expiracao"] = json!("3600"), "json_invalido"),
        (good, |it| it["devedor"]["cpf"] = json!("12345678900"), "valor_invalido"),
        (good, |it| it["devedor"] = json!({ "nome": "Ana" }), "json_invalido"),
        (good, |it| it["chave"] = json!("other@example.com"), "chave_invalida"),
        (good, |it| drop(it.as_object_mut().unwrap().remove("chave")), "json_invalido"),
        ("/v2/cob/short", |_| {}, "json_invalido"),
    ] {
        let answer = put(path, change).await;
        assert_eq!(answer.refusal(), (400, name.to_owned()), "{}", answer.text);
    }
    assert_eq!(bank.get("/__state").await["efi"]["pix"]["charges"], json!([]));
}

#[tokio::test]
async fn a_removed_charge_cannot_be_revised_and_can_still_be_paid_late() {
    let bank = Bank::start().await;
    bank.charge(TXID, "10.00").await;
    let path = format!("/v2/cob/{TXID}");
    let removal = json!({ "status": "REMOVIDA_PELO_USUARIO_RECEBEDOR" });

    let removed = bank.efi("PATCH", &path, removal.clone()).await;
    let again = bank.efi("PATCH", &path, removal).await;
    let early = json!({ "dialect": "efi", "charge": TXID });
    let refused = bank.fake.admin("POST", "/__pay", &early).await.unwrap().0;
    let late = json!({ "dialect": "efi", "charge": TXID, "late": true });
    bank.admin("/__pay", late).await;

    assert_eq!(removed.json()["status"], "REMOVIDA_PELO_USUARIO_RECEBEDOR");
    assert_eq!(removed.json()["revisao"], 1);
    assert_eq!(again.refusal(), (400, "status_cobranca_invalido".to_owned()));
    assert_eq!(refused, 422);
    let cob = bank.efi("GET", &path, Value::Null).await.json();
    assert_eq!(cob["status"], "REMOVIDA_PELO_USUARIO_RECEBEDOR");
    assert_eq!(cob["pix"][0]["valor"], "10.00");
}

#[tokio::test]
async fn a_paid_charge_is_complete_and_its_pix_is_found_by_id_window_and_txid() {
    let bank = Bank::start().await;

    let e2e = bank.paid("10.00").await;

    let cob = bank.efi("GET", &format!("/v2/cob/{TXID}"), Value::Null).await.json();
    assert_eq!(cob["status"], "CONCLUIDA");
    assert_eq!(cob["pix"][0]["endToEndId"], json!(e2e));
    assert_eq!(cob["pix"][0]["chave"], Value::Null);
    let one = bank.efi("GET", &format!("/v2/pix/{e2e}"), Value::Null).await.json();
    assert_eq!((&one["txid"], &one["chave"]), (&json!(TXID), &json!(KEY)));
    let list = bank.efi("GET", &format!("/v2/pix?{WINDOW}&txid={TXID}"), Value::Null).await.json();
    assert_eq!(list["pix"], json!([one]));
    assert_eq!(list["parametros"]["paginacao"]["quantidadeTotalDeItens"], 1);
}

#[tokio::test]
async fn a_window_has_pages_and_demands_both_ends() {
    let bank = Bank::start().await;
    let key = json!({ "dialect": "efi", "key": KEY, "amount_cents": 100, "times": 5 });
    bank.admin("/__pay", key).await;
    let page = |page: u32| {
        let path =
            format!("/v2/pix?{WINDOW}&paginacao.itensPorPagina=2&paginacao.paginaAtual={page}");
        let bank = &bank;
        async move { bank.efi("GET", &path, Value::Null).await.json() }
    };

    let (first, last, beyond) = (page(0).await, page(2).await, page(3).await);

    let count = |page: &Value| page["pix"].as_array().unwrap().len();
    assert_eq!((count(&first), count(&last), count(&beyond)), (2, 1, 0));
    assert_eq!(first["parametros"]["paginacao"]["quantidadeDePaginas"], 3);
    let open = bank.efi("GET", "/v2/pix?inicio=2026-11-23T00:00:00Z", Value::Null).await;
    assert_eq!(open.refusal(), (400, "json_invalido".to_owned()));
    let reversed = "/v2/pix?inicio=2026-11-24T00:00:00Z&fim=2026-11-23T00:00:00Z";
    let reversed = bank.efi("GET", reversed, Value::Null).await;
    assert_eq!(reversed.refusal(), (400, "valor_invalido".to_owned()));
}

#[tokio::test]
async fn a_charge_expires_without_a_status_and_is_paid_twice_only_late() {
    let bank = Bank::start().await;
    bank.charge(TXID, "10.00").await;
    bank.admin("/__clock", json!({ "advance_seconds": 3_601 })).await;
    let pay = json!({ "dialect": "efi", "charge": TXID });

    let (status, _) = bank.fake.admin("POST", "/__pay", &pay).await.unwrap();
    let twice = json!({ "dialect": "efi", "charge": TXID, "late": true, "times": 2 });
    let twice = bank.admin("/__pay", twice).await;

    assert_eq!(status, 422);
    assert_eq!(twice["e2e"].as_array().unwrap().len(), 2);
    let cob = bank.efi("GET", &format!("/v2/cob/{TXID}"), Value::Null).await.json();
    assert_eq!(
        (cob["status"].as_str(), cob["pix"].as_array().map(Vec::len)),
        (Some("CONCLUIDA"), Some(2))
    );
}

#[tokio::test]
async fn a_refund_is_in_process_at_first_and_done_when_it_is_asked_for() {
    let bank = Bank::start().await;
    let e2e = bank.paid("10.00").await;
    let path = format!("/v2/pix/{e2e}/devolucao/r1");

    let asked = bank.efi("PUT", &path, json!({ "valor": "4.00" })).await;
    let found = bank.efi("GET", &path, Value::Null).await.json();

    assert_eq!((asked.status, &asked.json()["status"]), (201, &json!("EM_PROCESSAMENTO")));
    assert_eq!(found["status"], "DEVOLVIDO");
    assert!(found["rtrId"].as_str().unwrap().starts_with("D09089356202611231500"));
    let cob = bank.efi("GET", &format!("/v2/cob/{TXID}"), Value::Null).await.json();
    assert_eq!(cob["pix"][0]["devolucoes"][0]["id"], "r1");
}

#[tokio::test]
async fn refunds_are_unique_bounded_and_strict() {
    let bank = Bank::start().await;
    let e2e = bank.paid("10.00").await;
    let refund = |e2e: &str, id: &str, body: Value| {
        let path = format!("/v2/pix/{e2e}/devolucao/{id}");
        let bank = &bank;
        async move { bank.efi("PUT", &path, body).await.refusal() }
    };
    let valor = |text: &str| json!({ "valor": text });

    refund(&e2e, "r1", valor("4.00")).await;

    let named = |status: u16, name: &str| (status, name.to_owned());
    let again = refund(&e2e, "r1", valor("4.00")).await;
    assert_eq!(again, named(409, "devolucao_id_duplicado"));
    let too_much = refund(&e2e, "r2", valor("6.01")).await;
    assert_eq!(too_much, named(400, "valor_invalido"));
    let natured = json!({ "valor": "1.00", "natureza": "ORIGINAL" });
    assert_eq!(refund(&e2e, "r3", natured).await, named(400, "json_invalido"));
    let number = refund(&e2e, "r3", json!({ "valor": 1 })).await;
    assert_eq!(number, named(400, "json_invalido"));
    let stranger = refund("E0", "r3", valor("1.00")).await;
    assert_eq!(stranger, named(400, "pix_nao_encontrado"));
    bank.admin("/__clock", json!({ "advance_seconds": 91 * 86_400 })).await;
    let late = refund(&e2e, "r4", valor("1.00")).await;
    assert_eq!(late.0, 400);
}

#[tokio::test]
async fn a_refused_refund_gives_its_amount_free_again() {
    let bank = Bank::start().await;
    let e2e = bank.paid("10.00").await;
    bank.admin("/__refund", json!({ "outcome": "process" })).await;
    let path = format!("/v2/pix/{e2e}/devolucao/r1");
    bank.efi("PUT", &path, json!({ "valor": "10.00" })).await;
    assert_eq!(bank.efi("GET", &path, Value::Null).await.json()["status"], "EM_PROCESSAMENTO");

    bank.admin("/__refund", json!({ "outcome": "refuse", "e2e": e2e, "id": "r1" })).await;

    let found = bank.efi("GET", &path, Value::Null).await.json();
    assert_eq!(found["status"], "NAO_REALIZADO");
    assert!(found["motivo"].is_string());
    let path = format!("/v2/pix/{e2e}/devolucao/r2");
    assert_eq!(bank.efi("PUT", &path, json!({ "valor": "10.00" })).await.status, 201);
}

#[tokio::test]
async fn an_address_is_registered_only_when_it_demands_the_banks_certificate() {
    let bank = Bank::start().await;
    let strict = Receiver::tls(bank.fake.authority(), true).await;
    let loose = Receiver::tls(bank.fake.authority(), false).await;
    let path = format!("/v2/webhook/{KEY}");
    let register = |url: String| bank.efi("PUT", &path, json!({ "webhookUrl": url }));
    let at = |receiver: &Receiver| format!("https://localhost:{}/hook", receiver.address.port());

    let refused = register(at(&loose)).await;
    let registered = register(at(&strict)).await;

    assert_eq!(refused.refusal(), (400, "webhook_invalido".to_owned()));
    assert_eq!(registered.status, 200, "{}", registered.text);
    assert_eq!(strict.posted().len(), 1);
    let found = bank.efi("GET", &path, Value::Null).await.json();
    assert_eq!((&found["webhookUrl"], &found["chave"]), (&json!(at(&strict)), &json!(KEY)));
    assert_eq!(bank.efi("DELETE", &path, Value::Null).await.status, 204);
    assert_eq!(bank.efi("GET", &path, Value::Null).await.status, 400);
}

#[tokio::test]
async fn an_address_elsewhere_or_without_tls_is_refused() {
    let bank = Bank::start().await;
    let path = format!("/v2/webhook/{KEY}");
    for (url, name) in [
        ("https://example.com/hook", "webhook_invalido"),
        ("http://example.com/hook", "valor_invalido"),
        ("nonsense", "valor_invalido"),
        ("https://127.0.0.1:1/hook", "webhook_invalido"),
    ] {
        let answer = bank.efi("PUT", &path, json!({ "webhookUrl": url })).await;
        assert_eq!(answer.refusal(), (400, name.to_owned()), "{url}");
    }
}

#[tokio::test]
async fn a_fraud_report_blocks_and_takes_back_the_money() {
    let bank = Bank::start().await;
    let e2e = bank.paid("10.00").await;
    let path = format!("/v2/gn/infracoes?{WINDOW}");
    let balance =
        || async { bank.efi("GET", "/v2/gn/saldo?bloqueios=true", Value::Null).await.json() };
    let report = json!({ "action": "open", "e2e": e2e, "amount_cents": 600 });
    let id = bank.admin("/__med", report).await["id"].clone();

    assert_eq!(balance().await["bloqueios"]["med"], "6.00");
    let listed = bank.efi("GET", &path, Value::Null).await.json();
    assert_eq!(listed["infracoes"][0]["status"], "ABERTA");
    let defence = json!({ "analise": "rejeitado", "justificativa": "Entregue" });
    let defend = format!("/v2/gn/infracoes/{}/defesa", id.as_str().unwrap());
    assert_eq!(bank.efi("POST", &defend, defence.clone()).await.status, 201);
    assert_eq!(bank.efi("POST", &defend, defence).await.status, 409);
    bank.admin("/__med", json!({ "action": "accept", "id": id })).await;

    assert_eq!(balance().await["bloqueios"]["med"], "0.00");
    assert_eq!(balance().await["saldo"], "1000004.00");
    let pix = bank.efi("GET", &format!("/v2/pix/{e2e}"), Value::Null).await.json();
    assert_eq!(pix["devolucoes"][0]["natureza"], "MED_FRAUDE");
    assert_eq!(pix["devolucoes"][0]["valor"], "6.00");
}

#[tokio::test]
async fn a_token_needs_basic_and_json_and_dies_when_its_time_is_over() {
    let bank = Bank::start().await;
    let door = || Request::new("POST", "/oauth/token");
    let grant = json!({ "grant_type": "client_credentials" });
    let status = |request: Request| async { bank.mutual(request).await.unwrap().status };

    let wrong = status(door().basic("client", "wrong").json(&grant)).await;
    let form = door().basic("client", "secret").form("grant_type=client_credentials");
    let form = status(form).await;
    let token = bank.efi_token().await;
    let ask = || Request::new("GET", "/v2/gn/saldo").bearer(&token);
    let before = status(ask()).await;
    bank.admin("/__clock", json!({ "advance_seconds": 3_600 })).await;

    assert_eq!((wrong, form, before), (401, 400, 200));
    assert_eq!(status(ask()).await, 401);
    assert_eq!(status(Request::new("GET", "/v2/gn/saldo")).await, 401);
}

#[tokio::test]
async fn a_scope_that_was_not_granted_is_refused_and_named_in_the_tokens_answer() {
    let scopes = "cob.write".to_owned();
    let bank = Bank::set(Settings { efi_scopes: scopes, ..Settings::default() }).await;

    let answer = bank.efi("GET", "/v2/gn/saldo", Value::Null).await;

    assert_eq!((answer.status, &answer.json()["error"]), (403, &json!("insufficient_scope")));
    assert_eq!(bank.charge(TXID, "1.00").await.status, 201);
}

#[tokio::test]
async fn an_attacker_of_the_core_with_the_schema_gets_the_standards_errors() {
    let bank = Bank::start().await;
    let put = || {
        let request = Request::new("PUT", &format!("/v2/cob/{TXID}"));
        request.header("authorization", "Bearer x").json(&charge("10.00"))
    };

    let created = bank.plain(put()).await.unwrap();
    let again = bank.plain(put()).await.unwrap();

    assert_eq!((created.status, again.status), (201, 400));
    assert_eq!(again.header("content-type"), Some("application/problem+json"));
    let kind = again.json()["type"].clone();
    assert_eq!(kind, "https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida");
}

#[tokio::test]
async fn the_state_can_be_forgotten_and_ids_go_on() {
    let bank = Bank::start().await;
    let first = bank.paid("10.00").await;

    bank.fake.admin("DELETE", "/__state", &Value::Null).await.unwrap();
    let second = bank.paid("10.00").await;

    assert_ne!(first, second);
    let state = bank.get("/__state").await;
    assert_eq!(state["efi"]["pix"]["received"].as_array().unwrap().len(), 1);
    assert_eq!(state["now"], NOON.replace('Z', ".000Z"));
}
