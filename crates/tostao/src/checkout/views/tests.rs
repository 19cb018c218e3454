//! What every hosted page owes its reader, whatever it shows: structure a screen reader can
//! follow, nothing the content security policy would refuse, and few bytes.

use std::collections::HashSet;
use std::io::Write as _;

use askama::Template;
use brazil::boleto::Barcode;
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::civil::date;
use ledger::cents::Cents;

use super::*;
use crate::checkout::views::card::{CardForm, CardPage, Goal, Notice, Step};
use crate::checkout::views::charge::{
    BoletoPage, Charge, FailedPage, PixCode, PixPage, Place, ProcessingPage, Subscription,
};
use crate::providers::card::Tokeniser;
use crate::qr::Qr;
use crate::slip::page::SlipPage;
use crate::slip::{Party, Slip, SlipPix};
use crate::subscribing::views::{CancelPage, Fact, OwnPage, Payment, PlanPage};

const HOSTILE: &str = "\"'><script>alert(1)</script><b onclick=x style=y>&{{ m }}";

/// A start tag and its attributes, as a browser would split them.
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    fn read(source: &str) -> (Self, &str) {
        let end = source.find(|c: char| c == '>' || c.is_whitespace()).unwrap();
        let mut tag = Self { name: source[..end].to_owned(), attributes: Vec::new() };
        let mut rest = source[end..].trim_start();
        while !rest.starts_with('>') && !rest.starts_with("/>") {
            let end = rest.find(|c: char| "=>/".contains(c) || c.is_whitespace()).unwrap();
            let name = rest[..end].to_owned();
            rest = &rest[end..];
            let mut value = "";
            if let Some(quoted) = rest.strip_prefix("=\"") {
                (value, rest) = quoted.split_once('"').expect("the quotes are closed");
            }
            assert!(!rest.starts_with('='), "the value of {name} stands in quotes");
            tag.attributes.push((name, value.to_owned()));
            rest = rest.trim_start();
        }
        (tag, rest)
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn is_control(&self) -> bool {
        let hidden = self.attribute("type") == Some("hidden");
        matches!(self.name.as_str(), "input" | "select" | "textarea") && !hidden
    }
}

fn tags(html: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let (tag, after) = Tag::read(rest);
            tags.push(tag);
            rest = after;
        }
    }
    tags
}

fn named<'a>(tags: &'a [Tag], name: &str) -> Vec<&'a Tag> {
    tags.iter().filter(|tag| tag.name == name).collect()
}

/// The inputs a reader sees.
fn inputs(tags: &[Tag]) -> impl Iterator<Item = &Tag> {
    tags.iter().filter(|tag| tag.name == "input" && tag.is_control())
}

fn field(text: &str) -> Field {
    Field { value: text.to_owned(), error: Some(text.to_owned()) }
}

/// The longest form, with every field refused.
fn full_form(text: &str) -> PayForm {
    PayForm {
        name: field(text),
        email: field(text),
        document: field(text),
        phone: Some(field(text)),
        address: Some(AddressFields {
            postal_code: field(text),
            street: field(text),
            number: field(text),
            complement: field(text),
            district: field(text),
            city: field(text),
            state: field(text),
        }),
        coupon: field(text),
        method: Field { value: String::new(), ..field(text) },
        installments: Field { value: String::new(), ..field(text) },
    }
}

fn ways(lang: Lang) -> Vec<Way> {
    let way = |id, value, name| Way {
        id,
        value,
        name,
        note: lang.pix_note().to_owned(),
        go: lang.generate_code(),
        next: lang.generate_note(),
        is_chosen: id == "pix",
    };
    vec![
        way("pix", "PIX", lang.pix()),
        way("boleto", "BOLETO", lang.boleto()),
        way("card", "CREDIT_CARD", lang.card()),
    ]
}

fn pay_page(lang: Lang, text: &str, form: PayForm) -> PayPage {
    let item = || Item {
        name: text.to_owned(),
        quantity: 2,
        price: lang.money(1_000),
        total: lang.money(2_000),
    };
    PayPage {
        lang,
        test_mode: true,
        merchant: text.to_owned(),
        language_url: "?lang=en".to_owned(),
        slug: "4tJ8sQ2mXk7B".to_owned(),
        title: text.to_owned(),
        description: Some(text.to_owned()),
        product_description: Some(text.to_owned()),
        items: vec![item(), item()],
        discount: Some(Discount {
            code: text.to_owned(),
            price: lang.money(5_000),
            off: lang.money(1_000),
        }),
        total: lang.money(4_000),
        seen: 4_000,
        ways: ways(lang),
        parts: (1..=12)
            .map(|count| Part {
                count,
                text: lang.parts_free(count, lang.money(1_234)),
                is_chosen: false,
            })
            .collect(),
        form,
        attempt: "0123456789abcdef".into(),
        changed: false,
    }
}

fn charge(lang: Lang, text: &str) -> Charge {
    Charge {
        merchant: text.to_owned(),
        place: Place {
            slug: "4tJ8sQ2mXk7B".to_owned(),
            transaction: "0190f3a2-7c1e-7d7a-8e0a-2f6d1f0b9c11".to_owned(),
            token: "k3y".to_owned(),
        },
        title: text.to_owned(),
        amount: lang.money(4_000),
        subscription: None,
    }
}

fn card_page(lang: Lang, text: &str, step: Step) -> CardPage {
    CardPage {
        lang,
        test_mode: true,
        merchant: text.to_owned(),
        language_url: "?state=s3al&lang=en".to_owned(),
        place: "/pay/4tJ8sQ2mXk7B/card".to_owned(),
        goal: Goal::Pay,
        title: text.to_owned(),
        amount: lang.money(4_000),
        parts: Some(lang.parts_free(3, lang.money(1_334))),
        state: "s3al".repeat(200),
        notice: Some(Notice { heading: lang.declined(), text: lang.insufficient_funds() }),
        step,
        others: vec![("PIX", lang.pay_by_pix(lang.money(4_000)))],
    }
}

fn typing(text: &str) -> Step {
    let door = Tokeniser {
        api: "/tokens".to_owned(),
        form: "/sandbox/card-form".to_owned(),
        sample: Some("1234"),
    };
    let empty = || Field { value: String::new(), error: Some(text.to_owned()) };
    let (number, expiry, cvv, holder) = (empty(), empty(), empty(), empty());
    Step::Type(CardForm { door, number, expiry, cvv, holder })
}

/// The pages of a card and of a slip, and what may become of them.
fn other_pages(lang: Lang, text: &str) -> Vec<(&'static str, askama::Result<String>)> {
    let (test_mode, language_url) = (true, "?token=k3y&lang=en".to_owned());
    let confirm = Step::Confirm { token: text.to_owned(), brand: "Visa", last4: "0000".to_owned() };
    let url = || language_url.clone();
    let slip = slip(lang, text);
    let to_pay = |slip| BoletoPage {
        lang,
        test_mode,
        language_url: url(),
        charge: charge(lang, text),
        slip,
    };
    let failed = FailedPage {
        lang,
        test_mode,
        language_url: url(),
        charge: charge(lang, text),
        reason: lang.expired_card(),
        has_link: true,
        takes_pix: true,
    };
    let processing =
        ProcessingPage { lang, test_mode, language_url: url(), charge: charge(lang, text) };
    vec![
        ("card", card_page(lang, text, typing(text)).render()),
        ("card, to be confirmed", card_page(lang, text, confirm).render()),
        ("boleto", to_pay(Some(slip)).render()),
        ("boleto, expired", to_pay(None).render()),
        ("failed", failed.render()),
        ("processing", processing.render()),
    ]
}

fn pix_page(lang: Lang, text: &str, seconds_left: Option<u64>) -> PixPage {
    PixPage {
        lang,
        test_mode: true,
        language_url: "?token=k3y&lang=en".to_owned(),
        charge: charge(lang, text),
        expires_at: lang.date_time(1_795_261_380_000_000),
        code: seconds_left.map(|seconds_left| PixCode {
            br_code: text.to_owned(),
            qr: Qr::encode(&"7".repeat(217)).unwrap(),
            seconds_left,
        }),
    }
}

fn receipt_page(lang: Lang, text: &str) -> ReceiptPage {
    ReceiptPage {
        lang,
        test_mode: true,
        merchant: text.to_owned(),
        language_url: "?token=k3y&lang=en".to_owned(),
        title: text.to_owned(),
        amount: lang.money(4_000),
        discount: Some(lang.money(500)),
        coupon: Some(text.to_owned()),
        refunded: Some(lang.money(1_000)),
        paid_at: lang.date_time(1_795_261_380_000_000),
        method: lang.card_ending("Visa", "0000"),
        parts: Some(lang.parts_free(3, lang.money(1_334))),
        payer: text.to_owned(),
        masked_document: Some("***.456.789-**".to_owned()),
        transaction: "0190f3a2-7c1e-7d7a-8e0a-2f6d1f0b9c11".to_owned(),
        end_to_end_id: Some("E12345678202611211143abcDEF12345".to_owned()),
        return_url: Some(format!("https://shop.example.com/?note={text}")),
        subscription_url: Some("/subscription/k3y".to_owned()),
        pixel: PixelId::parse("1234567890"),
    }
}

fn slip(lang: Lang, text: &str) -> Slip {
    let party = || Party { name: text.to_owned(), document: None };
    let digits = "00191165600000150000000003128557000000004217";
    let pix = SlipPix { br_code: text.to_owned(), qr: Qr::encode(&"7".repeat(217)).unwrap() };
    Slip {
        lang,
        test_mode: true,
        beneficiary: party(),
        payer: party(),
        description: text.to_owned(),
        number: text.to_owned(),
        our_number: "31285570000000042".to_owned(),
        issued_on: date(2026, 11, 21),
        due_on: date(2026, 12, 10),
        amount: Cents::new(15_000),
        barcode: Barcode::parse(digits).unwrap(),
        pix: Some(pix),
    }
}

fn slip_page(lang: Lang, text: &str) -> SlipPage {
    SlipPage::new(slip(lang, text), "?token=k3y&lang=en".to_owned(), "?token=k3y".to_owned())
}

fn plan_page(lang: Lang, text: &str, form: PayForm) -> PlanPage {
    let paid = pay_page(lang, text, form);
    let price = lang.per_month(lang.money(2_990));
    PlanPage {
        lang,
        test_mode: true,
        merchant: text.to_owned(),
        language_url: "?lang=en".to_owned(),
        place: "/subscribe/0190f3a2-7c1e-7d7a-8e0a-2f6d1f0b9c11".to_owned(),
        title: text.to_owned(),
        description: Some(text.to_owned()),
        trial: Some(lang.free_days(7)),
        terms: lang.trial_terms("29/11/2026", lang.money(2_990)),
        pix_terms: lang.pix_renewal_terms("29/11/2026", &price),
        price,
        discount: paid.discount,
        total: paid.total,
        seen: paid.seen,
        ways: ways(lang).into_iter().filter(|way| way.id != "boleto").collect(),
        parts: Vec::new(),
        form: PayForm { phone: None, address: None, installments: Field::default(), ..paid.form },
        attempt: paid.attempt,
        changed: true,
        had_trial: true,
        aff: text.to_owned(),
    }
}

fn own_page(lang: Lang, text: &str) -> OwnPage {
    let payment = |address: Option<&str>| Payment {
        day: "22/11/2026".to_owned(),
        amount: lang.money(2_990),
        status: lang.status_paid(),
        address: address.map(str::to_owned),
    };
    OwnPage {
        lang,
        test_mode: true,
        merchant: text.to_owned(),
        language_url: "?lang=en".to_owned(),
        place: "/subscription/k3y".to_owned(),
        title: text.to_owned(),
        status: lang.active(),
        news: Some(lang.subscribed_news()),
        advice: Some(lang.keep_this_address()),
        notice: Some(Notice { heading: lang.declined(), text: lang.insufficient_funds() }),
        owed: Some(lang.past_due_note()),
        facts: vec![Fact { label: lang.subscriber(), value: text.to_owned() }],
        pay: Some(("/pay/-/t/a?token=k3y".to_owned(), lang.money(2_990))),
        card: Some(lang.change_card()),
        can_pause: true,
        resume: Some(lang.resume_costs(lang.money(2_990))),
        can_cancel: true,
        again: Some("/subscribe/a".to_owned()),
        payments: vec![payment(Some("/pay/-/t/a?token=k3y")), payment(None)],
    }
}

fn cancel_page(lang: Lang, text: &str, ends: Option<&str>) -> CancelPage {
    CancelPage {
        lang,
        test_mode: true,
        merchant: text.to_owned(),
        language_url: "?lang=en".to_owned(),
        place: "/subscription/k3y".to_owned(),
        title: text.to_owned(),
        ends: ends.map(str::to_owned),
    }
}

/// The pages of plans and subscribers, and the payments' pages that lead to them.
fn subscription_pages(lang: Lang, text: &str) -> Vec<(&'static str, askama::Result<String>)> {
    let with = |address: Option<&str>| Charge {
        subscription: Some(Subscription { address: address.map(str::to_owned) }),
        ..charge(lang, text)
    };
    let expired = |address| PixPage { charge: with(address), ..pix_page(lang, text, None) };
    vec![
        ("plan, refused", plan_page(lang, text, full_form(text)).render()),
        ("plan", plan_page(lang, text, PayForm::default()).render()),
        ("own", own_page(lang, text).render()),
        ("cancel", cancel_page(lang, text, Some("22/12/2026")).render()),
        ("cancel, at once", cancel_page(lang, text, None).render()),
        ("pix of a subscription, expired", expired(Some("/subscription/k3y")).render()),
        ("pix of a subscription, expired elsewhere", expired(None).render()),
    ]
}

/// Every page in one language, its free text replaced by `text`.
fn pages(lang: Lang, text: &str) -> Vec<(&'static str, String)> {
    let error = ErrorPage { lang, request_id: text.to_owned() };
    let retry_url = text.to_owned();
    let rate_limited = RateLimitedPage { lang, retry_after_seconds: 30, retry_url };
    let mut pages = vec![
        ("pay, refused", pay_page(lang, text, full_form(text)).render()),
        ("pay", pay_page(lang, text, PayForm::default()).render()),
        ("pix", pix_page(lang, text, Some(3_600)).render()),
        ("pix, expired", pix_page(lang, text, None).render()),
        ("slip", slip_page(lang, text).render()),
        ("receipt", receipt_page(lang, text).render()),
        ("error", error.render()),
        ("rate limited", rate_limited.render()),
    ];
    pages.extend(other_pages(lang, text));
    pages.extend(subscription_pages(lang, text));
    for (name, reason) in [
        ("link expired", Closed::LinkExpired),
        ("link inactive", Closed::LinkInactive),
        ("inactive plan", Closed::PlanInactive),
        ("full plan", Closed::PlanFull),
        ("sold out", Closed::SoldOut),
        ("charge cancelled", Closed::ChargeCancelled),
        ("charge refused", Closed::ChargeRefused),
        ("not found", Closed::NotFound),
    ] {
        let merchant = (reason != Closed::NotFound).then(|| text.to_owned());
        pages.push((name, ClosedPage { lang, test_mode: true, merchant, reason }.render()));
    }
    pages.into_iter().map(|(name, html)| (name, html.unwrap())).collect()
}

/// Calls `check` with every page in both languages, with plain and with hostile text.
fn for_every_page(check: impl Fn(&str, &str, &[Tag])) {
    for lang in [Lang::PtBr, Lang::En] {
        for text in ["Loja Exemplo", HOSTILE] {
            for (name, html) in pages(lang, text) {
                check(&format!("{name} ({})", lang.tag()), &html, &tags(&html));
            }
        }
    }
}

#[test]
fn every_page_has_a_language_a_title_and_one_main_heading() {
    for lang in [Lang::PtBr, Lang::En] {
        for (name, html) in pages(lang, "Loja Exemplo") {
            let tags = tags(&html);
            assert_eq!(named(&tags, "html")[0].attribute("lang"), Some(lang.tag()), "{name}");
            for once in ["title", "h1", "main"] {
                assert_eq!(named(&tags, once).len(), 1, "{name}: {once}");
            }
            assert!(!html.contains("<title></title>") && !html.contains("<h1></h1>"), "{name}");
        }
    }
}

#[test]
fn every_control_has_a_label_and_every_id_is_unique() {
    for_every_page(|page, _, tags| {
        let mut ids = HashSet::new();
        for id in tags.iter().filter_map(|tag| tag.attribute("id")) {
            assert!(ids.insert(id), "{page}: the id {id} is taken twice");
        }
        let labels: Vec<_> =
            named(tags, "label").iter().filter_map(|label| label.attribute("for")).collect();
        for control in tags.iter().filter(|tag| tag.is_control()) {
            let id = control.attribute("id").expect("the control has an id");
            assert!(labels.contains(&id), "{page}: {id} has no label");
        }
    });
}

#[test]
fn every_reference_inside_a_page_points_somewhere() {
    for_every_page(|page, _, tags| {
        let ids: HashSet<_> = tags.iter().filter_map(|tag| tag.attribute("id")).collect();
        for tag in tags {
            for name in ["for", "aria-describedby", "aria-labelledby", "data-copy"] {
                let targets = tag.attribute(name).unwrap_or_default();
                for id in targets.split_whitespace() {
                    assert!(ids.contains(id), "{page}: {name} points to {id}");
                }
            }
            if let Some(id) = tag.attribute("href").and_then(|href| href.strip_prefix('#')) {
                assert!(ids.contains(id), "{page}: a link points to {id}");
            }
        }
    });
}

#[test]
fn no_page_holds_what_the_policy_forbids() {
    for_every_page(|page, html, tags| {
        assert!(!html.contains("<script>"), "{page} has an inline script");
        for tag in tags {
            assert!(!["style", "base", "iframe", "b"].contains(&tag.name.as_str()), "{page}");
            for (name, _) in &tag.attributes {
                assert!(!name.starts_with("on") && name != "style", "{page}: {name}");
            }
        }
        let scripts = named(tags, "script");
        let sources: Vec<_> = scripts.iter().filter_map(|tag| tag.attribute("src")).collect();
        let own = [assets::checkout_js(), assets::purchase_js()];
        let buys = ["pay", "card", "plan"].iter().any(|name| page.starts_with(name));
        assert_eq!(sources, own[..=usize::from(buys)], "{page}");
        for form in named(tags, "form") {
            assert_eq!(form.attribute("method"), Some("post"), "{page}");
            let action = form.attribute("action").unwrap();
            let ours = ["/pay/4tJ8sQ2mXk7B", "/subscribe/", "/subscription/"];
            let own = ours.iter().any(|ours| action.starts_with(ours));
            assert!(own != (form.attribute("id") == Some("card")), "{page}: {action}");
        }
    });
}

#[test]
fn only_the_receipt_loads_an_image_and_only_with_a_pixel() {
    for_every_page(|page, _, tags| {
        let images = named(tags, "img").len();
        assert_eq!(images, usize::from(page.starts_with("receipt")), "{page}");
    });
    let without = ReceiptPage { pixel: None, ..receipt_page(Lang::PtBr, "Loja") };
    assert!(!without.render().unwrap().contains("facebook"));
}

#[test]
fn a_pixel_is_ten_to_twenty_digits() {
    let rows = [
        ("1234567890", true),
        ("12345678901234567890", true),
        ("123456789", false),
        ("123456789012345678901", false),
        ("12345678 0", false),
        ("١٢٣٤٥٦٧٨٩٠", false),
        ("\"><script>", false),
    ];
    for (text, valid) in rows {
        assert_eq!(PixelId::parse(text).is_some(), valid, "{text}");
    }
}

#[test]
fn browsers_can_fill_in_the_form() {
    let html = pay_page(Lang::PtBr, "Loja", full_form("")).render().unwrap();
    let tags = tags(&html);
    let controls = tags.iter().filter(|tag| tag.is_control());
    let purposes: Vec<_> = controls
        .map(|tag| (tag.attribute("name").unwrap(), tag.attribute("autocomplete")))
        .collect();
    let rows = [
        ("name", Some("name")),
        ("email", Some("email")),
        // No purpose is defined for a taxpayer number.
        ("document", None),
        ("phone", Some("tel-national")),
        ("postal_code", Some("postal-code")),
        ("street", Some("address-line1")),
        ("number", Some("address-line2")),
        ("complement", Some("address-line3")),
        ("district", Some("address-level3")),
        ("city", Some("address-level2")),
        ("state", Some("address-level1")),
        ("method", None),
        ("method", None),
        ("method", None),
        ("installments", None),
        ("coupon", Some("off")),
    ];
    assert_eq!(purposes, rows);
}

#[test]
fn browsers_can_fill_in_a_card_which_goes_nowhere_but_to_the_tokeniser() {
    let html = card_page(Lang::PtBr, "Loja", typing("")).render().unwrap();
    let tags = tags(&html);
    let purposes: Vec<_> = inputs(&tags)
        .map(|tag| (tag.attribute("name").unwrap(), tag.attribute("autocomplete").unwrap()))
        .collect();
    let rows =
        [("number", "cc-number"), ("expiry", "cc-exp"), ("cvv", "cc-csc"), ("holder", "cc-name")];
    assert_eq!(purposes, rows);
    let (_, after) = html.split_once("<form id=\"card\"").unwrap();
    let (form, rest) = after.split_once("</form>").unwrap();
    assert!(form.contains("action=\"/sandbox/card-form\""));
    for (name, _) in rows {
        assert!(form.contains(&format!("name=\"{name}\"")), "{name}");
        assert!(!rest.contains(&format!("name=\"{name}\"")), "{name}");
    }
}

#[test]
fn a_refused_form_keeps_what_was_typed_and_lists_the_errors_in_order() {
    let mut form = full_form("typed before");
    form.email = Field { value: "ana@".to_owned(), error: Some("Refused.".to_owned()) };
    form.address.as_mut().unwrap().state = Field { value: "SP".to_owned(), error: None };
    let html = pay_page(Lang::En, "Loja", form).render().unwrap();
    let tags = tags(&html);
    let links: Vec<_> = named(&tags, "a").iter().filter_map(|a| a.attribute("href")).collect();
    // The order of the fields on the page.
    let expected = [
        "#name",
        "#email",
        "#document",
        "#phone",
        "#postal_code",
        "#street",
        "#number",
        "#complement",
        "#district",
        "#city",
        "#methods",
        "#installments",
        "#coupon",
        "?lang=en",
    ];
    assert_eq!(links, expected);
    assert!(html.contains("<a href=\"#email\">E-mail: Refused.</a>"));
    assert!(html.contains("<p class=\"error\" id=\"email-error\">Refused.</p>"));
    for input in inputs(&tags).filter(|tag| tag.attribute("type") != Some("radio")) {
        let kept = if input.attribute("name") == Some("email") { "ana@" } else { "typed before" };
        assert_eq!(input.attribute("value"), Some(kept));
        assert_eq!(input.attribute("aria-invalid"), Some("true"));
    }
    let chosen: Vec<_> = named(&tags, "option")
        .iter()
        .filter(|option| option.attribute("selected").is_some())
        .filter_map(|option| option.attribute("value"))
        .collect();
    assert_eq!(chosen, ["SP"]);
}

#[test]
fn a_short_form_asks_for_name_email_and_document_and_how_to_pay() {
    let html = pay_page(Lang::PtBr, "Loja", PayForm::default()).render().unwrap();
    let tags = tags(&html);
    let names: Vec<_> = inputs(&tags).map(|tag| tag.attribute("name")).collect();
    let method = Some("method");
    let (name, email, document, coupon) =
        (Some("name"), Some("email"), Some("document"), Some("coupon"));
    assert_eq!(names, [name, email, document, method, method, method, coupon]);
    assert!(!html.contains("role=\"alert\""));
}

#[test]
fn an_open_code_can_be_copied_scanned_and_refreshed_and_an_expired_one_renewed() {
    let open = pix_page(Lang::PtBr, "Loja", Some(90)).render().unwrap();
    let expired = pix_page(Lang::PtBr, "Loja", None).render().unwrap();
    let base = "/pay/4tJ8sQ2mXk7B/t/0190f3a2-7c1e-7d7a-8e0a-2f6d1f0b9c11";
    for (html, status) in [(&open, "PENDING"), (&expired, "EXPIRED")] {
        assert!(html.contains(&format!("href=\"{base}?token=k3y\"")));
        assert!(html.contains(&format!("data-events=\"{base}/events?token=k3y\"")));
        assert!(html.contains(&format!("data-receipt=\"{base}/receipt?token=k3y\"")));
        assert!(html.contains(&format!("data-status=\"{status}\"")));
    }
    assert!(open.contains("data-seconds=\"90\"") && open.contains("role=\"img\""));
    assert!(open.contains("21/11/2026 às 08:43") && !open.contains("/renew"));
    assert!(expired.contains(&format!("action=\"{base}/renew\"")));
    assert!(!expired.contains("<textarea") && !expired.contains("role=\"img\""));
}

#[test]
fn simulation_is_offered_in_test_mode_only() {
    let live = PixPage { test_mode: false, ..pix_page(Lang::PtBr, "Loja", Some(90)) };
    let live = live.render().unwrap();
    let test = pix_page(Lang::PtBr, "Loja", Some(90)).render().unwrap();
    for word in ["/simulate", Lang::PtBr.simulate(), Lang::PtBr.test_mode()] {
        assert!(test.contains(word) && !live.contains(word), "{word}");
    }
}

#[test]
fn the_whole_checkout_fits_thirty_kilobytes() {
    let shared: usize = [assets::checkout_css(), assets::checkout_js(), assets::purchase_js()]
        .iter()
        .map(|url| assets::asset(url.strip_prefix("/assets/").unwrap()).unwrap().gzip.len())
        .sum();
    let purchases: [&[&str]; 5] = [
        &["pay, refused", "pix", "receipt"],
        &["pay, refused", "boleto", "slip", "receipt"],
        &["pay, refused", "card", "card, to be confirmed", "processing", "receipt"],
        &["plan, refused", "card", "card, to be confirmed", "own", "cancel"],
        &["plan, refused", "pix", "receipt", "own", "cancel"],
    ];
    let bytes = |page: &str| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(page.as_bytes()).unwrap();
        gzip.finish().unwrap().len()
    };
    let pages = pages(Lang::PtBr, "Loja Exemplo");
    for shown in purchases {
        let seen = pages.iter().filter(|(name, _)| shown.contains(name));
        let html: usize = seen.map(|(_, page)| bytes(page)).sum();
        assert!(shared + html < 30 * 1024, "{shared} shared and {html} in {shown:?}");
    }
}

/// Reads `--name: #rrggbb;` of one theme as the relative luminance WCAG defines.
fn luminance(theme: &str, name: &str) -> f64 {
    let (_, rest) = theme.split_once(&format!("--{name}: #")).expect("the colour exists");
    let (digits, _) = rest.split_once(';').unwrap();
    let digits: Vec<char> = digits.chars().collect();
    let channel = |index: usize| {
        let [high, low] = match digits.len() {
            3 => [digits[index]; 2],
            _ => [digits[2 * index], digits[2 * index + 1]],
        };
        let value = high.to_digit(16).unwrap() * 16 + low.to_digit(16).unwrap();
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
}

#[test]
fn text_and_borders_stand_out_in_both_themes() {
    let source = include_str!("../../../ui/css/tokens.css");
    let (light, dark) = source.split_once("prefers-color-scheme: dark").unwrap();
    let rows = [
        ("ink", "paper", 4.5),
        ("ink", "card", 4.5),
        ("ink", "tint", 4.5),
        ("ink", "danger-tint", 4.5),
        ("soft", "paper", 4.5),
        ("soft", "card", 4.5),
        ("soft", "tint", 4.5),
        ("brand", "paper", 4.5),
        ("brand", "card", 4.5),
        ("brand", "tint", 4.5),
        ("on-brand", "brand", 4.5),
        ("danger", "card", 4.5),
        ("danger", "danger-tint", 4.5),
        ("on-test", "test", 4.5),
        ("edge", "card", 3.0),
        ("focus", "card", 3.0),
        ("focus", "paper", 3.0),
    ];
    for theme in [light, dark] {
        for (front, back, least) in rows {
            let (a, b) = (luminance(theme, front), luminance(theme, back));
            let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(contrast >= least, "{front} on {back}: {contrast:.2}");
        }
    }
}
