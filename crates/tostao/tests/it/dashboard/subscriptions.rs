//! Subscriptions in the dashboard: what happened, what comes next, and what is done about it.

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, as_unknown, calls_answer, join, next, typed, without_harm};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::subscriptions::{
    active, by_card, by_card_with, days, done, payments, plan, read, somebody, subscribe, until,
};

const LIST: &str = "/dashboard/dev/subscriptions";
const SUPPORT: &str = "atendimento@example.com";
const VIEWER: &str = "leitura@example.com";

fn path_of(subscription: &Value) -> String {
    format!("{LIST}/{}", id(subscription))
}

/// A subscriber whose card was declined at the end of the trial.
async fn late(test: &TestApp, shop: &Shop) -> Value {
    let plan = plan(shop, json!({ "trialDays": 30 })).await;
    let made = by_card(test, &plan, Scenario::DeclinesOnceKept).await["subscription"].clone();
    until(shop, "2026-12-21T12:00:00Z").await;
    made
}

/// The review that a form leads to.
async fn reviewed(browser: &Browser, act: &str, fields: &[(&str, &str)]) -> Page {
    let fields = typed(browser, act, fields).await;
    Page::of(browser.post_typed(&format!("{act}/review"), &fields).await, 200)
}

/// Confirms twice what a page asks to confirm; the page that both lead to.
async fn confirmed(browser: &Browser, act: &str, page: &Page, fields: &[(&str, &str)]) -> Page {
    let attempt = page.hidden("attempt").expect("has an attempt");
    let fields = [fields, &[("attempt", attempt)]].concat();
    let path = format!("{act}/confirm");
    let first = browser.post(&path, &fields).await;
    let again = browser.post(&path, &fields).await;
    assert_eq!(next(&first), next(&again), "{}", again.text);
    browser.land(again).await
}

async fn audited(shop: &Shop, action: &str) -> Value {
    shop.owner.total(&format!("/api/audit?action={action}")).await
}

#[story::test]
async fn support_sees_why_a_card_failed_and_what_comes_next_and_tries_it_again(
    test: &TestApp,
    shop: Shop,
) {
    let behind = late(test, &shop).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let browser = Browser::signed_in(test, SUPPORT).await;
    let list = browser.page(LIST).await;
    let retry = format!("{}/retry", path_of(&behind));
    for says in ["Em atraso: 1", "Ana · Clube", "Em atraso desde 21/12/2026", "(1 de 4)"] {
        assert!(list.says(says), "{says}: {}", list.text);
    }
    assert!(list.says(&format!("href=\"{retry}\"")) && list.says("/link\">Pedir outro cartão"));
    let page = browser.page(&path_of(&behind)).await;
    assert!(page.says("Tenta de novo em 23/12/2026"), "{}", page.text);
    assert!(page.says("O emissor recusou o cartão") && page.says("tentativa 1"));
    calls_answer(&shop, &page).await;
    let review = browser.page(&retry).await;
    assert!(review.says("é cobrado em") && review.says("É a tentativa manual 1 de 5."));
    assert_eq!(payments(&shop).await, ["FAILED"], "a review charges nothing");
    let page = confirmed(&browser, &retry, &review, &[]).await;
    assert!(page.says("A cobrança não foi paga. O emissor recusou o cartão"), "{}", page.text);
    assert!(page.says("tentativa 2") && page.says("1 de 5"));
    assert_eq!(payments(&shop).await, ["FAILED", "FAILED"], "a double click charges once");
    assert_eq!(audited(&shop, "subscription.retried").await, 1);
}

#[story::test]
async fn the_subscribers_own_address_is_the_one_that_opens_their_page(test: &TestApp, shop: Shop) {
    let behind = late(test, &shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&format!("{}/link", path_of(&behind))).await;
    let path = format!("/api/subscriptions/{}/manage-link", id(&behind));
    let link = shop.key.post(&path, json!({})).await.expect(200)["data"].clone();
    for field in ["url", "cardUrl"] {
        let address = link[field].as_str().expect("is an address");
        assert!(page.says(&format!(">{address}</code>")), "{field}: {}", page.text);
    }
    let token = link["manageToken"].as_str().expect("is a token");
    let portal = test.anyone().get(&format!("/subscription/{token}?lang=pt-BR")).await;
    let own = Page::of(portal, 200);
    assert!(own.says("Pagamento atrasado"), "{}", own.text);
    assert!(page.says("curl -X POST") && page.says("/manage-link"));
    let reader = shop.key_for("development", &["subscriptions:read"]).await;
    assert_eq!(reader.post(&path, json!({})).await.expect(403)["code"], "INSUFFICIENT_PERMISSION");
    done(&shop, &behind, "cancel", json!({})).await;
    assert_eq!(browser.get(&format!("{}/link", path_of(&behind))).await.status, 409);
}

#[story::test]
async fn a_pause_until_a_day_and_its_end_are_asked_for_by_forms(test: &TestApp, shop: Shop) {
    let made = active(test, &shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let act = format!("{}/pause", path_of(&made));
    let page = browser.page(&act).await;
    assert!(page.says("O que está pago vale até") && page.says("saem da receita"));
    for (day, wrong) in [("2020-01-01", "futuro"), ("ontem", "data completa")] {
        let fields = typed(&browser, &act, &[("resumesAt", day)]).await;
        let refused = Page::of(browser.post_typed(&format!("{act}/confirm"), &fields).await, 422);
        assert_eq!((refused.wrong(), refused.value("resumesAt")), (vec!["resumesAt"], day));
        assert!(refused.error("resumesAt").contains(wrong), "{}", refused.text);
    }
    assert_eq!(read(&shop, &made).await["status"], "ACTIVE");
    let page = browser.page(&act).await;
    let after = confirmed(&browser, &act, &page, &[("resumesAt", "2027-01-15")]).await;
    assert!(after.says("A assinatura foi pausada.") && after.says("Retoma sozinha em 15/01/2027"));
    assert_eq!(read(&shop, &made).await["resumesAt"], "2027-01-15T03:00:00.000Z");
    let act = format!("{}/resume", path_of(&made));
    let review = browser.page(&act).await;
    assert!(review.says("Nada é cobrado agora"), "{}", review.text);
    assert_eq!(read(&shop, &made).await["status"], "PAUSED");
    let after = confirmed(&browser, &act, &review, &[]).await;
    assert!(after.says("A assinatura foi retomada."), "{}", after.text);
    assert_eq!(read(&shop, &made).await["status"], "ACTIVE");
    for action in ["subscription.paused", "subscription.resumed"] {
        assert_eq!(audited(&shop, action).await, 1, "{action}");
    }
}

#[story::test]
async fn to_resume_after_the_paid_period_says_what_it_charges(test: &TestApp, shop: Shop) {
    let made = active(test, &shop).await;
    done(&shop, &made, "pause", json!({})).await;
    days(&shop, 40).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let act = format!("{}/resume", path_of(&made));
    let review = browser.page(&act).await;
    assert!(review.says("é cobrado em") && review.says("Um novo período começa agora"));
    assert_eq!(payments(&shop).await.len(), 1, "a review charges nothing");
    confirmed(&browser, &act, &review, &[]).await;
    assert_eq!(payments(&shop).await, ["PAID", "PAID"]);
    assert_eq!(read(&shop, &made).await["status"], "ACTIVE");
}

#[story::test]
async fn a_cancellation_is_reviewed_undone_and_then_final(test: &TestApp, shop: Shop) {
    let made = active(test, &shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let act = format!("{}/cancel", path_of(&made));
    let page = browser.page(&act).await;
    assert!(page.says("<option value=\"true\" selected>No fim do período"), "{}", page.text);
    let why = [("atPeriodEnd", "true"), ("reason", "caro"), ("comment", "Volto.")];
    let review = reviewed(&browser, &act, &why).await;
    assert!(review.says("Termina em 21/12/2026") && review.says("pode ser desfeito"));
    assert_eq!(read(&shop, &made).await["cancelAtPeriodEnd"], false);
    let after = confirmed(&browser, &act, &review, &why).await;
    assert!(after.says("A assinatura termina com o período."), "{}", after.text);
    let ending = read(&shop, &made).await;
    let why_stored = (&ending["cancelReason"], &ending["cancelComment"]);
    assert_eq!(why_stored, (&json!("caro"), &json!("Volto.")));
    let undo = format!("{}/reactivate", path_of(&made));
    let page = browser.page(&undo).await;
    assert!(page.says("Em 21/12/2026"), "{}", page.text);
    let after = confirmed(&browser, &undo, &page, &[]).await;
    assert!(after.says("A assinatura continua."), "{}", after.text);
    let review = reviewed(&browser, &act, &[("reason", "caro")]).await;
    assert!(review.says("A assinatura termina agora. Não há volta."), "{}", review.text);
    let back = [("reason", "caro"), ("back", "yes")];
    let form = Page::of(browser.post(&format!("{act}/review"), &back).await, 200);
    assert_eq!(form.value("reason"), "caro");
    let after = confirmed(&browser, &act, &review, &[("reason", "caro")]).await;
    assert!(after.says("A assinatura foi cancelada.") && after.says("Motivo: caro"));
    assert_eq!(read(&shop, &made).await["status"], "CANCELLED");
    assert_eq!(audited(&shop, "subscription.cancelled").await, 2);
    assert_eq!(audited(&shop, "subscription.reactivated").await, 1);
    assert_eq!(browser.get(&act).await.status, 409);
}

#[story::test]
async fn a_cancellation_whose_session_has_ended_comes_back_filled(test: &TestApp, shop: Shop) {
    let made = active(test, &shop).await;
    let act = format!("{}/cancel", path_of(&made));
    for step in ["review", "confirm"] {
        let browser = Browser::signed_in(test, EMAIL).await;
        let fields = typed(&browser, &act, &[("reason", "caro")]).await;
        test.pass(Duration::from_mins(30));
        let asked = Page::of(browser.post_typed(&format!("{act}/{step}"), &fields).await, 403);
        let back = asked.hidden("next").expect("is a hidden field");
        let fields = [("email", EMAIL), ("password", PASSWORD), ("next", back)];
        let form = browser.land(browser.post("/sign-in", &fields).await).await;
        assert_eq!(form.value("reason"), "caro", "{step}");
        assert_eq!(read(&shop, &made).await["status"], "ACTIVE", "{step}");
    }
}

#[story::test]
async fn a_change_of_plan_names_the_price_and_the_day_and_a_full_plan_is_refused(
    test: &TestApp,
    shop: Shop,
) {
    let made = active(test, &shop).await;
    let dear = plan(&shop, json!({ "name": "Anual", "interval": "ANNUAL" })).await;
    let full = plan(&shop, json!({ "name": "Cheio", "maxSubscribers": 1 })).await;
    by_card_with(test, &full, Scenario::Approves, somebody("Bia")).await.expect(201);
    let browser = Browser::signed_in(test, EMAIL).await;
    let act = format!("{}/change-plan", path_of(&made));
    let fields = typed(&browser, &act, &[("planId", id(&full))]).await;
    let refused = Page::of(browser.post_typed(&format!("{act}/review"), &fields).await, 422);
    assert!(refused.says("Este plano não tem mais vagas."), "{}", refused.text);
    assert!(refused.says(&format!("value=\"{}\" selected", id(&full))));
    let to = [("planId", id(&dear))];
    let review = reviewed(&browser, &act, &to).await;
    assert_eq!(review.within("<h1", "</h1>"), Some("<span class=\"long\">Mudar para Anual</span>"));
    assert!(review.says("Em 21/12/2026") && review.says("por ano"), "{}", review.text);
    assert_eq!(read(&shop, &made).await["nextPlanId"], Value::Null);
    let after = confirmed(&browser, &act, &review, &to).await;
    assert!(after.says("A mudança de plano foi marcada.") && after.says("Próximo plano"));
    assert_eq!(read(&shop, &made).await["nextPlanId"], dear["id"]);
    let own = [("planId", made["planId"].as_str().expect("is an id"))];
    let review = reviewed(&browser, &act, &own).await;
    let after = confirmed(&browser, &act, &review, &own).await;
    assert!(after.says("A assinatura continua no plano atual."), "{}", after.text);
    assert_eq!(audited(&shop, "subscription.plan_changed").await, 2);
}

#[story::test]
async fn a_trial_is_extended_until_the_end_of_a_day(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "trialDays": 10 })).await;
    let made = by_card(test, &plan, Scenario::Approves).await["subscription"].clone();
    let browser = Browser::signed_in(test, EMAIL).await;
    let act = format!("{}/extend-trial", path_of(&made));
    for day in ["", "2026-11-25", "2030-01-01"] {
        let fields = typed(&browser, &act, &[("trialEndsAt", day)]).await;
        let refused = Page::of(browser.post_typed(&format!("{act}/confirm"), &fields).await, 422);
        assert_eq!((refused.wrong(), refused.value("trialEndsAt")), (vec!["trialEndsAt"], day));
    }
    assert_eq!(read(&shop, &made).await["trialEndsAt"], made["trialEndsAt"]);
    let page = browser.page(&act).await;
    let after = confirmed(&browser, &act, &page, &[("trialEndsAt", "2026-12-24")]).await;
    assert!(after.says("O teste grátis foi estendido."), "{}", after.text);
    assert_eq!(read(&shop, &made).await["trialEndsAt"], "2026-12-25T03:00:00.000Z");
    assert_eq!(audited(&shop, "subscription.trial_extended").await, 1);
}

#[story::test]
async fn a_payment_is_simulated_in_test_mode_alone(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let made = subscribe(test, &plan, json!({})).await.expect(201)["data"]["subscription"].clone();
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = path_of(&made);
    assert!(browser.page(&path).await.says("Começa quando o código PIX for pago"));
    let fields = typed(&browser, &path, &[("outcome", "PAID")]).await;
    for _ in 0..2 {
        next(&browser.post_typed(&format!("{path}/simulate"), &fields).await);
    }
    assert_eq!(read(&shop, &made).await["status"], "ACTIVE");
    assert_eq!(payments(&shop).await, ["PAID"]);
    assert_eq!(audited(&shop, "subscription.simulated").await, 1);
    let page = browser.page(&path).await;
    let payment = &shop.key.list(&format!("/api/subscriptions/{}/payments", id(&made))).await[0];
    let paid = payment["transactionId"].as_str().expect("is an id");
    let payment = format!("/dashboard/dev/transactions/{paid}");
    assert!(page.says(&format!("href=\"{payment}\"")), "{}", page.text);
    assert!(browser.page(&payment).await.says(&format!("href=\"{path}\"")));
    let client = format!("/dashboard/dev/clients/{}", made["clientId"].as_str().expect("is an id"));
    assert!(browser.page(&client).await.says(&format!("href=\"{path}\"")));
}

#[story::test]
async fn a_role_that_may_not_change_subscriptions_reads_them_without_buyers(
    test: &TestApp,
    shop: Shop,
) {
    let behind = late(test, &shop).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    for path in [LIST.to_owned(), path_of(&behind), format!("{LIST}/metrics/changes")] {
        let page = browser.page(&path).await;
        assert!(!page.says("Ana"), "{path}: {}", page.text);
    }
    let page = browser.page(&path_of(&behind)).await;
    assert!(page.says("O seu papel nesta conta não inclui isto."));
    let before = read(&shop, &behind).await;
    let attempt = [("attempt", "x"), ("outcome", "PAID")];
    for act in ["retry", "pause", "resume", "change-plan", "extend-trial", "cancel", "reactivate"] {
        let path = format!("{}/{act}", path_of(&behind));
        let refused = [
            browser.get(&path).await,
            browser.post(&format!("{path}/review"), &attempt).await,
            browser.post(&format!("{path}/confirm"), &attempt).await,
        ];
        for refused in refused {
            assert!(Page::of(refused, 403).says("subscriptions:write"), "{act}");
        }
    }
    for refused in [
        browser.get(&format!("{}/link", path_of(&behind))).await,
        browser.post(&format!("{}/simulate", path_of(&behind)), &attempt).await,
    ] {
        assert!(Page::of(refused, 403).says("subscriptions:write"));
    }
    assert_eq!(read(&shop, &behind).await, before);
}

#[story::test]
async fn the_subscription_of_another_merchant_is_as_unknown_as_one_that_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let mine = active(test, &shop).await;
    let theirs = active(test, &other).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let pages = ["", "/link", "/retry", "/pause", "/resume", "/change-plan", "/cancel"];
    as_unknown(&browser, LIST, id(&theirs), &pages).await;
    let page = browser.page(&path_of(&mine)).await;
    let attempt = page.hidden("attempt").expect("has an attempt");
    let fields = [("attempt", attempt), ("outcome", "PAID"), ("atPeriodEnd", "true")];
    for form in ["pause/confirm", "cancel/review", "cancel/confirm", "simulate"] {
        let refused = browser.post(&format!("{}/{form}", path_of(&theirs)), &fields).await;
        assert_eq!(refused.status, 404, "{form}");
    }
    assert_eq!(browser.get(&format!("{}/erase", path_of(&mine))).await.status, 404);
    assert_eq!(read(&other, &theirs).await, theirs);
}

#[story::test]
async fn a_list_is_filtered_by_state_and_plan_and_sums_what_it_shows(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(LIST).await.says("Nenhuma assinatura ainda"));
    let club = plan(&shop, json!({})).await;
    let year = json!({ "name": "Ano", "interval": "ANNUAL", "amountCents": 12_000 });
    let year = plan(&shop, year).await;
    for (plan, who) in [(&club, "Bia"), (&club, "Caio"), (&year, "Davi")] {
        by_card_with(test, plan, Scenario::Approves, somebody(who)).await.expect(201);
    }
    let shows = async |query: &str, who: &[&str], sum: &str| {
        let page = browser.page(&format!("{LIST}?{query}")).await;
        for name in ["Bia", "Caio", "Davi"] {
            assert_eq!(page.says(&format!(">{name}</a>")), who.contains(&name), "{query} {name}");
        }
        assert!(page.says(sum), "{query}: {}", page.text);
        calls_answer(&shop, &page).await;
    };
    shows("", &["Bia", "Caio", "Davi"], "3 assinaturas, R$\u{a0}70,00 por mês").await;
    let query = format!("planId={}", id(&club));
    shows(&query, &["Bia", "Caio"], "2 assinaturas, R$\u{a0}60,00 por mês").await;
    shows("q=davi&status=ACTIVE", &["Davi"], "1 assinatura, R$\u{a0}10,00 por mês").await;
    shows("paying=true", &["Bia", "Caio", "Davi"], "Só as que contam na receita").await;
    shows("paying=false", &[], "Nenhuma assinatura passa por este filtro").await;
    for (query, wrong) in [("status=OFF", "status"), ("planId=x", "planId")] {
        let page = Page::of(browser.get(&format!("{LIST}?{query}")).await, 400);
        assert_eq!(page.wrong(), [wrong]);
    }
}

#[story::test]
async fn a_figure_of_the_revenue_is_the_sum_of_the_list_that_it_opens(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let metrics = format!("{LIST}/metrics");
    assert!(browser.page(&metrics).await.says("Nenhuma assinatura pagava neste período."));
    let club = plan(&shop, json!({})).await;
    let mut made = Vec::new();
    for who in ["Bia", "Caio", "Davi"] {
        let one = by_card_with(test, &club, Scenario::Approves, somebody(who)).await.expect(201);
        made.push(one["data"]["subscription"].clone());
    }
    done(&shop, &made[0], "cancel", json!({})).await;
    done(&shop, &made[1], "pause", json!({})).await;
    let page = browser.page(&metrics).await;
    assert!(page.says("<svg") && page.says("Início") && page.says("<details"), "{}", page.text);
    let api = shop.key.get("/api/subscriptions/metrics").await.expect(200)["data"].clone();
    assert_eq!((&api["mrrStartCents"], &api["mrrCents"]), (&json!(0), &json!(3_000)));
    for (kind, field, sign) in [
        ("NEW", "newMrrCents", 1),
        ("EXPANSION", "expansionMrrCents", 1),
        ("CONTRACTION", "contractionMrrCents", -1),
        ("CHURN", "churnedMrrCents", -1),
    ] {
        let path = format!("/api/subscriptions/metrics/changes?kind={kind}");
        let listed = shop.key.get(&path).await.expect(200);
        assert_eq!(listed["mrrCents"].as_i64(), api[field].as_i64().map(|cents| sign * cents));
        let list = format!("{metrics}/changes?kind={kind}");
        assert!(page.says(&format!("href=\"{list}\"")), "{kind}: {}", page.text);
        calls_answer(&shop, &browser.page(&list).await).await;
    }
    let lost = browser.page(&format!("{metrics}/changes?kind=CHURN")).await;
    assert!(lost.says("-R$\u{a0}30,00") || lost.says("−R$\u{a0}30,00"), "{}", lost.text);
    assert!(lost.says("1 assinante que pagava saiu.") && lost.says(">Bia</a>"));
    let paying = browser.page(&format!("{LIST}?paying=true")).await;
    assert!(paying.says("1 assinatura, R$\u{a0}30,00 por mês"));
    let wrong = browser.get(&format!("{metrics}?from=2026-12-02&to=2026-12-01")).await;
    assert_eq!(Page::of(wrong, 400).wrong(), ["from"]);
    let past = browser.page(&format!("{metrics}?from=2026-10-01&to=2026-10-31")).await;
    assert!(past.says("De 01/10/2026 a 31/10/2026") && !past.says("paying=true"));
    calls_answer(&shop, &past).await;
}

#[story::test]
async fn hostile_names_of_subscribers_and_plans_are_text(test: &TestApp, shop: Shop) {
    let made = {
        let body = json!({ "name": "Clube", "description": HOSTILE });
        let plan = plan(&shop, body).await;
        let who = json!({ "customer": { "name": HOSTILE, "email": "ana@example.com" } });
        let made = subscribe(test, &plan, who).await.expect(201);
        made["data"]["subscription"].clone()
    };
    let browser = Browser::signed_in(test, EMAIL).await;
    for path in [LIST.to_owned(), path_of(&made)] {
        without_harm(&browser.page(&path).await);
    }
    let simulated = json!({ "outcome": "PAID" });
    done(&shop, &made, "simulate", simulated).await;
    let why = json!({ "reason": HOSTILE, "comment": HOSTILE });
    done(&shop, &made, "cancel", why).await;
    for path in [path_of(&made), format!("{LIST}/metrics/changes?kind=CHURN")] {
        without_harm(&browser.page(&path).await);
    }
}
