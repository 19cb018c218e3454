//! The tags of a page, as a browser would parse them.

/// A start tag and its attributes, as a browser would split them.
pub struct Tag {
    pub name: String,
    pub attributes: Vec<(String, String)>,
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

    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn is_control(&self) -> bool {
        let hidden = self.attribute("type") == Some("hidden");
        matches!(self.name.as_str(), "input" | "select" | "textarea") && !hidden
    }
}

pub fn tags(html: &str) -> Vec<Tag> {
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

pub fn named<'a>(tags: &'a [Tag], name: &str) -> Vec<&'a Tag> {
    tags.iter().filter(|tag| tag.name == name).collect()
}

/// The inputs that a reader sees.
pub fn inputs(tags: &[Tag]) -> impl Iterator<Item = &Tag> {
    tags.iter().filter(|tag| tag.name == "input" && tag.is_control())
}
