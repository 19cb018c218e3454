//! Affiliates in the dashboard: own programs, programs to join, and what one earns.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, as_unknown, calls_answer, join, next, typed, without_harm};
use crate::affiliates::{self, PROGRAMS, Scene};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id, product_path};

const HOME: &str = "/dashboard/dev/affiliates";
const LIST: &str = "/dashboard/dev/affiliates/programs";
const MARKET: &str = "/dashboard/dev/affiliates/marketplace";
const MINE: &str = "/dashboard/dev/affiliates/mine";
const AFFILIATE: &str = "bia.lima@example.com";
const VIEWER: &str = "leitura@example.com";
const WEEK: Duration = Duration::from_hours(7 * 24);

fn path_of(program: &Value) -> String {
    format!("{LIST}/{}", id(program))
}

async fn read(shop: &Shop, program: &Value) -> Value {
    shop.key.get(&format!("{PROGRAMS}/{}", id(program))).await.expect(200)["data"].clone()
}

/// Posts the only button of a form with the attempt of the page.
async fn press(browser: &Browser, page: &str, form: &str, fields: &[(&str, &str)]) -> Page {
    let fields = typed(browser, page, fields).await;
    let done = browser.post_typed(form, &fields).await;
    browser.land(done).await
}

#[story::test]
async fn a_form_and_a_body_make_the_same_program_and_a_double_click_one(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let (course, theirs) = (shop.product(json!({})).await, other.product(json!({})).await);
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{LIST}/new");
    let fields = [
        ("productId", id(&course)),
        ("commissionType", "PERCENTAGE"),
        ("commissionValue", "12,5"),
        ("cookieDays", "60"),
        ("description", "Um curso"),
        ("rules", "Sem spam"),
        ("affiliatePage", "https://example.com/afiliados"),
        ("salesPage", "https://example.com/curso"),
        ("extendedCommission", "true"),
    ];
    let fields = typed(&browser, &page, &fields).await;
    let mut made = Vec::new();
    for _ in 0..2 {
        made.push(next(&browser.post_typed(&page, &fields).await));
    }
    assert_eq!((&made[0], shop.key.total(PROGRAMS).await), (&made[1], json!(1)));
    let body = json!({
        "productId": id(&theirs), "commissionType": "PERCENTAGE", "commissionValue": 1_250,
        "cookieDays": 60, "description": "Um curso", "rules": "Sem spam",
        "affiliatePage": "https://example.com/afiliados",
        "salesPage": "https://example.com/curso", "extendedCommission": true,
    });
    other.key.post(PROGRAMS, body).await.expect(201);
    let left = async |shop: &Shop| {
        let mut program = shop.key.list(PROGRAMS).await.remove(0);
        for field in ["id", "productId", "product", "user"] {
            program[field] = Value::Null;
        }
        program
    };
    assert_eq!(left(&shop).await, left(&other).await);
    let audit = shop.owner.list("/api/audit?action=affiliate_program.created").await;
    assert_eq!(audit.len(), 1);
    assert!(made[0].ends_with(audit[0]["subjectId"].as_str().expect("is an id")));
    let shown = browser.page(&made[0]).await;
    assert!(shown.says("12,5%") && shown.says("60 dias") && shown.says("Nenhum afiliado ainda"));
    calls_answer(&shop, &shown).await;
}

#[story::test]
async fn a_refused_program_comes_back_with_its_values(test: &TestApp, shop: Shop) {
    let course = shop.product(json!({ "price": 1_000 })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{LIST}/new");
    let fields = [("commissionValue", "muito"), ("cookieDays", "x"), ("salesPage", "nada")];
    let fields = typed(&browser, &page, &fields).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert_eq!(refused.wrong(), ["productId", "commissionValue", "cookieDays", "salesPage"]);
    assert_eq!((refused.value("commissionValue"), refused.value("salesPage")), ("muito", "nada"));
    let dear = [
        ("productId", id(&course)),
        ("commissionType", "FIXED"),
        ("commissionValue", "10,01"),
        ("cookieDays", "366"),
    ];
    let fields = typed(&browser, &page, &dear).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert_eq!(refused.wrong(), ["commissionValue", "cookieDays"]);
    assert!(refused.says("<option value=\"FIXED\" selected>"));
    assert_eq!(shop.key.total(PROGRAMS).await, 0);
    affiliates::program(&shop, &course, json!({})).await;
    let again = [("productId", id(&course)), ("commissionValue", "5"), ("cookieDays", "30")];
    let fields = typed(&browser, &page, &again).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert!(refused.says("Este produto já tem um programa."), "{}", refused.text);
    assert_eq!(shop.key.total(PROGRAMS).await, 1);
}

#[story::test]
async fn a_card_number_is_refused_in_every_field_of_a_program(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{LIST}/new");
    let fields = ["commissionValue", "cookieDays", "description", "rules", "salesPage"];
    for field in fields {
        let fields = typed(&browser, &page, &[(field, "4111 1111 1111 1111")]).await;
        let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
        assert_eq!(refused.wrong(), [field]);
    }
    assert_eq!(shop.key.total(PROGRAMS).await, 0);
}

#[story::test]
async fn a_change_sends_what_was_typed_and_the_switch_says_why_it_stands_so(
    test: &TestApp,
    scene: Scene,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let (here, path) = (path_of(&scene.program), format!("{}/edit", path_of(&scene.program)));
    let form = browser.page(&path).await;
    assert_eq!((form.value("commissionValue"), form.value("cookieDays")), ("10", "30"));
    let changed = json!({ "rules": "Sem spam" });
    scene.shop.key.patch(&format!("{PROGRAMS}/{}", id(&scene.program)), changed).await.expect(200);
    let fields = form.filled(&[("commissionType", "FIXED"), ("description", "Um curso")]);
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&path, &fields).await), here);
    }
    let now = read(&scene.shop, &scene.program).await;
    assert_eq!((&now["commissionType"], &now["commissionValue"]), (&json!("FIXED"), &json!(1_000)));
    assert_eq!((&now["rules"], &now["description"]), (&json!("Sem spam"), &json!("Um curso")));
    assert_eq!(scene.shop.owner.total("/api/audit?action=affiliate_program.updated").await, 1);
    let switch = format!("{here}/switch");
    let off = press(&browser, &here, &switch, &[("isActive", "false")]).await;
    assert!(off.says("O programa foi desligado.") && off.says("vendas novas não rendem"));
    assert_eq!(read(&scene.shop, &scene.program).await["isActive"], false);
    assert!(
        press(&browser, &here, &switch, &[("isActive", "true")]).await.says("Aceita afiliados")
    );
}

#[story::test]
async fn a_program_shows_its_affiliates_and_each_amount_opens_what_it_is_the_sum_of(
    test: &TestApp,
    scene: Scene,
) {
    let later = scene.sell(json!({})).await;
    test.run_jobs_after(WEEK).await;
    scene.sell(json!({})).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let list = browser.page(HOME).await;
    assert!(list.says("Afiliados: 1 · cliques: 0 · vendas: 2"), "{}", list.text);
    let page = browser.page(&path_of(&scene.program)).await;
    assert!(page.says("Bia Lima") && page.says("b***@example.com") && page.says(scene.code()));
    for (status, shown) in [("PENDING", "A liberar"), ("PAID", "Liberada")] {
        let commissions = format!("{}/commissions", path_of(&scene.program));
        let of_all = format!("{commissions}?status={status}");
        let of_one = format!("{commissions}?linkId={}&status={status}", id(&scene.link));
        for path in [of_all, of_one] {
            let link = format!("href=\"{}\"", path.replace('&', "&#38;"));
            assert!(page.says(&link), "{path}: {}", page.text);
            let sum = browser.page(&path).await;
            let rows = sum.within("<tbody", "</tbody>").expect("has rows").to_owned();
            assert_eq!(rows.matches("<tr>").count(), 1, "{rows}");
            assert!(rows.contains("R$\u{a0}10,00") && rows.contains(shown), "{rows}");
            calls_answer(&scene.shop, &sum).await;
        }
    }
    let all = browser.page(&format!("{}/commissions", path_of(&scene.program))).await;
    assert!(all.says(&format!("/dashboard/dev/transactions/{}", id(&later))));
    assert!(all.says("Será liberada em") && all.says("Foi para o saldo disponível"));
    let none = format!("{}/commissions?status=CANCELLED", path_of(&scene.program));
    assert!(browser.page(&none).await.says("Nenhuma comissão passa por este filtro"));
    let wrong = format!("{}/commissions?status=LATER", path_of(&scene.program));
    assert_eq!(Page::of(browser.get(&wrong).await, 400).wrong(), ["status"]);
}

#[story::test]
async fn an_affiliates_link_is_switched_off_and_says_why_to_the_affiliate(
    test: &TestApp,
    scene: Scene,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let here = path_of(&scene.program);
    let switch = format!("{HOME}/links/{}/switch", id(&scene.link));
    let off = press(&browser, &here, &switch, &[("isActive", "false")]).await;
    assert!(off.says("O link do afiliado foi desligado"), "{}", off.text);
    let theirs = Browser::signed_in(test, AFFILIATE).await;
    let own = format!("{MINE}/links/{}", id(&scene.link));
    assert!(theirs.page(&own).await.says("O dono do programa desligou o seu link"));
    let audit = scene.shop.owner.list("/api/audit?action=affiliate_link.updated").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &scene.link["id"]));
    assert!(press(&browser, &here, &switch, &[("isActive", "true")]).await.says("foi ligado"));
    let refused = theirs.post(&switch, &[("isActive", "false"), ("attempt", "x")]).await;
    assert_ne!(refused.status, 303);
    scene.shop.key.delete(&format!("{PROGRAMS}/{}", id(&scene.program))).await.expect(200);
    assert!(theirs.page(&own).await.says("O programa foi desligado ou encerrado"));
    scene.shop.key.delete(&product_path(&scene.product)).await.expect(200);
    assert!(theirs.page(&own).await.says("O produto foi apagado"));
}

#[story::test]
async fn a_program_of_another_account_is_joined_once_and_ones_own_never(
    test: &TestApp,
    shop: Shop,
) {
    let course = shop.product(json!({ "name": "Curso", "price": 10_000 })).await;
    let sold = json!([{ "productId": id(&course), "quantity": 1 }]);
    shop.link_with(json!({ "products": sold })).await;
    let program = affiliates::program(&shop, &course, json!({ "rules": "Sem spam" })).await;
    let bia = test.shop("Bia Lima").await;
    let browser = Browser::signed_in(test, AFFILIATE).await;
    assert!(browser.page(MINE).await.says("Você não participa de nenhum programa"));
    let market = browser.page(MARKET).await;
    assert!(market.says("Curso") && market.says("Loja · 10% · 30 dias"), "{}", market.text);
    calls_answer(&bia, &market).await;
    let open = format!("{MARKET}/{}", id(&program));
    let terms = browser.page(&open).await;
    assert!(terms.says("Sem spam") && terms.says("Entrando, você recebe um link"));
    calls_answer(&bia, &terms).await;
    let join = format!("{open}/join");
    let fields = typed(&browser, &open, &[]).await;
    let joined = next(&browser.post_typed(&join, &fields).await);
    assert_eq!(next(&browser.post_typed(&join, &fields).await), joined, "a double click");
    let link = bia.key.list("/api/affiliate/links").await.remove(0);
    assert_eq!(joined, format!("{MINE}/links/{}", id(&link)));
    let page = browser.page(&joined).await;
    let address = link["url"].as_str().expect("is sold").replace('&', "&#38;");
    assert!(page.says(&address) && page.says("class=\"qr\""), "{}", page.text);
    calls_answer(&bia, &page).await;
    let audit = bia.owner.list("/api/audit?action=affiliate_program.joined").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &program["id"]));
    assert!(browser.page(MARKET).await.says("Você participa"));
    let again = browser.page(&open).await;
    assert!(again.says("A sua conta já participa deste programa.") && again.says(&joined));
    let owner = Browser::signed_in(test, EMAIL).await;
    let own = owner.page(&open).await;
    assert!(own.says("ninguém é afiliado de si mesmo"), "{}", own.text);
    let english = owner.page(&format!("{open}?lang=en")).await;
    assert!(english.says("no account can be its own affiliate"), "{}", english.text);
    let back = owner.page(&format!("{open}?lang=pt")).await;
    assert!(back.says("ninguém é afiliado de si mesmo"));
    let fields = typed(&owner, &format!("{LIST}/new"), &[]).await;
    let refused = Page::of(owner.post_typed(&join, &fields).await, 422);
    assert!(refused.says("Este programa é da sua própria conta."));
    assert_eq!(shop.key.total("/api/affiliate/links").await, 0);
}

#[story::test]
async fn an_affiliate_sees_what_was_earned_and_why(test: &TestApp, scene: Scene) {
    let paid = scene.sell(json!({})).await;
    let browser = Browser::signed_in(test, AFFILIATE).await;
    let page = browser.page(MINE).await;
    assert!(page.says("Curso") && page.says("R$\u{a0}10,00") && page.says("Sem página de venda"));
    calls_answer(&scene.affiliate, &page).await;
    let pending = browser.page(&format!("{MINE}/commissions?status=PENDING")).await;
    assert!(pending.says("Será liberada em 28/11/2026"), "{}", pending.text);
    assert!(!pending.says(id(&paid)), "the payment is the seller's");
    calls_answer(&scene.affiliate, &pending).await;
    crate::refunds::refund(&scene.shop, &paid, json!({})).await;
    let held = browser.page(&format!("{MINE}/commissions")).await;
    assert!(held.says("esperam o fim de uma devolução"), "{}", held.text);
    test.run_jobs().await;
    let gone = browser.page(&format!("{MINE}/commissions?status=CANCELLED")).await;
    assert!(gone.says("A venda foi devolvida ao comprador"), "{}", gone.text);
    let english = browser.page(&format!("{MINE}/commissions?status=CANCELLED&lang=en")).await;
    assert!(english.says("The sale was refunded to the buyer"));
}

#[story::test]
async fn a_program_ends_once_its_product_is_typed(test: &TestApp, scene: Scene) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{}/delete", path_of(&scene.program));
    let fields = typed(&browser, &path, &[("typed", "Cursos")]).await;
    let page = Page::of(browser.post_typed(&path, &fields).await, 422);
    assert_eq!((page.wrong(), page.value("typed")), (vec!["typed"], "Cursos"));
    calls_answer(&scene.shop, &page).await;
    let fields = typed(&browser, &path, &[("typed", "curso")]).await;
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&path, &fields).await), HOME);
    }
    assert_eq!(scene.shop.key.total(PROGRAMS).await, 0);
    assert_eq!(scene.shop.owner.total("/api/audit?action=affiliate_program.deleted").await, 1);
    let empty = browser.page(HOME).await;
    assert!(empty.says("Nenhum programa ainda"));
    calls_answer(&scene.shop, &empty).await;
}

#[story::test]
async fn a_role_that_may_not_change_programs_reads_them(test: &TestApp, scene: Scene) {
    join(test, &scene.shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    let here = path_of(&scene.program);
    let before = read(&scene.shop, &scene.program).await;
    for path in [HOME, &here] {
        let page = browser.page(path).await;
        assert!(page.says("O seu papel nesta conta não inclui isto."), "{path}");
    }
    let fields = [("attempt", "x"), ("isActive", "false"), ("typed", "Curso")];
    for refused in [
        browser.get(&format!("{LIST}/new")).await,
        browser.post(&format!("{LIST}/new"), &fields).await,
        browser.post(&format!("{here}/edit"), &fields).await,
        browser.post(&format!("{here}/switch"), &fields).await,
        browser.post(&format!("{here}/delete"), &fields).await,
        browser.post(&format!("{HOME}/links/{}/switch", id(&scene.link)), &fields).await,
        browser.post(&format!("{MARKET}/{}/join", id(&scene.program)), &fields).await,
    ] {
        assert!(Page::of(refused, 403).says("affiliates:write"));
    }
    assert_eq!(read(&scene.shop, &scene.program).await, before);
}

#[story::test]
async fn what_is_another_accounts_is_as_unknown_as_what_does_not_exist(
    test: &TestApp,
    scene: Scene,
    other: Shop,
) {
    drop(other);
    let browser = Browser::signed_in(test, "outra@example.com").await;
    let program = id(&scene.program);
    as_unknown(&browser, LIST, program, &["", "/edit", "/delete", "/commissions"]).await;
    as_unknown(&browser, &format!("{MINE}/links"), id(&scene.link), &[""]).await;
    let page = browser.page(&format!("{LIST}/new")).await;
    let attempt = page.hidden("attempt").expect("has an attempt");
    let fields = [("attempt", attempt), ("isActive", "false"), ("typed", "Curso")];
    for form in [
        format!("{LIST}/{program}/edit"),
        format!("{LIST}/{program}/switch"),
        format!("{LIST}/{program}/delete"),
        format!("{HOME}/links/{}/switch", id(&scene.link)),
    ] {
        assert_eq!(browser.post(&form, &fields).await.status, 404, "{form}");
    }
    assert_eq!(read(&scene.shop, &scene.program).await["isActive"], true);
}

#[story::test]
async fn hostile_texts_of_programs_are_text(test: &TestApp, shop: Shop) {
    let course = shop.product(json!({ "name": HOSTILE })).await;
    let more = json!({ "description": HOSTILE, "rules": HOSTILE });
    let program = affiliates::program(&shop, &course, more).await;
    let bia = test.shop("Bia Lima").await;
    let link = affiliates::join(&bia, &program).await;
    let own = Browser::signed_in(test, EMAIL).await;
    let here = path_of(&program);
    let pages = ["", "/edit", "/delete", "/commissions"].map(|page| format!("{here}{page}"));
    for path in pages.into_iter().chain([HOME.to_owned()]) {
        let page = own.page(&path).await;
        without_harm(&page);
        calls_answer(&shop, &page).await;
    }
    let theirs = Browser::signed_in(test, AFFILIATE).await;
    for path in [
        MARKET.to_owned(),
        format!("{MARKET}/{}", id(&program)),
        MINE.to_owned(),
        format!("{MINE}/links/{}", id(&link)),
        format!("{MINE}/commissions?linkId={}", id(&link)),
    ] {
        let page = theirs.page(&path).await;
        without_harm(&page);
        calls_answer(&bia, &page).await;
    }
}
