//! Every hosted page, its free text replaced by a test's.

use askama::Template;
use brazil::boleto::Barcode;
use documents::qr::Qr;
use jiff::civil::date;
use ledger::cents::Cents;
use rails::card::{TokenDialect, Tokenizer};

use crate::checkout::views::card::{CardForm, CardOrder, CardPage, CardPurpose, Step};
use crate::checkout::views::charge::{
    BoletoPage, BoletoState, Charge, FailedPage, PaymentPaths, PixCode, PixPage, ProcessingPage,
    Subscription,
};
use crate::checkout::views::{
    AddressFields, AddressWanted, Discount, ErrorPage, ErrorReference, Field, InstallmentChoice,
    Item, Notice, OrderView, PayForm, PayPage, PaymentChoice, PixelId, ReceiptPage, RecurringPrice,
    RetryPage, UnavailablePage, UnavailableReason, WantedFields,
};
use crate::merchants::look::{Look, SellerProfile};
use crate::platform::boleto_document::page::BoletoDocumentPage;
use crate::platform::boleto_document::{BoletoDocument, BoletoPix, Party};
use crate::platform::messages::Lang;
use crate::subscription_pages::views::{CancelPage, DetailRow, Payment, PortalPage};

fn field(text: &str) -> Field {
    Field { value: text.to_owned(), error: Some(text.to_owned()) }
}

fn seller(text: &str) -> SellerProfile {
    SellerProfile { name: text.to_owned(), look: Look::default() }
}

/// The longest form, with every field refused.
pub fn full_form(text: &str) -> PayForm {
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
            wanted: AddressWanted::Always,
        }),
        coupon: field(text),
        method: Field { value: String::new(), ..field(text) },
        installments: Field { value: String::new(), ..field(text) },
    }
}

fn ways(lang: Lang) -> Vec<PaymentChoice> {
    let way = |id, value, name| PaymentChoice {
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

pub fn pay_page(lang: Lang, text: &str, form: PayForm) -> PayPage {
    let item = || Item {
        name: text.to_owned(),
        quantity: 2,
        price: lang.money(1_000),
        total: lang.money(2_000),
    };
    let order = OrderView {
        title: text.to_owned(),
        description: Some(text.to_owned()),
        items: vec![item(), item()],
        product_description: Some(text.to_owned()),
        cart: Some("4tJ8sQ2mXk7B".to_owned()),
        plan: None,
        discount: Some(Discount {
            code: text.to_owned(),
            price: lang.money(5_000),
            off: lang.money(1_000),
        }),
        total: lang.money(4_000),
        seen: 4_000,
        ways: ways(lang),
        out_of_service: lang.out_of_service(lang.boleto()),
        parts: (1..=12)
            .map(|count| InstallmentChoice {
                count,
                text: lang.interest_free(lang.parts(count, lang.money(1_234))),
                is_chosen: false,
            })
            .collect(),
        wanted: WantedFields::NONE,
        document_hint: lang.document_hint_boleto(),
        changed: lang.price_changed(),
    };
    PayPage {
        lang,
        test_mode: true,
        merchant: seller(text),
        language_url: "?lang=en".to_owned(),
        place: "/pay/4tJ8sQ2mXk7B".to_owned(),
        order,
        form,
        attempt: "0123456789abcdef".into(),
        kept: String::new(),
        notice: None,
    }
}

fn charge(lang: Lang, text: &str) -> Charge {
    Charge {
        merchant: seller(text),
        place: PaymentPaths {
            slug: "4tJ8sQ2mXk7B".to_owned(),
            transaction: "0190f3a2-7c1e-7d7a-8e0a-2f6d1f0b9c11".to_owned(),
            token: "k3y".to_owned(),
        },
        title: text.to_owned(),
        amount: lang.money(4_000),
        subscription: None,
        is_coupon_lost: false,
    }
}

pub fn card_page(lang: Lang, text: &str, step: Step) -> CardPage {
    CardPage {
        lang,
        test_mode: true,
        merchant: seller(text),
        language_url: "?state=s3al&lang=en".to_owned(),
        place: "/pay/4tJ8sQ2mXk7B/card".to_owned(),
        order: CardOrder {
            goal: CardPurpose::Pay,
            title: text.to_owned(),
            amount: lang.money(4_000),
            parts: Some(lang.interest_free(lang.parts(3, lang.money(1_334)))),
            others: vec![("PIX", lang.pay_by_pix(lang.money(4_000)))],
        },
        state: "s3al".repeat(200),
        notice: Some(Notice::new(lang.declined(), lang.insufficient_funds())),
        step,
    }
}

pub fn card_form(text: &str) -> Step {
    let tokenizer = Tokenizer {
        api: "/tokens".to_owned(),
        dialect: TokenDialect::Sandbox,
        form: Some("/sandbox/card-form".to_owned()),
        sample: Some("1234"),
    };
    let empty = || Field { value: String::new(), error: Some(text.to_owned()) };
    let (number, expiry, cvv, holder) = (empty(), empty(), empty(), empty());
    Step::Type(CardForm { tokenizer, number, expiry, cvv, holder })
}

/// The same where the tokenizer has no form.
fn acquirers_card_form(text: &str) -> Step {
    let Step::Type(form) = card_form(text) else { unreachable!("it is typed") };
    let api = "https://api.example.com/tokens?appId=pk_1".to_owned();
    let tokenizer = Tokenizer { api, dialect: TokenDialect::Pagarme, form: None, sample: None };
    Step::Type(CardForm { tokenizer, ..form })
}

/// The card and boleto pages, in each of their states.
fn other_pages(lang: Lang, text: &str) -> Vec<(&'static str, askama::Result<String>)> {
    let (test_mode, language_url) = (true, "?token=k3y&lang=en".to_owned());
    let confirm = Step::Confirm { token: text.to_owned(), brand: "Visa", last4: "0000".to_owned() };
    let url = || language_url.clone();
    let boleto = boleto(lang, text);
    let to_pay = |boleto| BoletoPage {
        lang,
        test_mode,
        language_url: url(),
        charge: charge(lang, text),
        boleto,
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
    let lost = || Charge { is_coupon_lost: true, ..charge(lang, text) };
    let expired = PixPage { charge: lost(), ..pix_page(lang, text, None) };
    let not_made = BoletoPage { charge: lost(), ..to_pay(BoletoState::NotMade) };
    let overdue = BoletoPage { charge: lost(), ..to_pay(BoletoState::Expired) };
    let processing =
        ProcessingPage { lang, test_mode, language_url: url(), charge: charge(lang, text) };
    vec![
        ("card", card_page(lang, text, card_form(text)).render()),
        ("card, for an acquirer", card_page(lang, text, acquirers_card_form(text)).render()),
        ("card, to be confirmed", card_page(lang, text, confirm).render()),
        ("boleto", to_pay(BoletoState::Payable(Box::new(boleto))).render()),
        ("boleto, being made", to_pay(BoletoState::BeingMade).render()),
        ("boleto, not made", to_pay(BoletoState::NotMade).render()),
        ("boleto, expired", to_pay(BoletoState::Expired).render()),
        ("pix, its coupon lost", expired.render()),
        ("boleto, not made, its coupon lost", not_made.render()),
        ("boleto, expired, its coupon lost", overdue.render()),
        ("failed", failed.render()),
        ("processing", processing.render()),
    ]
}

pub fn pix_page(lang: Lang, text: &str, seconds_left: Option<u64>) -> PixPage {
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

pub fn receipt_page(lang: Lang, text: &str) -> ReceiptPage {
    ReceiptPage {
        lang,
        test_mode: true,
        merchant: seller(text),
        language_url: "?token=k3y&lang=en".to_owned(),
        title: text.to_owned(),
        amount: lang.money(4_000),
        discount: Some(lang.money(500)),
        coupon: Some(text.to_owned()),
        refunded: Some(lang.money(1_000)),
        paid_at: lang.date_time(1_795_261_380_000_000),
        method: lang.card_ending("Visa", "0000"),
        parts: Some(lang.interest_free(lang.parts(3, lang.money(1_334)))),
        payer: text.to_owned(),
        masked_document: Some("***.456.789-**".to_owned()),
        transaction: "0190f3a2-7c1e-7d7a-8e0a-2f6d1f0b9c11".to_owned(),
        end_to_end_id: Some("E12345678202611211143abcDEF12345".to_owned()),
        return_url: Some(format!("https://shop.example.com/?note={text}")),
        subscription_url: Some("/subscription/k3y".to_owned()),
        pixel: PixelId::parse("1234567890"),
    }
}

fn boleto(lang: Lang, text: &str) -> BoletoDocument {
    let party = || Party { name: text.to_owned(), document: None };
    let digits = "00191165600000150000000003128557000000004217";
    let pix = BoletoPix { br_code: text.to_owned(), qr: Qr::encode(&"7".repeat(217)).unwrap() };
    BoletoDocument {
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

fn boleto_page(lang: Lang, text: &str) -> BoletoDocumentPage {
    BoletoDocumentPage::new(
        boleto(lang, text),
        "?token=k3y&lang=en".to_owned(),
        "?token=k3y".to_owned(),
    )
}

fn plan_page(lang: Lang, text: &str, form: PayForm) -> PayPage {
    let paid = pay_page(lang, text, form);
    let price = lang.per_month(lang.money(2_990));
    let plan = RecurringPrice {
        trial: Some(lang.free_days(7)),
        terms: lang.trial_terms("29/11/2026", lang.money(2_990)),
        pix_terms: lang.pix_renewal_terms("29/11/2026", &price),
        price,
        seen: "2990 MONTHLY 7".to_owned(),
        aff: text.to_owned(),
    };
    let order = OrderView {
        items: Vec::new(),
        product_description: None,
        cart: None,
        plan: Some(plan),
        ways: ways(lang).into_iter().filter(|way| way.id != "boleto").collect(),
        out_of_service: String::new(),
        parts: Vec::new(),
        document_hint: lang.document_hint_plan(),
        ..paid.order
    };
    PayPage {
        place: "/subscribe/0190f3a2-7c1e-7d7a-8e0a-2f6d1f0b9c11".to_owned(),
        order,
        form: PayForm { phone: None, address: None, installments: Field::default(), ..paid.form },
        notice: Some(Notice::new(lang.look_again(), lang.had_trial())),
        ..paid
    }
}

fn portal_page(lang: Lang, text: &str) -> PortalPage {
    let payment = |address: Option<&str>| Payment {
        day: "22/11/2026".to_owned(),
        amount: lang.money(2_990),
        status: lang.status_paid(),
        address: address.map(str::to_owned),
    };
    PortalPage {
        lang,
        test_mode: true,
        merchant: seller(text),
        language_url: "?lang=en".to_owned(),
        place: "/subscription/k3y".to_owned(),
        title: text.to_owned(),
        status: lang.active(),
        flash: Some(lang.subscribed_news()),
        advice: Some(lang.keep_this_address()),
        notice: Some(Notice::new(lang.declined(), lang.insufficient_funds())),
        owed: Some(lang.past_due_note()),
        details: vec![DetailRow { label: lang.subscriber(), value: text.to_owned() }],
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
        merchant: seller(text),
        language_url: "?lang=en".to_owned(),
        place: "/subscription/k3y".to_owned(),
        title: text.to_owned(),
        ends: ends.map(str::to_owned),
    }
}

/// The pages of plans and subscribers, and the payment pages that link to them.
fn subscription_pages(lang: Lang, text: &str) -> Vec<(&'static str, askama::Result<String>)> {
    let with = |address: Option<&str>| Charge {
        subscription: Some(Subscription { address: address.map(str::to_owned) }),
        ..charge(lang, text)
    };
    let expired = |address| PixPage { charge: with(address), ..pix_page(lang, text, None) };
    vec![
        ("plan, refused", plan_page(lang, text, full_form(text)).render()),
        ("plan", plan_page(lang, text, PayForm::default()).render()),
        ("portal", portal_page(lang, text).render()),
        ("cancel", cancel_page(lang, text, Some("22/12/2026")).render()),
        ("cancel, at once", cancel_page(lang, text, None).render()),
        ("pix of a subscription, expired", expired(Some("/subscription/k3y")).render()),
        ("pix of a subscription, expired elsewhere", expired(None).render()),
    ]
}

/// Every page in one language, its free text replaced by `text`.
pub fn pages(lang: Lang, text: &str) -> Vec<(&'static str, String)> {
    let reference = || ErrorReference {
        request_id: text.to_owned(),
        code: "NOT_FOUND",
        doc_url: text.to_owned(),
    };
    let error = ErrorPage { lang, reference: reference() };
    let retry_url = text.to_owned();
    let (heading, action) = (lang.too_many_requests(), lang.try_again());
    let (note, reference_of_retry) = (lang.wait_seconds(30), reference());
    let retry = RetryPage { lang, heading, note, action, retry_url, reference: reference_of_retry };
    let mut pages = vec![
        ("pay, refused", pay_page(lang, text, full_form(text)).render()),
        ("pay", pay_page(lang, text, PayForm::default()).render()),
        ("pix", pix_page(lang, text, Some(3_600)).render()),
        ("pix, expired", pix_page(lang, text, None).render()),
        ("boleto document", boleto_page(lang, text).render()),
        ("receipt", receipt_page(lang, text).render()),
        ("error", error.render()),
        ("retry", retry.render()),
    ];
    pages.extend(other_pages(lang, text));
    pages.extend(subscription_pages(lang, text));
    for (name, reason) in [
        ("link expired", UnavailableReason::LinkExpired),
        ("link inactive", UnavailableReason::LinkInactive),
        ("inactive plan", UnavailableReason::PlanInactive),
        ("full plan", UnavailableReason::PlanFull),
        ("sold out", UnavailableReason::SoldOut),
        ("charge cancelled", UnavailableReason::ChargeCancelled),
        ("charge refused", UnavailableReason::ChargeRefused),
        ("out of service", UnavailableReason::OutOfService),
        ("not found", UnavailableReason::NotFound),
    ] {
        let merchant = (reason != UnavailableReason::NotFound).then(|| seller(text));
        let reference = merchant.is_none().then(reference);
        let (test_mode, language_url) = (true, "?lang=en".to_owned());
        let page = UnavailablePage { lang, test_mode, merchant, language_url, reason, reference };
        pages.push((name, page.render()));
    }
    pages.into_iter().map(|(name, html)| (name, html.unwrap())).collect()
}
