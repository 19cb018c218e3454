//! The balance in the dashboard: what moved it, what settles when, and withdrawing it.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::platform::config::Switch;

use super::admin::{decide, decider};
use super::{Browser, EMAIL, HOSTILE, calls_answer, join, next};
use crate::advances;
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::methods::days_pass;
use crate::refunds::refund;
use crate::withdrawals::{GOOD, process, read, send, withdraw};

const BALANCE: &str = "/dashboard/dev/balance";
const FORM: &str = "/dashboard/dev/balance/withdraw";
const LIST: &str = "/dashboard/dev/balance/withdrawals";
const API: &str = "/api/withdraws";
const FINANCE: &str = "financas@example.com";
const VIEWER: &str = "leitura@example.com";

/// Posts the form; answers the page that says what would happen.
async fn review(browser: &Browser, amount: &str) -> Page {
    let fields = [("amountCents", amount), ("pixKeyType", "email"), ("pixKey", GOOD)];
    Page::of(browser.post(FORM, &fields).await, 200)
}

/// The fields that the review posts.
fn confirmed(review: &Page) -> Vec<(&'static str, String)> {
    let field = |name| (name, review.hidden(name).expect("is a hidden field").to_owned());
    ["attempt", "amountCents", "pixKeyType", "pixKey", "description"].map(field).to_vec()
}

#[story::test(|settings| settings.withdrawal_fee_cents = 80)]
async fn finance_withdraws_in_two_steps_and_sees_the_effect_before(test: &TestApp, shop: Shop) {
    shop.sell(10_000).await;
    let before = shop.available().await;
    join(test, &shop, FINANCE, "FINANCE").await;
    let browser = Browser::signed_in(test, FINANCE).await;
    let form = browser.page(FORM).await;
    assert!(form.says("Passo 1 de 2"));
    let page = review(&browser, "50,00").await;
    assert!(page.heading().contains("Sacar R$\u{a0}50,00 para ana@example.com"), "{}", page.text);
    assert!(page.says("Tarifa de R$\u{a0}0,80: chegam R$\u{a0}49,20."), "{}", page.text);
    assert_eq!(shop.available().await, before, "nothing has happened yet");
    let fields: Vec<_> = confirmed(&page).into_iter().chain([("back", "yes".to_owned())]).collect();
    let corrected = Page::of(browser.post_typed(FORM, &fields).await, 200);
    assert!(corrected.says("Passo 1 de 2") && corrected.value("pixKey") == GOOD);
    assert_eq!(shop.key.list(API).await, [] as [Value; 0]);
    let fields = confirmed(&page);
    let confirm = format!("{FORM}/confirm");
    let done = next(&browser.post_typed(&confirm, &fields).await);
    assert_eq!(next(&browser.post_typed(&confirm, &fields).await), done, "a double click");
    let withdrawals = shop.key.list(API).await;
    assert_eq!(withdrawals.len(), 1);
    assert_eq!(done, format!("{LIST}/{}", id(&withdrawals[0])));
    assert_eq!(shop.available().await, before - 5_000);
    let audit = shop.owner.list("/api/audit?action=withdrawal.requested").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &withdrawals[0]["id"]));

    let page = browser.page(&done).await;
    assert!(page.says("À espera de aprovação") && page.says("ainda vai aprovar"), "{}", page.text);
    calls_answer(&shop, &page).await;
    process(&test.admin().await, &withdrawals[0], json!({})).await.expect(200);
    test.run_jobs().await;
    let page = browser.page(&done).await;
    assert!(page.says("O banco pagou o saque.") && page.says("Comprovante"), "{}", page.text);
    assert!(page.says("Só um saque que ainda não foi aprovado pode ser cancelado."));
    // The next form begins with the same key.
    assert_eq!(browser.page(FORM).await.value("pixKey"), GOOD);
}

#[story::test]
async fn a_withdrawal_is_cancelled_before_it_is_approved(test: &TestApp, shop: Shop) {
    shop.sell(10_000).await;
    let before = shop.available().await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let here = format!("{LIST}/{}", id(&withdrawal));
    let page = browser.page(&here).await;
    assert!(page.says("<dt>Chega</dt>"), "{}", page.text);
    let attempt = page.hidden("attempt").expect("has a form").to_owned();
    for _ in 0..2 {
        let cancel = browser.post(&format!("{here}/cancel"), &[("attempt", &attempt)]).await;
        assert_eq!(next(&cancel), here, "a double click, too");
    }
    assert_eq!(read(&shop, &withdrawal).await["failureReason"], "CANCELLED_BY_MERCHANT");
    assert_eq!(shop.available().await, before);
    let page = browser.page(&here).await;
    assert!(page.says("Foi cancelado por alguém da conta.") && !page.says("<dt>Chega</dt>"));
}

#[story::test]
async fn a_test_withdrawal_says_who_decides_where_and_how_the_simulated_bank_answers(
    test: &TestApp,
    shop: Shop,
) {
    shop.sell(10_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let guide = "href=\"/docs/pt/testing#reembolsos-e-saques\"";
    let form = browser.page(FORM).await;
    let but = "menos as que representam uma falha, como account-closed@example.com;";
    assert!(form.says(but) && form.says(guide), "{}", form.text);
    let withdrawal = withdraw(&shop, 1_000, "slow@example.com").await;
    let here = format!("{LIST}/{}", id(&withdrawal));
    let admin_page = format!("/admin/dev/withdrawals/{}", id(&withdrawal));
    let waiting = browser.page(&here).await;
    let said = format!("<code class=\"long\">https://api.example.com{admin_page}</code>");
    assert!(waiting.says("com outra conta") && waiting.says(&said), "{}", waiting.text);
    assert!(waiting.says(guide), "{}", waiting.text);
    assert!(browser.page("/docs/pt/testing").await.says("id=\"reembolsos-e-saques\""));
    assert!(browser.page("/docs/testing").await.says("id=\"refunds-and-withdrawals\""));
    let (administrator, _) = decider(test).await;
    next(&decide(&administrator, &admin_page, "approve", &[]).await);
    test.run_jobs().await;

    let browser = Browser::signed_in(test, EMAIL).await;
    let clock = "<a href=\"/dashboard/dev/developers/clock\">Relógio de teste</a></p>";
    let sent = browser.page(&here).await;
    assert!(sent.says("quando o relógio de teste avança") && sent.says(clock), "{}", sent.text);
    assert!(!sent.says(&admin_page));
    join(test, &shop, VIEWER, "VIEWER").await;
    assert!(!Browser::signed_in(test, VIEWER).await.page(&here).await.says(clock));
    shop.key.post("/api/dev/clock/advance", json!({ "seconds": 60 })).await.expect(200);
    let paid = browser.page(&here).await;
    assert!(paid.says("O banco pagou o saque.") && !paid.says("Dinheiro de teste"));
}

#[story::test]
async fn a_refusal_of_the_bank_is_said_in_the_language_of_its_reader(test: &TestApp, shop: Shop) {
    shop.earn(2_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let table = [
        ("key-not-found@example.com", "A chave PIX não existe.", "The PIX key does not exist."),
        (
            "limit-exceeded@example.com",
            "O valor passa de um limite do banco.",
            "The amount exceeds a limit of the bank.",
        ),
        (
            "account-closed@example.com",
            "A conta da chave PIX está encerrada.",
            "The account of the PIX key is closed.",
        ),
        (
            "account-blocked@example.com",
            "A conta da chave PIX está bloqueada.",
            "The account of the PIX key is blocked.",
        ),
    ];
    for (key, portuguese, english) in table {
        let withdrawal = send(test, &shop, key).await;
        let failed = read(&shop, &withdrawal).await;
        let code = failed["failureReason"].as_str().expect("has failed");
        let here = format!("{LIST}/{}", id(&withdrawal));
        for (lang, said) in [("pt-BR", portuguese), ("en", english)] {
            let page = browser.page(&format!("{here}?lang={lang}")).await;
            assert!(page.says(said) && !page.says(code), "{lang} {code}: {}", page.text);
        }
    }
}

#[story::test(|settings| {
    settings.withdrawal_caps_in_development = Switch::On;
    settings.withdrawal_daily_cap_cents = 5_000;
    settings.withdrawal_night_cap_cents = 1_000;
})]
async fn what_cannot_be_withdrawn_is_said_in_the_form(test: &TestApp, shop: Shop) {
    shop.sell(20_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(FORM).await.says("Hoje ainda cabem R$\u{a0}50,00."));
    let fields = [("amountCents", "muito"), ("pixKeyType", "email"), ("pixKey", GOOD)];
    let page = Page::of(browser.post(FORM, &fields).await, 422);
    assert_eq!((page.wrong(), page.value("amountCents")), (vec!["amountCents"], "muito"));
    let fields = [("amountCents", "10,00"), ("pixKeyType", "cpf"), ("pixKey", HOSTILE)];
    let page = Page::of(browser.post(FORM, &fields).await, 422);
    assert_eq!(page.wrong(), ["pixKey"]);
    assert!(page.error("pixKey").contains("não é do tipo escolhido"));
    assert!(!page.says("<script>alert"));
    let of_amount = async |browser: &Browser, amount: &str| {
        let fields = [("amountCents", amount), ("pixKeyType", "email"), ("pixKey", GOOD)];
        let page = Page::of(browser.post(FORM, &fields).await, 422);
        assert_eq!(page.wrong(), ["amountCents"]);
        page.error("amountCents").to_owned()
    };
    let day = "Passa do limite de saques do dia. Tente um valor menor, ou amanhã.";
    assert_eq!(of_amount(&browser, "60,00").await, day);
    let range = "O valor é pequeno ou grande demais.";
    assert_eq!(of_amount(&browser, "0,50").await, range);
    // To nine in the evening.
    test.pass(Duration::from_hours(12));
    let browser = Browser::signed_in(test, EMAIL).await;
    let night = "Passa do limite das 20h às 6h. Tente um valor menor, ou depois das 6h.";
    assert_eq!(of_amount(&browser, "20,00").await, night);
    assert_eq!(shop.key.list(API).await, [] as [Value; 0]);
}

#[story::test]
async fn more_than_there_is_cannot_be_withdrawn_by_the_form(test: &TestApp, shop: Shop) {
    shop.sell(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [("amountCents", "90,00"), ("pixKeyType", "email"), ("pixKey", GOOD)];
    let page = Page::of(browser.post(FORM, &fields).await, 422);
    assert_eq!((page.wrong(), page.value("amountCents")), (vec!["amountCents"], "90,00"));
    assert!(page.error("amountCents").contains("O saldo não basta"), "{}", page.text);
}

#[story::test]
async fn what_was_withdrawn_and_what_is_on_its_way_open_the_lists_that_they_sum(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    for shop in [&shop, &other] {
        shop.sell(10_000).await;
        send(test, shop, GOOD).await;
    }
    send(test, &shop, GOOD).await;
    withdraw(&other, 900, GOOD).await;
    withdraw(&shop, 500, GOOD).await;
    let cancelled = withdraw(&shop, 700, GOOD).await;
    let path = format!("{API}/{}/cancel", id(&cancelled));
    shop.key.post(&path, json!({})).await.expect(200);
    let browser = Browser::signed_in(test, EMAIL).await;
    let balance = browser.page(BALANCE).await;
    let mut left = shop.available().await;
    for (label, status, cents, shown) in
        [("Em saque", "PENDING", 500, "5,00"), ("Sacado", "COMPLETED", 2_000, "20,00")]
    {
        let list = format!("{LIST}?status={status}");
        let money = format!("<span class=\"money\">R$\u{a0}{shown}</span>");
        let figure = format!("<dt>{label}</dt>\n<dd><strong><a href=\"{list}\">{money}</a>");
        assert!(balance.says(&figure), "{figure}\n{}", balance.text);
        let page = browser.page(&list).await;
        let sum = format!("Soma de todas as páginas: <strong>{money}</strong>");
        assert!(page.says(&sum), "{}", page.text);
        let listed = shop.key.list(&format!("{API}?status={status}")).await;
        let amounts = listed.iter().map(|one| one["amountCents"].as_i64().expect("is a number"));
        assert_eq!(amounts.sum::<i64>(), cents, "{status}");
        left += cents;
    }
    assert_eq!(left, 10_000, "nothing of what was sold is missing");
    let all = browser.page(LIST).await;
    assert!(!all.says("Soma de todas as páginas"), "what was not paid has no sum with what was");
    let real = browser.page("/dashboard/prod/balance").await;
    let nothing = "<span class=\"money\">R$\u{a0}0,00</span></a>";
    for status in ["PENDING", "COMPLETED"] {
        let list = format!("/dashboard/prod/balance/withdrawals?status={status}");
        assert!(real.says(&format!("<a href=\"{list}\">{nothing}")), "{status}\n{}", real.text);
        assert!(!browser.page(&list).await.says("Soma de todas as páginas"), "{status}");
    }
}

#[story::test]
async fn what_is_pending_says_when_the_next_of_it_settles(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(!browser.page(BALANCE).await.says("próximo em"));
    advances::sell(test, &shop, 30_000, 3).await;
    let due = shop.key.list("/api/balance/receivables?status=PENDING").await;
    let due: Vec<_> = due[0]["dueDate"].as_str().expect("is a date").split('-').collect();
    let said = format!("próximo em {}/{}/{}", due[2], due[1], due[0]);
    for page in [BALANCE, "/dashboard/dev"] {
        let page = browser.page(page).await;
        assert!(page.says(&said), "{said}: {}", page.text);
    }
}

#[story::test]
async fn the_next_day_on_which_money_settles_is_none_of_what_was_given_back_or_pledged(
    test: &TestApp,
    shop: Shop,
) {
    for _ in 0..20 {
        let sold = advances::sell(test, &shop, 1_000, 1).await;
        refund(&shop, &sold, json!({ "amountCents": 1_000 })).await;
    }
    days_pass(&shop, 1).await;
    advances::sell(test, &shop, 10_000, 2).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(BALANCE).await;
    assert!(page.says("próximo em 22/12/2026"), "{}", page.text);
    advances::approved(test, &shop, 6_000).await;
    let page = browser.page(BALANCE).await;
    assert!(page.says("próximo em 21/01/2027"), "{}", page.text);
}

#[story::test]
async fn the_statement_says_what_moved_the_balance(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(BALANCE).await.says("Nenhum lançamento ainda."));
    let payment = shop.sell(4_990).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let page = browser.page(BALANCE).await;
    for said in ["Venda", "Saque", "Disponível", "A receber", "Retido"] {
        assert!(page.says(said), "{said}");
    }
    let sale = format!("<a href=\"/dashboard/dev/transactions/{}\">Venda</a>", id(&payment));
    let drawn = format!("<a href=\"{LIST}/{}\">Saque</a>", id(&withdrawal));
    assert!(page.says(&sale) && page.says(&drawn), "{}", page.text);
    calls_answer(&shop, &page).await;
    let other = browser.page(&format!("{BALANCE}?account=withdrawing")).await;
    assert!(other.says(&drawn) && !other.says(&sale));
    assert_eq!(browser.get(&format!("{BALANCE}?cursor=x")).await.status, 400);
}

#[story::test(|settings| settings.pix_fee_cents = 50)]
async fn a_fee_is_no_sale_and_a_held_figure_opens_what_it_consists_of(test: &TestApp, shop: Shop) {
    shop.sell(4_990).await;
    let short = shop.charge(1_000).await;
    shop.simulate(&short, json!({ "outcome": "PAID", "paidAmountCents": 400 })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(BALANCE).await;
    assert!(page.says("Tarifa ou comissão da venda"), "{}", page.text);
    assert!(page.says(&format!("<a href=\"{BALANCE}/explain/held\">")), "{}", page.text);
    let held = browser.page(&format!("{BALANCE}/explain/held")).await;
    assert!(held.says("À espera de decisão: Pagamento fora do esperado"), "{}", held.text);
    let held = browser.page(&format!("{BALANCE}?account=suspense")).await;
    assert!(held.says("R$\u{a0}4,00"));
}

#[story::test]
async fn receivables_are_listed_by_the_day_on_which_they_settle(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{BALANCE}/receivables");
    assert!(browser.page(&path).await.says("Nada a receber"));
    let payment = advances::sell(test, &shop, 30_000, 3).await;
    let page = browser.page(&path).await;
    assert!(page.says("Parcela 1") && page.says("Parcela 3"), "{}", page.text);
    assert!(page.says(&format!("/dashboard/dev/transactions/{}", id(&payment))));
    calls_answer(&shop, &page).await;
}

#[story::test]
async fn receivables_name_their_payment_and_the_sum_is_that_of_all_pages(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    advances::sell(test, &other, 5_000, 2).await;
    for _ in 0..4 {
        advances::sell(test, &shop, 12_345, 12).await;
    }
    let last = advances::sell(test, &shop, 12_345, 12).await;
    refund(&shop, &last, json!({ "amountCents": 345 })).await;
    let boleto = json!({ "amountCents": 700, "method": "BOLETO", "description": "Café em grãos" });
    let boleto = shop.charge_with(boleto).await;
    shop.pay(&boleto).await;
    let listed = shop.key.list("/api/balance/receivables?status=PENDING&limit=100").await;
    let net = listed.iter().map(|part| part["netAmount"].as_i64().expect("is a number"));
    assert_eq!((listed.len(), net.sum::<i64>()), (61, 5 * 12_345 - 345 + 700));

    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{BALANCE}/receivables");
    let sum = "Soma de todas as páginas: <strong><span class=\"money\">R$\u{a0}620,80</span>";
    let page = browser.page(&path).await;
    assert!(page.says(sum) && page.says(">Ana · Café em grãos<"), "{}", page.text);
    assert!(page.says(">Ana<"), "{}", page.text);
    let rest = page.text.split(&format!("href=\"{path}?cursor=")).nth(1);
    let cursor = rest.and_then(|rest| rest.split('"').next()).expect("goes on");
    assert!(browser.page(&format!("{path}?cursor={cursor}")).await.says(sum));
    join(test, &shop, VIEWER, "VIEWER").await;
    let page = Browser::signed_in(test, VIEWER).await.page(&path).await;
    assert!(page.says(">Café em grãos<") && page.says(">por cartão em 12x<"), "{}", page.text);
    assert!(!page.says(">Ana"), "{}", page.text);
    // The boleto, which was paid on a Saturday, settles.
    days_pass(&shop, 2).await;
    let page = browser.page(&path).await;
    assert!(page.says(&sum.replace("620,80", "613,80")), "{}", page.text);
    assert!(!page.says("Café em grãos"), "{}", page.text);
}

#[story::test]
async fn another_merchants_withdrawal_is_no_page(test: &TestApp, shop: Shop, other: Shop) {
    other.sell(10_000).await;
    let theirs = withdraw(&other, 1_000, GOOD).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    super::as_unknown(&browser, LIST, id(&theirs), &[""]).await;
    let own = browser.page(LIST).await;
    assert!(own.says("Nenhum saque ainda") && !own.says(id(&theirs)));
    shop.sell(10_000).await;
    let mine = withdraw(&shop, 1_000, GOOD).await;
    let page = browser.page(&format!("{LIST}/{}", id(&mine))).await;
    let attempt = page.hidden("attempt").expect("has a form");
    let path = format!("{LIST}/{}/cancel", id(&theirs));
    assert_eq!(browser.post(&path, &[("attempt", attempt)]).await.status, 404);
    assert_eq!(read(&other, &theirs).await["status"], "PENDING");
}

#[story::test]
async fn a_payment_and_a_withdrawal_open_their_entries_in_the_statement(
    test: &TestApp,
    shop: Shop,
) {
    let leads = |page: &Page, path: &str| {
        let body = page.text.replace("&#38;", "&");
        assert!(body.contains(&format!("href=\"{path}\"")), "{path}\n{body}");
    };
    let sold = shop.sell(10_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    shop.sell(700).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let payment = browser.page(&format!("/dashboard/dev/transactions/{}", id(&sold))).await;
    let entries = format!("{BALANCE}?account=available&transactionId={}", id(&sold));
    leads(&payment, &entries);
    let captured = entries.replace("&transactionId", "&kind=payment_captured&transactionId");
    leads(&payment, &captured);
    calls_answer(&shop, &payment).await;
    let page = browser.page(&entries).await;
    assert_eq!(page.value("transactionId"), id(&sold));
    assert!(page.says("R$\u{a0}100,00") && !page.says("R$\u{a0}7,00</span></td>"), "{}", page.text);
    assert_eq!(browser.get(&format!("{BALANCE}?transactionId=lost")).await.status, 400);

    let balance = browser.page(BALANCE).await;
    assert!(balance.says("O que veio desde o último saque"), "{}", balance.text);
    let since = format!("{BALANCE}?sequenceFrom=3&sequenceTo=4");
    leads(&balance, &since);
    calls_answer(&shop, &balance).await;
    let page = browser.page(&since).await;
    assert!(page.says("Só os lançamentos entre dois saques"), "{}", page.text);
    assert!(page.says("R$\u{a0}7,00") && !page.says("R$\u{a0}100,00"), "{}", page.text);
    let file = browser.get(&format!("{BALANCE}/export?sequenceFrom=3&sequenceTo=4")).await;
    assert_eq!((file.status, file.text.lines().count()), (200, 2), "its heading and one entry");

    let page = browser.page(&format!("{LIST}/{}", id(&withdrawal))).await;
    assert!(page.says("Desde o primeiro lançamento"), "{}", page.text);
    leads(&page, &format!("{BALANCE}?sequenceFrom=1&sequenceTo=2"));
    calls_answer(&shop, &page).await;
}

#[story::test]
async fn the_statement_of_a_payment_says_on_the_page_and_in_its_file_what_it_leaves_out(
    test: &TestApp,
    shop: Shop,
) {
    let sold = shop.sell(10_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let of_it = format!("transactionId={}", id(&sold));
    let said = "Só entram as 50 devoluções mais novas deste pagamento";
    let after = async |refunds: usize| {
        for _ in 0..refunds {
            refund(&shop, &sold, json!({ "amountCents": 10 })).await;
        }
        let page = browser.page(&format!("{BALANCE}?{of_it}")).await;
        let file = browser.get(&format!("{BALANCE}/export?{of_it}")).await;
        (page, file.text)
    };
    let (page, file) = after(50).await;
    assert!(!page.says(said) && !file.contains(said), "{file}");
    assert_eq!(file.lines().count(), 52, "the heading, the payment and its refunds");
    let (page, file) = after(1).await;
    assert!(page.says(said), "{}", page.text);
    let last = file.lines().last().expect("is one");
    assert!(last.starts_with(";;") && last.contains(said) && last.ends_with(";;;"), "{last}");
    assert_eq!(file.lines().count(), 53, "one line more");
}

#[story::test]
async fn a_part_of_a_statement_stays_one_when_it_is_filtered_and_is_no_view(
    test: &TestApp,
    shop: Shop,
) {
    shop.sell(10_000).await;
    withdraw(&shop, 1_000, GOOD).await;
    shop.sell(700).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let part = browser.page(&format!("{BALANCE}?sequenceFrom=3&sequenceTo=4")).await;
    assert_eq!(part.hidden("sequenceFrom"), Some("3"));
    assert_eq!(part.hidden("sequenceTo"), Some("4"));
    assert!(!part.says("<option value=\"pending\""), "its numbers are of one account");
    let sales = "account=available&kind=payment_captured";
    let filtered = browser.page(&format!("{BALANCE}?{sales}&sequenceFrom=3&sequenceTo=4")).await;
    assert!(filtered.says("R$\u{a0}7,00") && !filtered.says("R$\u{a0}100,00"), "{}", filtered.text);
    assert!(!filtered.says("Salvar este filtro"), "{}", filtered.text);
    let whole = browser.page(&format!("{BALANCE}?{sales}")).await;
    assert!(whole.says("Salvar este filtro") && whole.says("<option value=\"pending\""));
    assert_eq!(whole.hidden("sequenceFrom"), None);
}

#[story::test]
async fn a_refund_in_the_statement_and_in_its_figure_leads_to_its_payment(
    test: &TestApp,
    shop: Shop,
) {
    let sold = shop.sell(10_000).await;
    refund(&shop, &sold, json!({ "amountCents": 1_000 })).await;
    test.run_jobs().await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let payment = format!("<a href=\"/dashboard/dev/transactions/{}\">", id(&sold));
    let statement = browser.page(&format!("{BALANCE}?kind=refund_requested")).await;
    assert!(statement.says(&format!("{payment}Devolução</a>")), "{}", statement.text);
    let home = browser.page("/dashboard/dev").await;
    let begin = "<a href=\"/dashboard/dev/figures/entries?";
    let refunded = home.text.split(begin).skip(1).filter_map(|link| link.split('"').next()).nth(1);
    let query = refunded.expect("is a link").replace("&#38;", "&").replace("&amp;", "&");
    let figure = browser.page(&format!("/dashboard/dev/figures/entries?{query}")).await;
    assert!(figure.says(&payment) && figure.says("Devolução <code>"), "{}", figure.text);
}
