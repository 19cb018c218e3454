//! Structure: what every page has and none may have, whatever text it shows.

use std::collections::HashSet;

use askama::Template;

use super::samples::{pages, receipt_page};
use super::tags::{Tag, named, tags};
use crate::checkout::views::ReceiptPage;
use crate::platform::assets;
use crate::platform::messages::Lang;

const HOSTILE: &str = "\"'><script>alert(1)</script><b onclick=x style=y>&{{ m }}";

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
            if form.attribute("method") == Some("dialog") {
                // Sent nowhere; the script reads its card, which goes to the acquirer alone.
                let is_card = form.attribute("id") == Some("card");
                assert!(is_card && form.attribute("action").is_none(), "{page}");
                continue;
            }
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
