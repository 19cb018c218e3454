//! The guides and the reference as the server shows them: every link leads somewhere.

use std::collections::{BTreeMap, BTreeSet};

use tostao::guides::{ALL, PATH};
use tostao::openapi::docs::operations;
use tostao::platform::error::ErrorCode;
use tostao::routes;
use url::form_urlencoded;

use crate::harness::TestApp;
use crate::harness::page::Page;

/// Where the pages of tags are.
const TAGS: &str = "/docs/api/";

/// What stands between two texts, wherever they stand in that order.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> Vec<&'a str> {
    let parts = text.split(before).skip(1);
    parts.filter_map(|part| part.split_once(after)).map(|(inside, _)| inside).collect()
}

/// The addresses of the tags' pages, as the index has them.
async fn tag_pages(test: &TestApp) -> BTreeSet<String> {
    let index = test.anyone().get(PATH).await.text;
    let links = between(&index, "href=\"", "\"").into_iter();
    let pages = links.filter(|link| link.starts_with(TAGS) && !link.contains('#'));
    pages.map(str::to_owned).collect()
}

fn ids(text: &str) -> BTreeSet<String> {
    between(text, " id=\"", "\"").into_iter().map(str::to_owned).collect()
}

#[story::test]
async fn every_link_of_the_documentation_leads_to_what_there_is(test: &TestApp) {
    let guides = ALL.iter().map(|guide| format!("{PATH}/{}", guide.name));
    let addresses = guides.chain(tag_pages(test).await).chain([PATH.to_owned()]);
    let (mut pages, mut links) = (BTreeMap::new(), BTreeSet::new());
    for address in addresses {
        let page = Page::of(test.anyone().get(&address).await, 200);
        for link in between(&page.text, "href=\"", "\"") {
            links.insert((address.clone(), link.to_owned()));
        }
        pages.insert(address, ids(&page.text));
    }
    for address in tag_pages(test).await {
        let source = format!("{address}.md");
        let markdown = test.anyone().get(&source).await.text;
        for link in between(&markdown, "](", ")") {
            links.insert((source.clone(), link.to_owned()));
        }
    }
    let (mut lost, mut others) = (Vec::new(), BTreeMap::new());
    for (address, link) in links {
        let (to, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let anchor = form_urlencoded::parse(anchor.as_bytes()).next();
        let anchor = anchor.map(|(decoded, _)| decoded).unwrap_or_default();
        let to = if to.is_empty() { address.as_str() } else { to };
        let is_there = match pages.get(to) {
            Some(anchors) => anchor.is_empty() || anchors.contains(&*anchor),
            None if to.starts_with('/') => {
                if !others.contains_key(to) {
                    others.insert(to.to_owned(), test.anyone().get(to).await.status);
                }
                others[to] == 200
            }
            None => to.starts_with("https://") || to.starts_with("data:"),
        };
        if !is_there {
            lost.push(format!("{address}: {link}"));
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[story::test]
async fn every_operation_is_on_one_page_and_its_markdown_once(test: &TestApp) {
    let (mut pages, mut sources) = (Vec::new(), Vec::new());
    for address in tag_pages(test).await {
        pages.push(Page::of(test.anyone().get(&address).await, 200).text.clone());
        let source = test.anyone().get(&format!("{address}.md")).await;
        assert_eq!(source.header("content-type"), Some("text/markdown; charset=utf-8"));
        sources.push(source.text);
    }
    let times = |texts: &[String], mark: &str| -> usize {
        texts.iter().map(|text| text.matches(mark).count()).sum()
    };
    let index = test.anyone().get(PATH).await.text;
    let document = routes::document();
    for (path, method, operation) in operations(&document) {
        let id = operation["operationId"].as_str().expect("is named").to_lowercase();
        let place = format!("<article id=\"{id}\">");
        let line = format!("\n`{} {path}`\n", method.to_uppercase());
        assert_eq!((times(&pages, &place), times(&sources, &line)), (1, 1), "{id}");
        assert!(ids(&index).contains(&id), "{id}");
    }
    assert_eq!(times(&pages, "<article"), operations(&document).len());
    for unknown in ["/docs/api/nothing", "/docs/api/nothing.md", "/docs/api", "/docs/api/a/b"] {
        test.anyone().get(unknown).await.expect_refusal(404, "NOT_FOUND");
    }
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
async fn a_model_is_led_to_every_guide_and_operation_in_a_few_words(test: &TestApp) {
    let list = test.anyone().get("/llms.txt").await;
    assert_eq!((list.status, list.text.len() <= 4_096), (200, true), "{}", list.text.len());
    for link in between(&list.text, "](", ")") {
        assert_eq!(test.anyone().get(link).await.status, 200, "{link}");
    }
    let links: BTreeSet<_> = between(&list.text, "](", ")").into_iter().collect();
    assert_eq!(links.len(), ALL.len() + tag_pages(test).await.len() + 2);
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
            let way_on = format!("href=\"{PATH}/webhooks\"");
            assert!(page.text.contains("<nav") && page.text.contains(&way_on), "{address}");
            shown.push(page.text.clone());
        }
        assert_ne!(shown[0], shown[1]);
    }
    test.anyone().get("/docs/errors/NO_SUCH_CODE").await.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn what_stands_around_a_guide_is_in_its_language(test: &TestApp) {
    let (portuguese, english) = ("Ir para o conteúdo", "Skip to the content");
    let table = [("pt/quickstart", portuguese, english), ("quickstart", english, portuguese)];
    for (name, said, other) in table {
        let page = Page::of(test.anyone().get(&format!("{PATH}/{name}")).await, 200);
        assert!(page.says(said) && !page.says(other), "{name}");
    }
}
