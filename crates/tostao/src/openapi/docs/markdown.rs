//! A tag as Markdown, for language models and for readers without a browser: what its page says.

use crate::guides::PATH;
use crate::openapi::docs::fields::FieldRow;
use crate::openapi::docs::operation::Entry;
use crate::openapi::docs::reference::Tag;
use crate::openapi::errors::OF_ALL;

/// Whether the rows of a table say what must be sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Request,
    Response,
}

/// Writes a tag.
pub fn markdown(tag: &Tag) -> String {
    let operations = tag.operations.iter().map(operation);
    let of_all = OF_ALL.map(|code| error(code.name())).join(", ");
    format!(
        "# {}\n\nA part of the [API reference]({PATH}). Any operation can also answer {of_all}. \
         What its rules are is in the [guides]({PATH}/contract).\n\n{}",
        tag.name,
        operations.collect::<Vec<_>>().join("\n"),
    )
}

fn operation(entry: &Entry) -> String {
    let Entry { method, path, summary, needs, note, .. } = entry;
    let mut parts = vec![format!("## {summary}"), format!("`{method} {path}`")];
    parts.push(format!("Credentials: {needs}."));
    if entry.has_dry_run {
        parts.push(format!("Has a [dry run]({PATH}/api-design#dry-runs)."));
    }
    parts.extend(Some(note.clone()).filter(|note| !note.is_empty()));
    for program in &entry.programs {
        parts.push(format!("```{}\n{}\n```", program.mark, program.text));
    }
    parts.extend(table("Parameters", &entry.parameters, Side::Request));
    parts.extend(table("Body", &entry.body, Side::Request));
    for reply in &entry.replies {
        let caption = format!("Response {}", reply.status);
        parts.extend(table(&caption, &reply.fields, Side::Response));
    }
    if !entry.errors.is_empty() {
        let codes: Vec<_> = entry.errors.iter().map(|code| error(code)).collect();
        parts.push(format!("Errors: {}.", codes.join(", ")));
    }
    parts.join("\n\n") + "\n"
}

fn error(code: &str) -> String {
    format!("[`{code}`]({PATH}/errors/{code})")
}

fn table(caption: &str, rows: &[FieldRow], side: Side) -> Option<String> {
    let line = |row: &FieldRow| {
        let required = if row.required && side == Side::Request { " (required)" } else { "" };
        let FieldRow { name, kind, .. } = row;
        format!("| `{name}`{required} | {kind} | {} |\n", meaning(row, side).replace('|', "\\|"))
    };
    let lines: String = rows.iter().map(line).collect();
    let head = format!("**{caption}**\n\n| Field | Type | Meaning |\n|---|---|---|\n");
    (!rows.is_empty()).then(|| head + lines.trim_end())
}

fn meaning(row: &FieldRow, side: Side) -> String {
    let values = row.values.iter().map(|value| match (side, value.meaning.as_str()) {
        (Side::Response, _) | (Side::Request, "") => format!("`{}`", value.name),
        (Side::Request, meaning) => format!("`{}`: {meaning}", value.name),
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let parts = [row.meaning.as_str(), row.limits.as_str(), values.as_str()];
    parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Side, table};
    use crate::openapi::docs::fields::{Choice, FieldRow};

    #[test]
    fn a_row_says_what_the_page_says_and_does_not_break_the_table() {
        let row = FieldRow {
            name: "status".to_owned(),
            kind: "string".to_owned(),
            required: true,
            meaning: "One | other.".to_owned(),
            limits: "at most 9 characters".to_owned(),
            values: vec![Choice { name: "PAID".to_owned(), meaning: "All of it.".to_owned() }],
        };
        let table = |side| table("Body", std::slice::from_ref(&row), side).unwrap();
        assert!(table(Side::Request).ends_with(
            "| `status` (required) | string | One \\| other. at most 9 characters `PAID`: All of \
             it. |"
        ));
        assert!(
            table(Side::Response)
                .ends_with("| `status` | string | One \\| other. at most 9 characters `PAID` |")
        );
    }
}
