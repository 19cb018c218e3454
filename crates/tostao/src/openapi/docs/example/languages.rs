//! A request as a program that needs nothing but its language, with the values of its variables in
//! the environment.

use crate::openapi::docs::example::ExampleRequest;
use crate::openapi::docs::example::literal::{Syntax, double_quoted, lines, single_quoted};
use crate::openapi::docs::example::variables::{NEW_KEY, Piece, pieces, variables_in};

/// A language in which requests are shown.
pub struct Language {
    pub name: &'static str,
    /// What marks its code in Markdown.
    pub mark: &'static str,
    pub write: fn(&ExampleRequest) -> String,
}

pub const LANGUAGES: [Language; 4] = [
    Language { name: "curl", mark: "sh", write: curl },
    Language { name: "Node", mark: "js", write: node },
    Language { name: "Python", mark: "python", write: python },
    Language { name: "PHP", mark: "php", write: php },
];

const JAVASCRIPT: Syntax = Syntax {
    object: ("{ ", " }"),
    empty: "{}",
    is: ": ",
    null: "null",
    no: "false",
    yes: "true",
    indent: "  ",
    text: double_quoted,
    variable: str::to_owned,
};
const PYTHON: Syntax = Syntax {
    object: ("{", "}"),
    null: "None",
    no: "False",
    yes: "True",
    indent: "    ",
    variable: python_variable,
    ..JAVASCRIPT
};
const PHP: Syntax = Syntax {
    object: ("[", "]"),
    // An empty array would be sent as a list.
    empty: "new stdClass()",
    is: " => ",
    indent: "    ",
    text: single_quoted,
    variable: php_variable,
    ..JAVASCRIPT
};

/// The place of a new idempotency key.
const NEW: Piece<'_> = Piece::Variable(NEW_KEY);

fn python_variable(name: &str) -> String {
    match name {
        NEW_KEY => "str(uuid.uuid4())".to_owned(),
        name => format!("os.environ[\"{name}\"]"),
    }
}

fn php_variable(name: &str) -> String {
    match name {
        NEW_KEY => "bin2hex(random_bytes(16))".to_owned(),
        name => format!("getenv('{name}')"),
    }
}

fn shell_variable(name: &str) -> String {
    match name {
        NEW_KEY => "$(openssl rand -hex 16)".to_owned(),
        name => format!("${name}"),
    }
}

fn node_variable(name: &str) -> String {
    match name {
        NEW_KEY => "${crypto.randomUUID()}".to_owned(),
        name => format!("${{{name}}}"),
    }
}

fn curl(request: &ExampleRequest) -> String {
    let text = |template: &str| join(template, "", str::to_owned, shell_variable);
    let mut words = vec!["curl".to_owned()];
    if request.method != "GET" {
        words.push(format!("-X {}", request.method));
    }
    words.push(format!("\"{}\"", text(&request.address)));
    for (name, value) in &request.headers {
        words.push(format!("\\\n  -H \"{name}: {}\"", text(value)));
    }
    if let Some(body) = &request.body {
        let mut json = body.to_string().replace('\'', "'\\''");
        for name in variables_in(body) {
            // The quotes of the shell end around it.
            json = json.replace(&format!("\"{{{name}}}\""), &format!("\"'\"${name}\"'\""));
        }
        words.push(format!("\\\n  -d '{json}'"));
    }
    words.join(" ")
}

fn node(request: &ExampleRequest) -> String {
    let text = |template: &str| {
        let inside = join(template, "", str::to_owned, node_variable);
        if inside == template { double_quoted(template) } else { format!("`{inside}`") }
    };
    let mut options = Vec::new();
    if request.method != "GET" {
        options.push(format!("method: \"{}\"", request.method));
    }
    if !request.headers.is_empty() {
        let header =
            |(name, value): &(&str, &str), _| format!("{}: {}", double_quoted(name), text(value));
        let headers = JAVASCRIPT.enclosed(JAVASCRIPT.object, &request.headers, header, 1);
        options.push(format!("headers: {headers}"));
    }
    if let Some(body) = &request.body {
        options.push(format!("body: JSON.stringify({})", JAVASCRIPT.write(body, 1)));
    }
    let options = lines("  ", &options);
    let options = if options.is_empty() { options } else { format!(", {{\n{options}}}") };
    format!(
        "const {{ {} }} = process.env;\n\
         const response = await fetch({}{options});\n\
         console.log(response.status, await response.text());",
        request.variables().join(", "),
        text(&request.address),
    )
}

fn python(request: &ExampleRequest) -> String {
    let text = |template: &str| join(template, " + ", double_quoted, python_variable);
    let mut arguments = vec![text(&request.address)];
    if request.method != "GET" {
        arguments.push(format!("method=\"{}\"", request.method));
    }
    if !request.headers.is_empty() {
        let header =
            |(name, value): &(&str, &str), _| format!("{}: {}", double_quoted(name), text(value));
        let headers = PYTHON.enclosed(PYTHON.object, &request.headers, header, 1);
        arguments.push(format!("headers={headers}"));
    }
    if let Some(body) = &request.body {
        arguments.push(format!("data=json.dumps({}).encode()", PYTHON.write(body, 1)));
    }
    let json = if request.body.is_some() { "import json\n" } else { "" };
    let has_key = request.headers.iter().any(|(_, value)| pieces(value).contains(&NEW));
    let uuid = if has_key { "import uuid\n" } else { "" };
    let arguments = lines("    ", &arguments);
    format!(
        "{json}import os\n\
         import urllib.error\n\
         import urllib.request\n{uuid}\n\
         request = urllib.request.Request(\n{arguments})\n\
         try:\n    \
         response = urllib.request.urlopen(request)\n\
         except urllib.error.HTTPError as refusal:\n    \
         response = refusal\n\
         print(response.status, response.read().decode())"
    )
}

fn php(request: &ExampleRequest) -> String {
    let text = |template: &str| join(template, " . ", single_quoted, php_variable);
    let mut options = vec![format!("'method' => '{}'", request.method)];
    if !request.headers.is_empty() {
        let header = |(name, value): &(&str, &str), _| text(&format!("{name}: {value}"));
        let headers = PHP.enclosed(PHP.object, &request.headers, header, 1);
        options.push(format!("'header' => {headers}"));
    }
    if let Some(body) = &request.body {
        options.push(format!("'content' => json_encode({})", PHP.write(body, 1)));
    }
    options.push("'ignore_errors' => true".to_owned());
    let options = lines("    ", &options);
    format!(
        "<?php\n\
         $context = stream_context_create(['http' => [\n{options}]]);\n\
         $address = {};\n\
         echo file_get_contents($address, false, $context);",
        text(&request.address),
    )
}

/// Joins the texts and variables of a template, each as the language has them.
fn join(
    template: &str,
    joint: &str,
    text: fn(&str) -> String,
    variable: impl Fn(&str) -> String,
) -> String {
    let pieces = pieces(template).into_iter().map(|piece| match piece {
        Piece::Text(own) => text(own),
        Piece::Variable(name) => variable(name),
    });
    pieces.collect::<Vec<_>>().join(joint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::LANGUAGES;
    use crate::openapi::docs::example::ExampleRequest;

    /// A request in every language.
    fn written(request: &ExampleRequest) -> [String; 4] {
        LANGUAGES.map(|language| (language.write)(request))
    }

    #[test]
    fn a_request_with_everything_is_the_same_in_every_language() {
        let request = ExampleRequest {
            method: "POST",
            address: "{TOSTAO_SERVER}/api/a/{ID}?token={TOKEN}".to_owned(),
            headers: vec![
                ("Authorization", "Bearer {TOKEN}"),
                ("Content-Type", "application/json"),
                ("Idempotency-Key", "{NEW_KEY}"),
            ],
            body: Some(json!({ "name": "Ana's", "on": "{PLAN_ID}", "data": {} })),
        };
        let curl = r#"curl -X POST "$TOSTAO_SERVER/api/a/$ID?token=$TOKEN" \
  -H "Authorization: Bearer $TOKEN" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: $(openssl rand -hex 16)" \
  -d '{"data":{},"name":"Ana'\''s","on":"'"$PLAN_ID"'"}'"#;
        let node = r#"const { TOSTAO_SERVER, ID, TOKEN, PLAN_ID } = process.env;
const response = await fetch(`${TOSTAO_SERVER}/api/a/${ID}?token=${TOKEN}`, {
  method: "POST",
  headers: {
    "Authorization": `Bearer ${TOKEN}`,
    "Content-Type": "application/json",
    "Idempotency-Key": `${crypto.randomUUID()}`,
  },
  body: JSON.stringify({ "data": {}, "name": "Ana's", "on": PLAN_ID }),
});
console.log(response.status, await response.text());"#;
        let python = r#"import json
import os
import urllib.error
import urllib.request
import uuid

request = urllib.request.Request(
    os.environ["TOSTAO_SERVER"] + "/api/a/" + os.environ["ID"] + "?token=" + os.environ["TOKEN"],
    method="POST",
    headers={
        "Authorization": "Bearer " + os.environ["TOKEN"],
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    },
    data=json.dumps({"data": {}, "name": "Ana's", "on": os.environ["PLAN_ID"]}).encode(),
)
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as refusal:
    response = refusal
print(response.status, response.read().decode())"#;
        let php = r"<?php
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Authorization: Bearer ' . getenv('TOKEN'),
        'Content-Type: application/json',
        'Idempotency-Key: ' . bin2hex(random_bytes(16)),
    ],
    'content' => json_encode([
        'data' => new stdClass(),
        'name' => 'Ana\'s',
        'on' => getenv('PLAN_ID'),
    ]),
    'ignore_errors' => true,
]]);
$address = getenv('TOSTAO_SERVER') . '/api/a/' . getenv('ID') . '?token=' . getenv('TOKEN');
echo file_get_contents($address, false, $context);";
        assert_eq!(written(&request), [curl, node, python, php]);
    }

    #[test]
    fn a_request_without_anything_is_short() {
        let request = ExampleRequest {
            method: "GET",
            address: "{TOSTAO_SERVER}/api/me".to_owned(),
            headers: Vec::new(),
            body: None,
        };
        let [curl, node, ..] = written(&request);
        assert_eq!(curl, "curl \"$TOSTAO_SERVER/api/me\"");
        let lines = [
            "const { TOSTAO_SERVER } = process.env;",
            "const response = await fetch(`${TOSTAO_SERVER}/api/me`);",
            "console.log(response.status, await response.text());",
        ];
        assert_eq!(node, lines.join("\n"));
    }
}
