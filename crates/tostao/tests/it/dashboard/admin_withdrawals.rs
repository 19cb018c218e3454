//! Administrators decide about withdrawals at their pages, with what is known of the account.

use std::time::Duration;

use serde_json::json;

use super::admin::{decide, decider, posted};
use super::{Browser, EMAIL, HOSTILE, next, without_harm};
use crate::audit;
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::withdrawals::bank::{PAID_AS, call};
use crate::withdrawals::{GOOD, process, read, send, withdraw};

const LIST: &str = "/admin/dev/withdrawals";
const MINUTES: Duration = Duration::from_mins(10);

#[story::test]
async fn withdrawals_wait_oldest_first_and_one_is_approved_once(test: &TestApp, shop: Shop) {
    let (browser, admin) = decider(test).await;
    assert!(browser.page(LIST).await.says("Nada espera aqui"));
    shop.sell(20_000).await;
    let first = withdraw(&shop, 1_000, GOOD).await;
    test.pass(Duration::from_mins(3));
    let second = withdraw(&shop, 2_000, GOOD).await;
    let queue = browser.page(LIST).await;
    let at = |withdrawal| queue.text.find(id(withdrawal)).expect("is listed");
    assert!(at(&first) < at(&second) && queue.says("Espera há 3 min"), "{}", queue.text);
    assert!(browser.page("/admin/dev").await.says(">2</span>"), "two wait");

    let here = format!("{LIST}/{}", id(&first));
    let page = browser.page(&here).await;
    for said in ["Antes de decidir", "Idade da conta", "Chave PIX já paga antes", "Loja"] {
        assert!(page.says(said), "{said}: {}", page.text);
    }
    assert!(page.says("R$\u{a0}200,00") && page.says(&format!("withdraws/{}/risk", id(&first))));
    let fields = posted(&page, "approve", &[]);
    for _ in 0..2 {
        let done = browser.post_typed(&format!("{here}/decide"), &fields).await;
        assert_eq!(next(&done), here, "a double click, too");
    }
    let entries = audit::of_all_accounts(&admin, "withdrawal.approved").await;
    assert_eq!((entries.len(), &entries[0]["subjectId"]), (1, &first["id"]));
    assert_eq!(entries[0]["actor"]["kind"], "administrator");
    test.run_jobs().await;
    assert_eq!(read(&shop, &first).await["status"], "COMPLETED");
    let page = browser.page(&here).await;
    assert!(page.says("O banco pagou o saque.") && page.hidden("attempt").is_none());
    let page = browser.page(&format!("{LIST}/{}", id(&second))).await;
    assert!(page.says("<dt>Chave PIX já paga antes</dt><dd>Sim</dd>"), "{}", page.text);
}

#[story::test]
async fn a_rejected_withdrawal_says_why_to_its_merchant(test: &TestApp, shop: Shop) {
    let (browser, _) = decider(test).await;
    shop.sell(5_000).await;
    let before = shop.available().await;
    let withdrawal = withdraw(&shop, 4_000, GOOD).await;
    let here = format!("{LIST}/{}", id(&withdrawal));
    let reason = [("failureReason", "Documentos pendentes.")];
    assert_eq!(next(&decide(&browser, &here, "reject", &reason).await), here);
    assert_eq!(read(&shop, &withdrawal).await["failureMessage"], "Documentos pendentes.");
    assert_eq!(shop.available().await, before);
    let merchant = Browser::signed_in(test, EMAIL).await;
    let own = format!("/dashboard/dev/balance/withdrawals/{}", id(&withdrawal));
    assert!(merchant.page(&own).await.says("Documentos pendentes."));
    assert!(browser.page(LIST).await.says("Nada espera aqui"));
    let entries = audit::entries(&shop.owner, "withdrawal.rejected").await;
    assert_eq!((entries.len(), &entries[0]["subjectId"]), (1, &withdrawal["id"]));
}

#[story::test]
async fn what_was_decided_meanwhile_is_said_at_the_page(test: &TestApp, shop: Shop) {
    let admin = test.other_admin().await;
    let (browser, _) = decider(test).await;
    shop.sell(5_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let here = format!("{LIST}/{}", id(&withdrawal));
    let page = browser.page(&here).await;
    process(&admin, &withdrawal, json!({})).await.expect(200);
    let reject = posted(&page, "reject", &[("failureReason", HOSTILE)]);
    let late = Page::of(browser.post_typed(&format!("{here}/decide"), &reject).await, 422);
    assert!(late.says("Nada foi feito: alguém já decidiu"), "{}", late.text);
    assert!(late.hidden("attempt").is_none(), "an order that may be at its bank is not rejected");
    let unknown = posted(&page, "keep", &[]);
    let path = format!("{here}/decide");
    assert_eq!(browser.post_typed(&path, &unknown).await.status, 400);
    assert_eq!(read(&shop, &withdrawal).await["status"], "PENDING");
}

#[story::test]
async fn the_page_says_why_a_withdrawal_of_an_account_in_debt_waits(test: &TestApp, shop: Shop) {
    let (browser, _) = decider(test).await;
    let charge = shop.sell(1_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let here = format!("{LIST}/{}", id(&withdrawal));
    let approve = posted(&browser.page(&here).await, "approve", &[]);
    shop.simulate(&charge, json!({ "outcome": "DISPUTED" })).await;
    let late = Page::of(browser.post_typed(&format!("{here}/decide"), &approve).await, 422);
    for page in [late, browser.page(&here).await] {
        assert!(page.says("O saldo da conta está negativo."), "{}", page.text);
        assert!(page.says("disabled aria-describedby=\"no-approve\""), "{}", page.text);
    }
    assert_eq!(next(&decide(&browser, &here, "reject", &[]).await), here);
    assert_eq!(read(&shop, &withdrawal).await["status"], "FAILED");
}

#[story::test]
async fn an_approved_withdrawal_that_waits_for_a_debt_is_rejected_at_its_page(
    test: &TestApp,
    shop: Shop,
) {
    let admin = test.other_admin().await;
    let (browser, _) = decider(test).await;
    let charge = shop.sell(1_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    process(&admin, &withdrawal, json!({})).await.expect(200);
    shop.simulate(&charge, json!({ "outcome": "DISPUTED" })).await;
    test.run_jobs().await;
    let here = format!("{LIST}/{}", id(&withdrawal));
    assert_eq!(next(&decide(&browser, &here, "reject", &[]).await), here);
    assert_eq!(read(&shop, &withdrawal).await["failureReason"], "REJECTED_BY_ADMIN");
    assert_eq!(shop.available().await, 0);
}

#[story::test]
async fn a_reason_that_is_too_long_comes_back_with_its_field(test: &TestApp, shop: Shop) {
    let (browser, _) = decider(test).await;
    shop.sell(5_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let here = format!("{LIST}/{}", id(&withdrawal));
    let long = format!("{HOSTILE} alert(1) {}", "a".repeat(500));
    let refused = decide(&browser, &here, "reject", &[("failureReason", &long)]).await;
    let page = Page::of(refused, 422);
    assert_eq!(page.wrong(), ["reject-failureReason"]);
    without_harm(&page);
    assert_eq!(read(&shop, &withdrawal).await["status"], "PENDING");
}

#[story::test]
async fn a_contradicted_withdrawal_is_ended_by_the_banks_statement(test: &TestApp, shop: Shop) {
    shop.earn(4_000).await;
    let taken = json!({ "status": "REALIZADO", "endToEndId": PAID_AS });
    let first = send(test, &shop, "lost@example.com").await;
    call(test, &first, taken.clone()).await.expect(200);
    let mut contradicted = Vec::new();
    for _ in 0..2 {
        let withdrawal = send(test, &shop, "lost@example.com").await;
        call(test, &withdrawal, taken.clone()).await.expect(200);
        contradicted.push(withdrawal);
    }
    let (browser, admin) = decider(test).await;
    let here = |which: usize| format!("{LIST}/{}", id(&contradicted[which]));
    let page = browser.page(&here(0)).await;
    let said = "O banco disse algo que não pode ser. Ele disse que pagou, com o código";
    assert!(page.says(&format!("{said} {PAID_AS}.")), "{}", page.text);
    assert!(page.says("A ordem ainda pode chegar ao banco."), "{}", page.text);
    assert!(!page.says(">Aprovar<") && !page.says(">Recusar<"));
    test.run_jobs_after(Duration::from_mins(71)).await;
    drop((browser, admin));

    let (browser, admin) = super::admin::other_decider(test).await;
    assert!(browser.page(LIST).await.says("O banco contradisse"));
    let wrong = decide(&browser, &here(0), "paid", &[("endToEndId", "E123")]).await;
    let wrong = Page::of(wrong, 422);
    assert_eq!(wrong.wrong(), ["paid-endToEndId"]);
    assert!(wrong.error("paid-endToEndId").contains("código de ponta a ponta"));
    let other = PAID_AS.replace("abc", "xyz");
    let paid = decide(&browser, &here(0), "paid", &[("endToEndId", &other)]).await;
    assert_eq!(next(&paid), here(0));
    let said = "Fora do extrato.";
    let unpaid = decide(&browser, &here(1), "not_paid", &[("failureReason", said)]).await;
    assert_eq!(next(&unpaid), here(1));
    assert_eq!(read(&shop, &contradicted[0]).await["status"], "COMPLETED");
    let failed = read(&shop, &contradicted[1]).await;
    assert_eq!((&failed["status"], &failed["failureMessage"]), (&json!("FAILED"), &json!(said)));
    assert_eq!(audit::of_all_accounts(&admin, "withdrawal.resolved").await.len(), 2);
    assert!(browser.page(LIST).await.says("Nada espera aqui"));
}

#[story::test]
async fn a_decision_waits_for_a_code_and_comes_back_filled(test: &TestApp, shop: Shop) {
    let (browser, device, _) = super::admin::decider_with_device(test).await;
    shop.sell(5_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let here = format!("{LIST}/{}", id(&withdrawal));
    test.pass(MINUTES);
    let asked = decide(&browser, &here, "reject", &[("failureReason", "Sem documentos.")]).await;
    assert!(next(&asked).starts_with("/account/elevate?next="), "{}", next(&asked));
    let asked = browser.land(asked).await;
    assert_eq!(read(&shop, &withdrawal).await["status"], "PENDING");
    let back = asked.hidden("next").expect("leads back");
    let proof = device.code(test, 0);
    let proved = browser.post("/account/elevate", &[("next", back), ("proof", &proof)]).await;
    let form = browser.land(proved).await;
    assert_eq!(form.value("reject-failureReason"), "Sem documentos.", "{}", form.text);
    let fields = posted(&form, "reject", &[("failureReason", "Sem documentos.")]);
    assert_eq!(next(&browser.post_typed(&format!("{here}/decide"), &fields).await), here);
    assert_eq!(read(&shop, &withdrawal).await["status"], "FAILED");
}

#[story::test]
async fn no_one_else_decides_by_the_page(test: &TestApp, shop: Shop) {
    let (browser, _) = decider(test).await;
    shop.sell(5_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let here = format!("{LIST}/{}", id(&withdrawal));
    let fields = posted(&browser.page(&here).await, "approve", &[]);
    let path = format!("{here}/decide");
    let merchant = Browser::signed_in(test, EMAIL).await;
    assert_eq!(merchant.post_typed(&path, &fields).await.status, 404);
    test.other_admin().await;
    let without = Browser::signed_in(test, super::admin::OTHER).await;
    let refused = Page::of(without.post_typed(&path, &fields).await, 403);
    assert_eq!(refused.heading(), "Ligue a segunda etapa primeiro");
    let other_mode = path.replace("/dev/", "/prod/");
    assert_eq!(browser.post_typed(&other_mode, &fields).await.status, 403, "its form was drawn");
    assert_eq!(browser.get(&here.replace("/dev/", "/prod/")).await.status, 404);
    assert_eq!(read(&shop, &withdrawal).await["status"], "PENDING");
}
