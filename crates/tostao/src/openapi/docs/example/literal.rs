//! JSON values as the literals of a programming language.

use serde_json::{Value, json};

use crate::openapi::docs::example::variables::variable_of;

/// The longest value on one line.
const WIDTH: usize = 72;

/// How a language writes values.
pub struct Syntax {
    /// What stands around the fields of an object.
    pub object: (&'static str, &'static str),
    /// An object without fields.
    pub empty: &'static str,
    /// What stands between a name and its value.
    pub is: &'static str,
    pub null: &'static str,
    pub no: &'static str,
    pub yes: &'static str,
    /// The indentation of one level.
    pub indent: &'static str,
    pub text: fn(&str) -> String,
    /// The value of a variable of the environment.
    pub variable: fn(&str) -> String,
}

impl Syntax {
    /// Writes a value that begins at a level of indentation.
    pub fn write(&self, value: &Value, level: usize) -> String {
        match value {
            Value::Null => self.null.to_owned(),
            Value::Bool(false) => self.no.to_owned(),
            Value::Bool(true) => self.yes.to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => {
                variable_of(text).map_or_else(|| (self.text)(text), self.variable)
            }
            Value::Array(entries) => {
                let entry = |entry: &Value, level| self.write(entry, level);
                self.enclosed(("[", "]"), entries, entry, level)
            }
            Value::Object(fields) if fields.is_empty() => self.empty.to_owned(),
            Value::Object(fields) => {
                let field = |(name, value): (&String, &Value), level| {
                    format!("{}{}{}", (self.text)(name), self.is, self.write(value, level))
                };
                self.enclosed(self.object, fields, field, level)
            }
        }
    }

    /// Writes members on one line, or each on its own if that would be too long.
    pub fn enclosed<Member>(
        &self,
        (open, close): (&str, &str),
        members: impl IntoIterator<Item = Member>,
        write: impl Fn(Member, usize) -> String,
        level: usize,
    ) -> String {
        let members = members.into_iter().map(|member| write(member, level + 1));
        let members: Vec<String> = members.collect();
        let line = format!("{open}{}{close}", members.join(", "));
        if line.len() <= WIDTH && !line.contains('\n') {
            return line;
        }
        let (open, close) = (open.trim_end(), close.trim_start());
        let (outer, inner) = (self.indent.repeat(level), self.indent.repeat(level + 1));
        let lines = lines(&inner, &members);
        format!("{open}\n{lines}{outer}{close}")
    }
}

/// Members on lines of their own.
pub fn lines(indent: &str, members: &[String]) -> String {
    members.iter().flat_map(|member| [indent, member, ",\n"]).collect()
}

/// A text between double quotes, as JSON, JavaScript and Python have it.
pub fn double_quoted(text: &str) -> String {
    json!(text).to_string()
}

/// A text between single quotes, as PHP has it where nothing in it is a variable.
pub fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Syntax, double_quoted, single_quoted};

    const PHP: Syntax = Syntax {
        object: ("[", "]"),
        empty: "new stdClass()",
        is: " => ",
        null: "null",
        no: "false",
        yes: "true",
        indent: "  ",
        text: single_quoted,
        variable: str::to_owned,
    };

    #[test]
    fn a_value_stands_on_one_line_if_it_is_short() {
        let value = json!({ "a": [1, null, true], "b": {}, "c": "d", "e": "{ID}" });
        let expected = "['a' => [1, null, true], 'b' => new stdClass(), 'c' => 'd', 'e' => ID]";
        assert_eq!(PHP.write(&value, 0), expected);
    }

    #[test]
    fn a_long_value_has_a_line_for_each_member() {
        let long = "x".repeat(60);
        let value = json!({ "name": { "first": long, "more": true }, "next": 1 });
        let lines = [
            "[",
            "    'name' => [",
            &format!("      'first' => '{long}',"),
            "      'more' => true,",
            "    ],",
            "    'next' => 1,",
            "  ]",
        ];
        assert_eq!(PHP.write(&value, 1), lines.join("\n"));
    }

    #[test]
    fn quotes_in_a_text_do_not_end_it() {
        assert_eq!(single_quoted("it's \\ $x"), "'it\\'s \\\\ $x'");
        assert_eq!(double_quoted("a \"b\""), "\"a \\\"b\\\"\"");
    }
}
