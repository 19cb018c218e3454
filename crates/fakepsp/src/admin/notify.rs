//! What happens to notices on their way.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Done, read};
use crate::call::Call;
use crate::fake::Shared;
use crate::notices::{Content, Loss};
use crate::route::Dialect;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    /// Copies of every notice from now on.
    repeat: Option<usize>,
    /// Collects the next so many and sends them in reverse.
    reorder: Option<usize>,
    lose: Option<Lose>,
    /// Collects notices until they are released.
    hold: Option<bool>,
    release: Option<Release>,
    /// Sends the last so many once more.
    again: Option<usize>,
    forge: Option<Forged>,
    /// Answers only when nothing waits any more.
    #[serde(default)]
    settle: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Lose {
    All(bool),
    Next(u32),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Release {
    InOrder,
    Reversed,
}

/// A notice that no bank sent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Forged {
    dialect: Dialect,
    url: String,
    body: Option<Value>,
    form: Option<Vec<(String, String)>>,
}

pub async fn notify(shared: &Arc<Shared>, call: &Call) -> Done {
    let change: Change = read(call)?;
    let settle = change.settle;
    let sent = apply(shared, change);
    shared.wake();
    if settle {
        shared.settle().await;
    }
    Ok(json!({ "sent": sent }))
}

fn apply(shared: &Shared, change: Change) -> usize {
    let mut world = shared.world();
    let notices = &mut world.notices;
    let mut sent = 0;
    if let Some(repeat) = change.repeat {
        notices.repeat = repeat;
    }
    if let Some(reorder) = change.reorder {
        notices.reorder = reorder;
    }
    match change.lose {
        None => {}
        Some(Lose::All(true)) => notices.loss = Loss::All,
        Some(Lose::All(false) | Lose::Next(0)) => notices.loss = Loss::None,
        Some(Lose::Next(count)) => notices.loss = Loss::Next(count),
    }
    if let Some(hold) = change.hold {
        notices.hold = hold;
    }
    match change.release {
        None => {}
        Some(Release::InOrder) => sent += notices.release(false),
        Some(Release::Reversed) => sent += notices.release(true),
    }
    if let Some(count) = change.again {
        sent += notices.again(count);
    }
    if let Some(forged) = change.forge {
        let content = match forged.form {
            Some(fields) => Content::Form(fields),
            None => Content::Json(forged.body.unwrap_or_default()),
        };
        notices.emit(forged.dialect, "forged", &forged.url, &content);
        sent += 1;
    }
    sent
}
