//! Markdown as HTML: headings get the anchors that links to them use, links between guides lead to
//! their pages, and raw HTML is left out.

use std::collections::HashMap;

use pulldown_cmark::html::push_html;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::guides::{Guide, PATH, SOURCE};

/// What stands before the path of a file outside of `docs/`; it is not served.
const OUTSIDE: &str = "../";

/// A heading below the title.
pub struct Heading {
    pub anchor: String,
    pub text: String,
}

/// A guide as HTML.
pub struct Rendered {
    pub title: String,
    /// Everything below the title.
    pub html: String,
    /// The headings of the second level.
    pub headings: Vec<Heading>,
}

/// Renders a guide.
pub fn render(guide: &Guide) -> Rendered {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events: Vec<_> = Parser::new_ext(guide.markdown, options).collect();
    let mut anchors = Anchors::default();
    let (mut title, mut headings, mut shown) = (String::new(), Vec::new(), Vec::new());
    let mut rest = events.into_iter().peekable();
    while let Some(event) = rest.next() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                let mut inside = Vec::new();
                while let Some(next) = rest.next_if(|next| !is_end_of_heading(next)) {
                    inside.push(next);
                }
                rest.next();
                let text = text_of(&inside);
                if level == HeadingLevel::H1 {
                    title = text;
                    continue;
                }
                let anchor = anchors.of(&text);
                let id = Some(CowStr::from(anchor.clone()));
                shown.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
                shown.extend(inside);
                shown.push(Event::End(TagEnd::Heading(level)));
                if level == HeadingLevel::H2 {
                    headings.push(Heading { anchor, text });
                }
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = address(guide, &dest_url).into();
                shown.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            other => shown.push(other),
        }
    }
    let mut html = String::new();
    push_html(&mut html, shown.into_iter());
    // Code may be wider than a window, and is then scrolled with the keyboard, too.
    let html = html.replace("<pre>", "<pre tabindex=\"0\">");
    Rendered { title, html, headings }
}

fn is_end_of_heading(event: &Event<'_>) -> bool {
    matches!(event, Event::End(TagEnd::Heading(_)))
}

fn text_of(events: &[Event<'_>]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(&**text),
        _ => None,
    });
    texts.collect()
}

/// Where a link of a guide leads: to a page, where it names a file of `docs/`.
fn address(guide: &Guide, link: &str) -> String {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(f, a)| (f, Some(a)));
    let Some(name) = file.strip_suffix(SOURCE) else { return link.to_owned() };
    let folder = guide.name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = match (name.strip_prefix(OUTSIDE), folder) {
        (Some(name), _) => name.to_owned(),
        (None, "") => name.to_owned(),
        (None, folder) => format!("{folder}/{name}"),
    };
    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
    format!("{PATH}/{path}{anchor}")
}

/// The anchors of a guide's headings, each once.
#[derive(Default)]
struct Anchors(HashMap<String, usize>);

impl Anchors {
    /// As code hosts make them of a heading: lower case, hyphens for spaces, nothing else but
    /// letters and digits, and a number for a repetition.
    fn of(&mut self, heading: &str) -> String {
        let plain = heading.to_lowercase();
        let kept = plain.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let times = self.0.entry(anchor.clone()).or_default();
        *times += 1;
        if *times == 1 { anchor } else { format!("{anchor}-{}", *times - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Anchors, address, render};
    use crate::guides::Guide;

    fn guide(name: &'static str, markdown: &'static str) -> Guide {
        Guide { name, about: "", markdown }
    }

    #[test]
    fn a_heading_has_the_anchor_that_links_to_it_use() {
        let mut anchors = Anchors::default();
        let table = [
            ("Codes of fields", "codes-of-fields"),
            ("Backup and restore: SQLite", "backup-and-restore-sqlite"),
            ("`Idempotency-Key`", "idempotency-key"),
            ("Codes of fields", "codes-of-fields-1"),
        ];
        for (heading, anchor) in table {
            assert_eq!(anchors.of(heading), anchor);
        }
    }

    #[test]
    fn a_link_to_a_file_leads_to_its_page_and_any_other_stays() {
        let table = [
            ("errors", "ledger.md", "/docs/ledger"),
            ("errors", "contract.md#customers", "/docs/contract#customers"),
            ("errors", "connecting/efi.md", "/docs/connecting/efi"),
            ("connecting/efi", "inter.md", "/docs/connecting/inter"),
            ("connecting/efi", "../operating.md#balances", "/docs/operating#balances"),
            ("errors", "#codes", "#codes"),
            ("errors", "https://example.com/a.html", "https://example.com/a.html"),
        ];
        for (name, link, expected) in table {
            assert_eq!(address(&guide(name, ""), link), expected);
        }
    }

    #[test]
    fn a_page_has_no_raw_html_and_its_title_once() {
        let text = "# A `b`\n\n<!-- mark -->\n\n## C & d\n\n<script>x</script>\n\n[e](f.md)\n\n\
                    ```\n<pre>\n```\n";
        let rendered = render(&guide("g", text));
        assert_eq!(rendered.title, "A b");
        assert_eq!(
            rendered.html,
            "<h2 id=\"c--d\">C &amp; d</h2>\n<p><a href=\"/docs/f\">e</a></p>\n\
             <pre tabindex=\"0\"><code>&lt;pre&gt;\n</code></pre>\n"
        );
        let headings: Vec<_> = rendered.headings.iter().map(|it| it.anchor.as_str()).collect();
        assert_eq!(headings, ["c--d"]);
    }
}
