//! Boletos that a bank makes after it took their order: their buyer waits a moment, their payment
//! is booked whether they are known or not, and one that is never made ends.

use std::time::Duration;

use serde_json::{Value, json};

use super::boleto_scene::{BoletoScene, Profile, Step, sale};
use super::payments::pass;
use super::scene::pass_in;
use super::{KEY, administrator, inter, read, status};
use crate::checkout::{BUYER, browser};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::id;

const TRANSACTIONS: &str = "/api/v1/transactions";
const ADDRESS: [(&str, &str); 6] = [
    ("postal_code", "01001-000"),
    ("street", "Rua A"),
    ("number", "12"),
    ("district", "Centro"),
    ("city", "São Paulo"),
    ("state", "SP"),
];

async fn open(test: &TestApp) -> BoletoScene {
    BoletoScene::open(test, Profile::Inter).await
}

/// Has the bank take so long that it is still making a boleto however often it is asked.
async fn takes_its_time(scene: &BoletoScene) {
    scene.bank.at("/__settings", json!({ "inter_slip_processing_asks": 1_000_000 })).await;
}

/// The path of the form of a link for real money.
async fn link_form(scene: &BoletoScene) -> String {
    let draft = json!({ "title": "Curso", "amountCents": 10_000, "settings": {} });
    let link = scene.shop.owner.post("/api/v1/payment-links", draft).await.expect(201);
    format!("/pay/{}", link["data"]["slug"].as_str().expect("has one"))
}

/// How much money waits for an administrator.
async fn open_money(test: &TestApp) -> usize {
    administrator(test).await.list("/api/admin/unmatched?status=OPEN").await.len()
}

/// The path of a charge's page.
fn page_of(charge: &Value) -> String {
    let url = charge["paymentUrl"].as_str().expect("has a page");
    url[url.find("/pay/").expect("is a path")..].to_owned()
}

#[story::test]
async fn a_boleto_is_shown_once_its_bank_has_made_it_and_its_event_says_so(test: &TestApp) {
    let scene = open(test).await;
    let charge = scene.order().await;
    assert_eq!((&charge["status"], &charge["method"]), (&json!("PENDING"), &json!("BOLETO")));
    assert_eq!((&charge["boleto"], &charge["pix"]), (&json!(null), &json!(null)));
    assert!(charge["expiresAt"].is_string(), "{charge}");
    assert_eq!(scene.events("transaction.created").await, 1);
    let made = scene.until_made(test, &charge).await;
    let at_bank = scene.bank.has("/inter/slips/0").await;
    assert_eq!(made["boleto"]["digitableLine"], at_bank["boleto"]["linhaDigitavel"]);
    assert_eq!(made["boleto"]["barcode"], at_bank["boleto"]["codigoBarras"]);
    assert_eq!(made["pix"]["brCode"], at_bank["pix"]["pixCopiaECola"]);
    assert_eq!(made["pix"]["txid"], at_bank["pix"]["txid"]);
    assert_eq!(scene.events("transaction.updated").await, 1);
    let asked = scene.calls(Step::Notice).await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(20)).await;
    assert_eq!(scene.calls(Step::Notice).await, asked, "what is known is not asked for");
    assert_eq!(scene.events("transaction.updated").await, 1);
}

#[story::test]
async fn the_page_says_in_both_languages_that_a_boleto_is_being_made_and_loads_itself_again(
    test: &TestApp,
) {
    let (scene, browser) = (open(test).await, browser(test));
    let charge = scene.order().await;
    let place = page_of(&charge);
    let page = Page::of(browser.get(&place).await, 200);
    assert_eq!(page.heading(), "Seu boleto está sendo emitido");
    assert!(page.says("http-equiv=\"refresh\"") && page.says("se atualiza sozinha"));
    let english = Page::of(browser.get(&format!("{place}&lang=en")).await, 200);
    assert_eq!(english.heading(), "Your slip is being made");
    assert!(english.says("http-equiv=\"refresh\""));
    let document = place.replace("?token", "/boleto.pdf?token");
    let early = browser.get(&document).await;
    assert_eq!((early.status, early.header("location")), (303, Some(&*place)));
    let made = scene.until_made(test, &charge).await;
    let page = Page::of(browser.get(&format!("{place}&lang=pt-BR")).await, 200);
    assert_eq!(page.heading(), "Pague o boleto");
    assert!(!page.says("http-equiv=\"refresh\""));
    assert_eq!(page.code(), made["pix"]["brCode"].as_str());
    assert_eq!(browser.get(&document).await.header("content-type"), Some("application/pdf"));
}

#[story::test]
async fn a_boleto_that_the_bank_does_not_make_fails_its_charge_and_its_buyer_gets_another(
    test: &TestApp,
) {
    let (scene, browser) = (open(test).await, browser(test));
    let charge = scene.order().await;
    scene.happens("failed", json!({})).await;
    pass_in(test, &scene.bank, 2, Duration::from_secs(2)).await;
    let now = read(&scene.shop, &charge).await;
    assert_eq!(
        (&now["status"], &now["failureReason"]),
        (&json!("FAILED"), &json!("boleto_not_made"))
    );
    assert_eq!(scene.events("transaction.failed").await, 1);
    let place = page_of(&charge);
    let page = Page::of(browser.get(&place).await, 200);
    assert_eq!(page.heading(), "O banco não emitiu este boleto");
    let english = Page::of(browser.get(&format!("{place}&lang=en")).await, 200);
    assert_eq!(english.heading(), "The bank did not make this slip");
    let (renew, token) = (page.action("renew"), page.hidden("token").expect("has one"));
    let renewed = browser.submit(renew.expect("offers another"), &[("token", token)]).await;
    assert_eq!(renewed.status, 303, "{}", renewed.text);
    assert_eq!(scene.states().await, ["FALHA_EMISSAO", "open"]);
    pass_in(test, &scene.bank, 4, Duration::from_mins(15)).await;
    assert_eq!(scene.states().await, ["FALHA_EMISSAO", "open"]);
}

#[story::test]
async fn a_boleto_without_its_payers_address_is_refused_and_nothing_is_stored_or_ordered(
    test: &TestApp,
) {
    let scene = open(test).await;
    let mut without = sale(10_000);
    without["customer"].as_object_mut().expect("is an object").remove("address");
    let refused = scene.shop.owner.post(TRANSACTIONS, without).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["customer.address"]);
    let known = json!({
        "name": "Ana Souza", "email": "ana@example.com", "document": "529.982.247-25",
    });
    let known = scene.shop.owner.post("/api/clients", known).await.expect(201)["client"].clone();
    let by_id = json!({ "amountCents": 10_000, "method": "BOLETO", "customerId": id(&known) });
    let refused = scene.shop.owner.post(TRANSACTIONS, by_id).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["customer.address"]);
    assert_eq!(scene.shop.owner.total(TRANSACTIONS).await, 0);
    assert_eq!(scene.calls(Step::Order).await, 0);
    assert_eq!(scene.events("transaction.created").await, 0);
}

#[story::test]
async fn the_form_asks_for_the_address_that_the_bank_wants_and_only_boletos_need_it(
    test: &TestApp,
) {
    let (scene, browser) = (open(test).await, browser(test));
    scene.bank.route("pix", id(&scene.bank.connection)).await.expect(200);
    let form = link_form(&scene).await;
    let shown = Page::of(browser.get(&form).await, 200);
    assert_eq!(shown.label("postal_code"), Some("CEP"));
    assert!(shown.says("Necessário para pagar por boleto."));
    let english = Page::of(browser.get(&format!("{form}?lang=en")).await, 200);
    assert!(english.says("Required to pay by bank slip."));
    let attempt = ("attempt", shown.hidden("attempt").expect("is there"));
    let boleto = [&BUYER[..], &[("method", "BOLETO"), attempt]].concat();
    let refused = Page::of(browser.submit(&form, &boleto).await, 422);
    assert_eq!(refused.wrong(), ["postal_code", "street", "number", "district", "city", "state"]);
    let whole = [&boleto[..], &ADDRESS[..]].concat();
    let ordered = browser.submit(&form, &whole).await;
    assert_eq!(ordered.status, 303, "{}", ordered.text);
    let again = Page::of(browser.get(&form).await, 200);
    let attempt = ("attempt", again.hidden("attempt").expect("is there"));
    let by_pix = [&BUYER[..], &[("method", "PIX"), attempt]].concat();
    assert_eq!(browser.submit(&form, &by_pix).await.status, 303);
    assert_eq!(scene.codes().await.len(), 1);
    assert_eq!(scene.shop.owner.total(TRANSACTIONS).await, 2);
}

#[story::test]
async fn a_buyer_whose_new_boleto_needs_an_address_is_led_to_the_form(test: &TestApp) {
    let (efi, browser) = (BoletoScene::open(test, Profile::Efi).await, browser(test));
    let form = link_form(&efi).await;
    let shown = Page::of(browser.get(&form).await, 200);
    assert_eq!(shown.label("postal_code"), None);
    let attempt = ("attempt", shown.hidden("attempt").expect("is there"));
    let boleto = [&BUYER[..], &[("method", "BOLETO"), attempt]].concat();
    let ordered = browser.submit(&form, &boleto).await;
    let place = ordered.header("location").expect("leads to its page").to_owned();
    pass_in(test, &efi.bank, 40, Duration::from_hours(6)).await;
    let inter = inter(test).await;
    inter.route("boleto", id(&inter.connection)).await.expect(200);
    let expired = Page::of(browser.get(&place).await, 200);
    let (renew, token) = (expired.action("renew"), expired.hidden("token").expect("has one"));
    let led = browser.submit(renew.expect("offers another"), &[("token", token)]).await;
    assert_eq!((led.status, led.header("location")), (303, Some(&*form)), "{}", led.text);
    let shown = Page::of(browser.get(&form).await, 200);
    assert_eq!(shown.label("postal_code"), Some("CEP"));
    assert_eq!(inter.count("/inter/slips").await, 0);
}

#[story::test]
async fn a_boleto_that_is_paid_before_it_is_known_is_booked_and_known_afterwards(test: &TestApp) {
    let scene = open(test).await;
    takes_its_time(&scene).await;
    for by_notice in [true, false] {
        let charge = scene.order().await;
        // The bank cannot be asked about the boleto, but about what its notice names.
        scene.happens("boleto", json!({})).await;
        if by_notice {
            scene.notify(test).await;
        } else {
            scene.fault(Step::Notice, json!({ "fault": "status", "status": 500 })).await;
            pass_in(test, &scene.bank, 8, Duration::from_mins(5)).await;
        }
        let now = read(&scene.shop, &charge).await;
        assert_eq!((&now["status"], &now["boleto"]), (&json!("PAID"), &json!(null)), "{now}");
        scene.bank.recovers().await;
        pass_in(test, &scene.bank, 2, Duration::from_mins(15)).await;
        let now = read(&scene.shop, &charge).await;
        assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PAID"), &json!(0)));
        assert!(now["boleto"]["digitableLine"].is_string(), "{now}");
    }
    assert_eq!(scene.pending().await, 20_000);
    assert_eq!(scene.events("transaction.paid").await, 2);
}

#[story::test]
async fn a_pix_that_comes_before_its_boleto_is_known_is_booked_once(test: &TestApp) {
    let scene = open(test).await;
    takes_its_time(&scene).await;
    for (round, is_reported_as_boleto) in [false, true].into_iter().enumerate() {
        let charge = scene.order().await;
        let txid = scene.bank.has(&format!("/inter/slips/{round}/txid")).await;
        let pix = json!({ "dialect": "inter", "charge": txid, "key": KEY, "amount_cents": 10_000 });
        scene.bank.at("/__pay", pix).await;
        pass(test, &scene.bank, Duration::from_mins(8)).await;
        assert_eq!(open_money(test).await, 1);
        if is_reported_as_boleto {
            scene.happens("pix", json!({})).await;
            scene.notify(test).await;
            assert_eq!(status(&scene.shop, &charge).await, "PAID");
        }
        scene.bank.at("/__settings", json!({ "inter_slip_processing_asks": 0 })).await;
        pass_in(test, &scene.bank, 2, Duration::from_mins(16)).await;
        let now = read(&scene.shop, &charge).await;
        assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PAID"), &json!(0)));
        assert_eq!(open_money(test).await, 0);
        takes_its_time(&scene).await;
    }
    assert_eq!(scene.events("transaction.paid").await, 2);
}

#[story::test]
async fn a_boleto_that_was_paid_before_it_was_known_is_refunded_to_a_key(test: &TestApp) {
    let scene = open(test).await;
    scene.bank.route("payout", id(&scene.bank.connection)).await.expect(200);
    takes_its_time(&scene).await;
    let charge = scene.order().await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    pass_in(test, &scene.bank, 10, Duration::from_hours(8)).await;
    let path = format!("{TRANSACTIONS}/{}/refund", id(&charge));
    let wanted = json!({ "reason": "Devolvido.", "refundPixKey": "ana@example.com" });
    scene.shop.owner.post(&path, wanted).await.expect(201);
    test.run_jobs().await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(1)).await;
    assert_eq!(status(&scene.shop, &charge).await, "REFUNDED");
    assert_eq!(scene.bank.count("/inter/payouts").await, 1);
}

#[story::test]
async fn a_charge_that_is_cancelled_while_its_boleto_is_made_has_it_closed(test: &TestApp) {
    let scene = open(test).await;
    takes_its_time(&scene).await;
    let charge = scene.order().await;
    let path = format!("{TRANSACTIONS}/{}/cancel", id(&charge));
    scene.shop.owner.post(&path, json!({})).await.expect(200);
    pass_in(test, &scene.bank, 3, Duration::from_mins(1)).await;
    assert_eq!(scene.states().await, ["closed"]);
    assert_eq!(status(&scene.shop, &charge).await, "CANCELLED");
    assert_eq!(scene.events("transaction.updated").await, 0);
}

#[story::test]
async fn a_boleto_that_is_never_made_expires_and_is_closed(test: &TestApp) {
    let scene = open(test).await;
    takes_its_time(&scene).await;
    let charge = scene.order().await;
    pass_in(test, &scene.bank, 20, Duration::from_hours(6)).await;
    assert_eq!(status(&scene.shop, &charge).await, "PENDING");
    pass_in(test, &scene.bank, 20, Duration::from_hours(6)).await;
    assert_eq!(status(&scene.shop, &charge).await, "EXPIRED");
    assert_eq!(scene.states().await, ["closed"]);
    let asked = scene.calls(Step::Notice).await;
    pass_in(test, &scene.bank, 3, Duration::from_hours(6)).await;
    assert_eq!(scene.calls(Step::Notice).await, asked, "it is asked about no more");
}

#[story::test]
async fn a_bank_that_cannot_be_asked_makes_no_boleto_fail(test: &TestApp) {
    let scene = open(test).await;
    let charge = scene.order().await;
    for fault in [
        json!({ "fault": "status", "status": 500, "times": 1 }),
        json!({ "fault": "html", "times": 1 }),
        json!({ "fault": "cut_in_half", "times": 1 }),
        json!({ "fault": "cut_before", "times": 1 }),
    ] {
        scene.fault(Step::Notice, fault).await;
    }
    for _ in 0..8 {
        pass(test, &scene.bank, Duration::from_mins(16)).await;
        assert_eq!(status(&scene.shop, &charge).await, "PENDING");
    }
    assert!(read(&scene.shop, &charge).await["boleto"]["digitableLine"].is_string());
}

#[story::test]
async fn a_boleto_that_is_paid_twice_is_paid_once_and_the_rest_set_aside(test: &TestApp) {
    let scene = open(test).await;
    for seen_between in [false, true] {
        let charge = scene.made(test).await;
        scene.happens("boleto", json!({})).await;
        if seen_between {
            scene.notify(test).await;
            assert_eq!(read(&scene.shop, &charge).await["unmatchedAmount"], 0);
        }
        scene.happens("boleto", json!({})).await;
        test.run_jobs_after(Duration::from_secs(2)).await;
        scene.notify(test).await;
        let now = read(&scene.shop, &charge).await;
        assert_eq!(
            (&now["status"], &now["unmatchedAmount"]),
            (&json!("PAID"), &json!(10_000)),
            "{seen_between}"
        );
    }
    assert_eq!(scene.pending().await, 20_000);
}

#[story::test]
async fn a_boleto_that_is_paid_by_its_barcode_and_by_its_pix_code_is_paid_once(test: &TestApp) {
    let scene = open(test).await;
    let charge = scene.made(test).await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    let txid = charge["pix"]["txid"].as_str().expect("has one");
    let pix = json!({ "dialect": "inter", "charge": txid, "key": KEY, "amount_cents": 10_000 });
    scene.bank.at("/__pay", pix).await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(6)).await;
    let now = read(&scene.shop, &charge).await;
    assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PAID"), &json!(10_000)));
    assert_eq!(administrator(test).await.list("/api/admin/unmatched").await.len(), 0);
}
