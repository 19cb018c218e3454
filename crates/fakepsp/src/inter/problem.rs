//! Errors of Inter's own APIs.

use serde_json::json;

use crate::reply::Reply;

pub fn reply(status: u16, title: &str, detail: &str) -> Reply {
    Reply::json(status, &json!({ "title": title, "detail": detail }))
}

pub fn invalid(property: &str, reason: &str) -> Reply {
    let error = json!({
        "title": "Requisição inválida",
        "detail": "A requisição contém campos inválidos.",
        "violacoes": [{ "propriedade": property, "razao": reason }],
    });
    Reply::json(400, &error)
}
