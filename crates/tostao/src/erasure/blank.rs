//! Erases people from stored JSON: events, and responses stored for retries.
//!
//! In every payload, a person is an object with their id. So a new event or response needs no
//! further code, as long as it shows people the way the others do.

use serde_json::{Map, Value};
use uuid::Uuid;

use crate::platform::persons;

/// The text without the personal data of these clients and carts; `None` if nothing changes.
pub fn blanked(text: &str, people: &[Uuid]) -> Option<String> {
    let named = people.iter().any(|id| text.contains(&id.to_string()));
    let mut value: Value = named.then(|| serde_json::from_str(text).ok())??;
    blank(&mut value, people).then(|| value.to_string())
}

fn blank(value: &mut Value, people: &[Uuid]) -> bool {
    let mut changed = false;
    match value {
        Value::Object(fields) => {
            changed = is_one_of(fields, people) && persons::blank(fields);
            for value in fields.values_mut() {
                changed |= blank(value, people);
            }
        }
        Value::Array(values) => {
            for value in values {
                changed |= blank(value, people);
            }
        }
        _ => {}
    }
    changed
}

fn is_one_of(fields: &Map<String, Value>, people: &[Uuid]) -> bool {
    let id = fields.get("id").and_then(Value::as_str);
    id.and_then(|id| id.parse().ok()).is_some_and(|id| people.contains(&id))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::blanked;

    #[test]
    fn only_the_given_persons_data_is_blanked_and_everywhere_it_stands() {
        let [ana, bia, cart] = [1_u128, 2, 3].map(Uuid::from_u128);
        let person = |id| {
            json!({ "id": id, "name": "Ana", "email": "ana@example.com", "taxId": "529.***",
                    "phone": null })
        };
        let blank = json!({ "id": ana, "name": "", "email": "", "taxId": null, "phone": null });
        let left = json!({ "id": cart, "clientEmail": "ana@example.com", "recoveryUrl": "x" });
        let gone = json!({ "id": cart, "clientEmail": null, "recoveryUrl": null });
        let table = [
            (json!({ "customer": person(ana) }), json!({ "customer": blank })),
            (
                json!({ "list": [person(bia), { "of": person(ana) }], "customer": person(ana) }),
                json!({ "list": [person(bia), { "of": blank }], "customer": blank }),
            ),
            (json!({ "cartAbandonment": left }), json!({ "cartAbandonment": gone })),
        ];
        for (before, after) in table {
            let text = blanked(&before.to_string(), &[ana, cart]).expect("something changes");
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), after);
            assert_eq!(blanked(&text, &[ana, cart]), None, "twice");
        }
        assert_eq!(blanked(&json!({ "customer": person(bia) }).to_string(), &[ana]), None);
        assert_eq!(blanked("no JSON", &[ana]), None);
    }
}
