//! A hosted page, as its reader navigates it: by headings, labels, buttons and ids.

use std::ops::Deref;

use crate::harness::reply::Reply;

/// A page, with the answer it came in.
pub struct Page(Reply);

impl Deref for Page {
    type Target = Reply;

    fn deref(&self) -> &Reply {
        &self.0
    }
}

impl Page {
    /// Takes an answer with this status as a page.
    #[track_caller]
    pub fn of(reply: Reply, status: u16) -> Self {
        assert_eq!(reply.status, status, "{}", reply.text);
        assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
        Self(reply)
    }

    /// Whether the text stands in the page.
    pub fn says(&self, text: &str) -> bool {
        self.text.contains(text)
    }

    /// The page's language.
    pub fn language(&self) -> &str {
        self.attribute("<html", "lang").expect("has a language")
    }

    /// The first heading.
    pub fn heading(&self) -> &str {
        self.within("<h1", "</h1>").expect("has a heading")
    }

    /// What the label of a field says; `None` if there is no such field.
    pub fn label(&self, id: &str) -> Option<&str> {
        self.within(&format!("<label for=\"{id}\""), "</label>")
    }

    /// What a field holds.
    pub fn value(&self, id: &str) -> &str {
        let value = self.attribute(&format!("<input id=\"{id}\""), "value");
        let text = || self.within(&format!("<textarea id=\"{id}\""), "</textarea>");
        value.or_else(text).expect("has a value")
    }

    /// Whether the page has a field with this name.
    pub fn has(&self, name: &str) -> bool {
        self.form().iter().any(|(field, _)| field == name)
    }

    /// The fields of the form as a browser posts them, before anything is typed.
    pub fn form(&self) -> Vec<(String, String)> {
        let form = self.within("<form class=\"sheet fields\"", "</form>").expect("has a form");
        form.match_indices('<').filter_map(|(at, _)| field(&form[at..])).collect()
    }

    /// The same with these values typed into it.
    pub fn filled(&self, typed: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut fields = self.form();
        fields.retain(|(name, _)| typed.iter().all(|(typed, _)| typed != name));
        let typed = typed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        fields.extend(typed);
        fields
    }

    /// The state that is chosen.
    pub fn chosen(&self) -> Option<&str> {
        let (before, _) = self.text.split_once("\" selected>")?;
        before.rsplit('"').next()
    }

    /// What is wrong with a field; empty if nothing is.
    pub fn error(&self, id: &str) -> &str {
        self.within(&format!("<p class=\"error\" id=\"{id}-error\""), "</p>").expect("has a place")
    }

    /// The ids of the fields that the summary of errors leads to.
    pub fn wrong(&self) -> Vec<&str> {
        let links = self.text.split("<a href=\"#").skip(1);
        links.filter_map(|rest| rest.split('"').next()).collect()
    }

    /// What a hidden field holds.
    pub fn hidden(&self, name: &str) -> Option<&str> {
        self.attribute(&format!("<input type=\"hidden\" name=\"{name}\""), "value")
    }

    /// Where the form with this class, or the only one, is sent.
    pub fn action(&self, class: &str) -> Option<&str> {
        self.attribute(&format!("<form class=\"{class}\""), "action")
    }

    /// The code to copy and paste; `None` where none can be paid.
    pub fn code(&self) -> Option<&str> {
        self.within("<textarea id=\"code\"", "</textarea>")
    }

    /// The path of the QR code.
    pub fn drawing(&self) -> Option<&str> {
        self.attribute("<path stroke=\"#000\"", "d")
    }

    /// Where a link with this id leads.
    pub fn link(&self, id: &str) -> Option<String> {
        let (before, _) = self.text.split_once(&format!("\" id=\"{id}\""))?;
        Some(before.rsplit("href=\"").next()?.replace("&#38;", "&"))
    }

    /// What stands between the end of an element's opening tag and its closing one.
    pub fn within(&self, opening: &str, closing: &str) -> Option<&str> {
        let (_, rest) = self.text.split_once(opening)?;
        let (_, rest) = rest.split_once('>')?;
        Some(rest.split_once(closing)?.0.trim())
    }

    fn attribute(&self, opening: &str, name: &str) -> Option<&str> {
        let (_, rest) = self.text.split_once(opening)?;
        let (tag, _) = rest.split_once('>')?;
        attribute_of(tag, name)
    }
}

fn attribute_of<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!("{name}=\""))?;
    Some(rest.split_once('"')?.0)
}

/// The name and the value of the field that a text begins with; `None` if none is posted.
fn field(html: &str) -> Option<(String, String)> {
    let (tag, rest) = html.split_once('>')?;
    let name = attribute_of(tag, " name");
    let value = match tag.split(' ').next()? {
        "<input" if tag.contains("type=\"checkbox\"") && !tag.ends_with(" checked") => return None,
        "<input" => attribute_of(tag, " value")?.to_owned(),
        "<select" => {
            let options: Vec<_> =
                rest.split_once("</select>")?.0.split("<option").skip(1).collect();
            let chosen = options.iter().find(|option| option.contains(" selected>"));
            attribute_of(chosen.or(options.first())?, " value")?.to_owned()
        }
        // A browser drops the first line end of a text, and sends the others as two characters.
        "<textarea" => {
            let text = rest.split_once("</textarea>")?.0;
            text.strip_prefix('\n').unwrap_or(text).replace('\n', "\r\n")
        }
        _ => return None,
    };
    Some((unescaped(name?), unescaped(&value)))
}

fn unescaped(text: &str) -> String {
    let escapes = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    escapes.iter().fold(text.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
}
