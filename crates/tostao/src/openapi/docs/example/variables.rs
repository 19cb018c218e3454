//! The variables of examples: names in capitals that a reader gives values to.
//!
//! They stand in braces: anywhere in an address and in headers, and as a whole text in a body.

use serde_json::Value;

/// Where a new idempotency key stands: a program makes one of its own.
pub const NEW_KEY: &str = "NEW_KEY";

/// A part of an address, or of a header's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// A field's or parameter's variable: `{PLAN_ID}` for `planId`.
pub fn variable(name: &str) -> String {
    let mut upper = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !upper.is_empty() {
            upper.push('_');
        }
        upper.push(letter.to_ascii_uppercase());
    }
    format!("{{{upper}}}")
}

/// Splits a text at its variables.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for part in text.split('{') {
        let (name, text) = part.split_once('}').map_or((None, part), |(n, text)| (Some(n), text));
        pieces.extend(name.map(Piece::Variable));
        pieces.extend(Some(text).filter(|text| !text.is_empty()).map(Piece::Text));
    }
    pieces
}

/// The variables of a body.
pub fn variables_in(body: &Value) -> Vec<&str> {
    match body {
        Value::String(text) => variable_of(text).into_iter().collect(),
        Value::Array(entries) => entries.iter().flat_map(variables_in).collect(),
        Value::Object(fields) => fields.values().flat_map(variables_in).collect(),
        _ => Vec::new(),
    }
}

/// The name of the variable that a text of a body stands for.
pub fn variable_of(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    (!name.is_empty() && name.bytes().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces, variable, variable_of};

    #[test]
    fn a_text_is_split_at_its_variables() {
        use Piece::{Text, Variable};
        let expected = [Variable("HOST"), Text("/a/"), Variable("ID"), Text("/b")];
        assert_eq!(pieces("{HOST}/a/{ID}/b"), expected);
        assert_eq!(pieces("application/json"), [Text("application/json")]);
        assert_eq!(variable_of("{PLAN_ID}"), Some("PLAN_ID"));
        for text in ["PLAN_ID", "{}", r#"{"A":1}"#, "{A} B"] {
            assert_eq!(variable_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_variable_has_the_name_of_its_field() {
        for (field, name) in [("id", "{ID}"), ("planId", "{PLAN_ID}")] {
            assert_eq!(variable(field), name);
        }
    }
}
