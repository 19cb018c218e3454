//! The guides as the server shows them: every link leads somewhere.

use std::collections::{BTreeMap, BTreeSet};

use tostao::guides::{ALL, PATH};
use tostao::platform::error::ErrorCode;
use url::form_urlencoded;

use crate::harness::TestApp;
use crate::harness::page::Page;

/// What stands between two texts, wherever they stand in that order.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> Vec<&'a str> {
    let parts = text.split(before).skip(1);
    parts.filter_map(|part| part.split_once(after)).map(|(inside, _)| inside).collect()
}

#[story::test]
async fn every_link_of_a_guide_leads_to_what_there_is(test: &TestApp) {
    let mut pages = BTreeMap::new();
    for guide in ALL {
        let address = format!("{PATH}/{}", guide.name);
        pages.insert(address.clone(), Page::of(test.anyone().get(&address).await, 200));
    }
    pages.insert(PATH.to_owned(), Page::of(test.anyone().get(PATH).await, 200));
    let anchors = |page: &Page| -> BTreeSet<String> {
        between(&page.text, " id=\"", "\"").into_iter().map(str::to_owned).collect()
    };
    let anchors: BTreeMap<_, _> = pages.iter().map(|(at, page)| (at, anchors(page))).collect();
    let mut lost = Vec::new();
    for guide in ALL {
        let address = format!("{PATH}/{}", guide.name);
        for link in between(&pages[&address].text, "href=\"", "\"") {
            let (to, anchor) = link.split_once('#').unwrap_or((link, ""));
            let anchor = form_urlencoded::parse(anchor.as_bytes()).next();
            let anchor = anchor.map(|(decoded, _)| decoded).unwrap_or_default();
            let to = if to.is_empty() { address.as_str() } else { to };
            let is_there = match anchors.get(&to.to_owned()) {
                Some(anchors) => anchor.is_empty() || anchors.contains(&*anchor),
                None if to.starts_with('/') => test.anyone().get(to).await.status == 200,
                None => to.starts_with("https://") || to.starts_with("data:"),
            };
            if !is_there {
                lost.push(format!("{address}: {link}"));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[story::test]
async fn a_guide_is_served_as_its_markdown_as_well(test: &TestApp) {
    for guide in ALL {
        let source = test.anyone().get(&format!("{PATH}/{}.md", guide.name)).await;
        assert_eq!(source.status, 200, "{}", guide.name);
        assert_eq!(source.header("content-type"), Some("text/markdown; charset=utf-8"));
        assert_eq!(source.text, guide.markdown);
    }
    for unknown in ["/docs/nothing", "/docs/errors.txt", "/docs/../Cargo.toml", "/docs/errors/"] {
        test.anyone().get(unknown).await.expect_refusal(404, "NOT_FOUND");
    }
}

#[story::test]
async fn a_model_is_led_to_every_guide_in_a_few_words(test: &TestApp) {
    let list = test.anyone().get("/llms.txt").await;
    assert_eq!((list.status, list.text.len() <= 4_096), (200, true), "{}", list.text.len());
    for link in between(&list.text, "](", ")") {
        assert_eq!(test.anyone().get(link).await.status, 200, "{link}");
    }
    assert_eq!(between(&list.text, "](", ")").len(), ALL.len() + 2);
    let full = test.anyone().get("/llms-full.txt").await;
    assert_eq!(full.status, 200);
    for guide in ALL {
        let is_in_it = full.text.contains(guide.markdown);
        assert_eq!(is_in_it, guide.language() == "en", "{}", guide.name);
    }
}

#[story::test]
async fn each_error_code_has_a_page_in_both_languages(test: &TestApp) {
    for code in ErrorCode::ALL {
        let address = format!("{PATH}/errors/{}", code.name());
        let mut shown = Vec::new();
        for language in ["pt-BR", "en"] {
            let reader = test.anyone().with("accept-language", language);
            let page = Page::of(reader.get(&address).await, 200);
            assert_eq!((page.language(), page.heading()), (language, code.name()));
            assert!(page.says(&format!("HTTP {}", code.status())), "{address}");
            shown.push(page.text.clone());
        }
        assert_ne!(shown[0], shown[1]);
    }
    test.anyone().get("/docs/errors/NO_SUCH_CODE").await.expect_refusal(404, "NOT_FOUND");
}
