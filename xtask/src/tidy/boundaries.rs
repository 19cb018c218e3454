//! Where SQL, HTTP and fractions are allowed.

use super::source::{Source, words};
use super::{File, Finding};

/// The infrastructure crates that use SQL.
const SQL_FOLDERS: [&str; 4] = ["crates/db/", "crates/ledger/", "crates/queue/", "crates/bench/"];

/// The infrastructure below HTTP and the tools are not the product.
const HTTP_FREE_FOLDERS: [&str; 6] = [
    "crates/tostao/",
    "crates/brazil/",
    "crates/db/",
    "crates/documents/",
    "crates/ledger/",
    "crates/queue/",
];

/// Adapters use the banks' HTTP; all other code takes plain values.
const HTTP_FOLDERS: [&str; 5] = [
    "crates/tostao/src/platform/",
    "crates/tostao/src/auth/",
    "crates/tostao/src/idempotency/",
    "crates/tostao/src/openapi/",
    "crates/tostao/src/providers/",
];

const HTTP_FILES: [&str; 2] = ["middleware.rs", "routes.rs"];

/// A face of the features, as their `api.rs` are.
const STORELESS_FOLDER: &str = "crates/tostao/src/dashboard/";

/// Their text is the documentation of this tree, which `markdown.rs` turns into HTML.
const UNESCAPED_FOLDER: &str = "crates/tostao/ui/guides/";

const WHOLE_FOLDERS: [&str; 2] = ["crates/ledger/src/", "crates/brazil/src/"];

pub fn sql_stands_in_stores(file: &File) -> Vec<Finding> {
    let is_store = file.name() == "store.rs" || file.path.contains("/store/");
    if is_store || file.is_test() || file.is_under(&SQL_FOLDERS) {
        return Vec::new();
    }
    let Some(source) = &file.rust else {
        return Vec::new();
    };
    let outside_tests = source.literals.iter().filter(|literal| !source.tests[literal.line - 1]);
    outside_tests
        .filter(|literal| is_sql(&literal.text))
        .map(|literal| file.finding(literal.line, "move the SQL into the feature's `store.rs`"))
        .collect()
}

pub fn stores_are_private(file: &File) -> Vec<Finding> {
    let lines = file.code().filter(|line| {
        let words: Vec<&str> = words(line.code).map(|(_, word)| word).collect();
        words.contains(&"pub") && words.ends_with(&["mod", "store"])
    });
    let advice = "`mod store;` is private, so that no other feature reaches these tables";
    lines.map(|line| file.finding(line.number, advice)).collect()
}

pub fn the_dashboard_has_no_store(file: &File) -> Vec<Finding> {
    let is_store = file.name() == "store.rs" || file.path.contains("/store/");
    if !is_store || !file.is_under(&[STORELESS_FOLDER]) {
        return Vec::new();
    }
    let advice = "what a page needs is a use case of a feature, which the API has, too";
    vec![file.finding(1, advice)]
}

pub fn templates_escape(file: &File) -> Vec<Finding> {
    if !file.is_kind(&["html"]) || file.is_under(&[UNESCAPED_FOLDER]) {
        return Vec::new();
    }
    let is_unescaped = |line: &str| {
        let line: String = line.split_whitespace().collect::<String>().replace('-', "");
        ["|safe", "{%autoescape", "{%filtersafe"].iter().any(|mark| line.contains(mark))
    };
    let lines = file.text.lines().enumerate().filter(|(_, line)| is_unescaped(line));
    let advice = "the text of a merchant or a buyer would be markup: leave the filter out";
    lines.map(|(index, _)| file.finding(index + 1, advice)).collect()
}

pub fn http_stays_at_the_edge(file: &File) -> Vec<Finding> {
    if !file.is_under(&HTTP_FREE_FOLDERS) || file.is_test() || is_edge(file) {
        return Vec::new();
    }
    let Some(source) = &file.rust else {
        return Vec::new();
    };
    let advice = "keep HTTP out: take plain values here, translate them in `api.rs` or `pages.rs`";
    words(&source.code)
        .filter(|(at, word)| *word == "axum" || (*word == "http" && is_foreign(source, *at)))
        .map(|(at, _)| source.line(at))
        .filter(|line| !source.tests[line - 1])
        .map(|line| file.finding(line, advice))
        .collect()
}

pub fn money_is_whole(file: &File) -> Vec<Finding> {
    if !file.is_under(&WHOLE_FOLDERS) {
        return Vec::new();
    }
    let lines = file.code().filter(|line| {
        !line.is_test && words(line.code).any(|(_, word)| matches!(word, "f32" | "f64"))
    });
    let advice = "money is whole cents: use integers and name the rounding";
    lines.map(|line| file.finding(line.number, advice)).collect()
}

/// A statement has two SQL keywords in the right positions; a sentence seldom does.
fn is_sql(text: &str) -> bool {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let pairs = [
        ("select ", " from "),
        ("update ", " set "),
        ("insert into ", ""),
        ("delete from ", ""),
        ("with ", " as ("),
    ];
    pairs.iter().any(|(first, then)| text.starts_with(first) && text.contains(then))
}

fn is_edge(file: &File) -> bool {
    let in_product = file.is_under(&["crates/tostao/src/"]);
    let name = file.name();
    let is_face = in_product
        && (matches!(name, "api.rs" | "pages.rs" | "health.rs")
            || name.ends_with("_api.rs")
            || name.ends_with("_pages.rs"));
    let is_root_file = file.path.strip_prefix("crates/tostao/src/");
    is_face
        || file.is_under(&HTTP_FOLDERS)
        || is_root_file.is_some_and(|path| HTTP_FILES.contains(&path))
}

/// `http::` is the library unless the path starts in our own crate.
fn is_foreign(source: &Source, at: usize) -> bool {
    let (before, after) = (&source.code[..at], &source.code[at + "http".len()..]);
    let own = source.crate_uses();
    let is_own = own.iter().any(|path| path.at == at);
    let imports_own = own.iter().any(|path| path.path.ends_with("platform::http"));
    after.starts_with("::") && !before.ends_with("::") && !is_own && !imports_own
}

#[cfg(test)]
mod tests {
    use super::{
        http_stays_at_the_edge, money_is_whole, sql_stands_in_stores, stores_are_private,
        templates_escape, the_dashboard_has_no_store,
    };
    use crate::tidy::tests::lines;

    const STORY: &str = "crates/tostao/src/withdrawals/mod.rs";

    #[test]
    fn sql_is_found_in_a_story() {
        for (text, found) in [
            (r#"tx.one("select a from b")"#, vec![1]),
            ("tx.exec(\n    \"\n      UPDATE a\n      set b = 1\")", vec![2]),
            ("r#\"insert into a values (1)\"#", vec![1]),
            (r#""delete from a""#, vec![1]),
            (r#""with a as (select 1) select b from a""#, vec![1]),
            (r#""select a plan" "update the page""#, vec![]),
            ("// \"select a from b\"", vec![]),
            ("#[cfg(test)]\nmod tests {\n\"delete from a\"\n}", vec![]),
        ] {
            assert_eq!(lines(sql_stands_in_stores, STORY, text), found, "{text}");
        }
    }

    #[test]
    fn sql_may_stand_in_stores_machinery_and_tests() {
        for path in [
            "crates/tostao/src/withdrawals/store.rs",
            "crates/tostao/src/transactions/store/list.rs",
            "crates/ledger/src/lib.rs",
            "crates/tostao/tests/it/main.rs",
        ] {
            assert!(lines(sql_stands_in_stores, path, r#""delete from a""#).is_empty(), "{path}");
        }
    }

    #[test]
    fn a_public_store_is_found() {
        for (text, found) in [
            ("mod store;", vec![]),
            ("pub mod store;", vec![1]),
            ("\npub(crate) mod store;", vec![2]),
            ("pub mod store_front;", vec![]),
        ] {
            assert_eq!(lines(stores_are_private, STORY, text), found, "{text}");
        }
    }

    #[test]
    fn a_store_of_the_dashboard_is_found() {
        for (path, found) in [
            ("crates/tostao/src/dashboard/home/store.rs", vec![1]),
            ("crates/tostao/src/dashboard/home/view.rs", vec![]),
            ("crates/tostao/src/people/store.rs", vec![]),
        ] {
            assert_eq!(lines(the_dashboard_has_no_store, path, "//! A."), found, "{path}");
        }
    }

    #[test]
    fn a_template_that_does_not_escape_is_found() {
        let template = "crates/tostao/ui/dashboard/home/home.html";
        for (path, text, found) in [
            (template, "{{ name }}\n{{ name|safe }}", vec![2]),
            (template, "{{ name | safe }}", vec![1]),
            (template, "{%- filter safe -%}", vec![1]),
            (template, "{% filter safe %}", vec![1]),
            (template, "{% autoescape false %}", vec![1]),
            ("crates/tostao/ui/guides/page.html", "{{ html|safe }}", vec![]),
            ("docs/a.md", "a |safe place", vec![]),
        ] {
            assert_eq!(lines(templates_escape, path, text), found, "{text}");
        }
    }

    #[test]
    fn http_is_found_in_a_story() {
        for (text, found) in [
            ("use axum::Json;", vec![1]),
            ("\nuse http::StatusCode;", vec![2]),
            ("fn a() -> ::axum::Json {}", vec![1]),
            ("use crate::platform::http::page::Page;", vec![]),
            ("use crate::platform::{ids::Id, http::page::Page};", vec![]),
            ("use crate::platform::http;\nfn a(page: http::Page) {}", vec![]),
            ("// axum is far away", vec![]),
            ("#[cfg(test)]\nmod tests {\nuse http::Request;\n}", vec![]),
        ] {
            assert_eq!(lines(http_stays_at_the_edge, STORY, text), found, "{text}");
        }
    }

    #[test]
    fn http_may_stand_at_the_edge_and_in_its_own_machinery() {
        for (path, found) in [
            ("crates/tostao/src/withdrawals/api.rs", vec![]),
            ("crates/tostao/src/withdrawals/pages.rs", vec![]),
            ("crates/tostao/src/platform/http/body.rs", vec![]),
            ("crates/tostao/src/routes.rs", vec![]),
            ("crates/tostao/tests/it/main.rs", vec![]),
            ("crates/outbound/src/lib.rs", vec![]),
            ("crates/tostao/src/withdrawals/error.rs", vec![1]),
            ("crates/ledger/src/lib.rs", vec![1]),
        ] {
            assert_eq!(lines(http_stays_at_the_edge, path, "use http::Uri;"), found, "{path}");
        }
    }

    #[test]
    fn fractions_are_found_where_money_is_counted() {
        for (path, text, found) in [
            ("crates/ledger/src/lib.rs", "\nfn a(b: f64) {}", vec![2]),
            ("crates/brazil/src/pix.rs", "let a = 1 as f32;", vec![1]),
            ("crates/ledger/src/lib.rs", "let f640 = \"f64\"; // f32", vec![]),
            ("crates/ledger/src/lib.rs", "#[cfg(test)]\nmod tests {\nf64\n}", vec![]),
            ("crates/bench/src/main.rs", "let a: f64;", vec![]),
        ] {
            assert_eq!(lines(money_is_whole, path, text), found, "{text}");
        }
    }
}
