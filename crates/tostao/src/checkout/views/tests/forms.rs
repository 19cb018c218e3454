//! Forms: autocompletion by browsers, and their errors.

use askama::Template;

use super::samples::{card_form, card_page, full_form, pay_page};
use super::tags::{inputs, named, tags};
use crate::checkout::views::{Field, PayForm};
use crate::platform::messages::Lang;

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
        // HTML defines no autocomplete token for a taxpayer number.
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
fn browsers_can_fill_in_a_card_which_goes_nowhere_but_to_the_tokenizer() {
    let html = card_page(Lang::PtBr, "Loja", card_form("")).render().unwrap();
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
