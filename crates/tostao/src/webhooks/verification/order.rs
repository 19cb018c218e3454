//! Fields of a JSON text in the order of another one: a program that writes a body again may sort
//! them.

use std::collections::HashSet;
use std::fmt::Formatter;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Objects deeper than this keep their order; bodies of events are not as deep.
const DEPTH_MAX: usize = 16;

/// The fields of an object as they stand in a text.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

/// A compact JSON text with the fields of each object in the order of the other text's object at
/// the same place; fields that the other text lacks follow as they stood. `None` if either is no
/// object, or an object has a field twice: no event has, and each of them would be read beside the
/// same part of the other text.
pub fn reordered(json: &str, like: &str) -> Option<String> {
    let _: [Fields<'_>; 2] = [read(json)?, read(like)?];
    let mut written = String::with_capacity(json.len());
    write(&mut written, json, Some(like), DEPTH_MAX)?;
    Some(written)
}

/// `None` if a text is no JSON.
fn write(out: &mut String, json: &str, like: Option<&str>, depth: usize) -> Option<()> {
    let below = depth.checked_sub(1);
    match (json.as_bytes().first()?, below) {
        (b'{', Some(below)) => write_object(out, json, like, below),
        (b'[', Some(below)) => write_array(out, json, like, below),
        _ => {
            out.push_str(json);
            Some(())
        }
    }
}

fn write_object(out: &mut String, json: &str, like: Option<&str>, depth: usize) -> Option<()> {
    let Fields(mut fields) = read(json)?;
    let wanted = like.and_then(read::<Fields<'_>>).map_or(Vec::new(), |Fields(wanted)| wanted);
    let place = |name: &str| wanted.iter().position(|(known, _)| known == name);
    fields.sort_by_cached_key(|(name, _)| place(name).unwrap_or(usize::MAX));
    out.push('{');
    for (number, (name, value)) in fields.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        out.push_str(&serde_json::to_string(name).ok()?);
        out.push(':');
        let like = place(name).map(|place| wanted[place].1.get());
        write(out, value.get(), like, depth)?;
    }
    out.push('}');
    Some(())
}

/// The elements of a list are alike, so one that the other text lacks is like its last one.
fn write_array(out: &mut String, json: &str, like: Option<&str>, depth: usize) -> Option<()> {
    let values: Vec<&RawValue> = read(json)?;
    let wanted: Vec<&RawValue> = like.and_then(read).unwrap_or_default();
    out.push('[');
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        let like = wanted.get(number).or(wanted.last()).map(|like| like.get());
        write(out, value.get(), like, depth)?;
    }
    out.push(']');
    Some(())
}

fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Option<T> {
    serde_json::from_str(json).ok()
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut fields, mut names) = (Vec::new(), HashSet::new());
                while let Some((name, value)) = map.next_entry::<String, _>()? {
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom("a field stands there twice"));
                    }
                    fields.push((name, value));
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_map(InOrder).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::reordered;

    const LIKE: &str = r#"{"id":"1","data":{"b":[{"y":1,"x":2}],"a":{}},"at":3}"#;

    #[test]
    fn fields_take_the_order_of_the_other_text_at_every_depth() {
        let table = [
            (
                r#"{"at":9,"data":{"a":{},"b":[]},"id":"7"}"#,
                r#"{"id":"7","data":{"b":[],"a":{}},"at":9}"#,
            ),
            (
                r#"{"data":{"b":[{"x":1.50,"y":"a"},{"x":null,"y":"\""}]}}"#,
                r#"{"data":{"b":[{"y":"a","x":1.50},{"y":"\"","x":null}]}}"#,
            ),
            (r#"{"at":1,"new":2,"id":3}"#, r#"{"id":3,"at":1,"new":2}"#),
            (r#"{"data":{"a":{"z":1,"c":2}}}"#, r#"{"data":{"a":{"z":1,"c":2}}}"#),
        ];
        for (given, expected) in table {
            assert_eq!(reordered(given, LIKE).as_deref(), Some(expected));
        }
        for broken in ["", "[]", "7", "{", r#"{"a":}"#] {
            assert_eq!(reordered(broken, LIKE), None, "{broken}");
            assert_eq!(reordered("{}", broken), None, "{broken}");
        }
    }

    #[test]
    fn an_object_with_a_field_twice_is_not_put_in_order() {
        let nested = r#"{"at":9,"data":{"a":{},"b":[{"x":1,"y":2,"x":3}]}}"#;
        for twice in [r#"{"at":1,"id":2,"at":3}"#, r#"{"data":{},"\u0064ata":{}}"#, nested] {
            assert_eq!(reordered(twice, LIKE), None, "{twice}");
            assert_eq!(reordered(LIKE, twice).is_none(), twice != nested, "{twice}");
        }
    }

    #[test]
    fn a_text_of_any_depth_is_read() {
        let deep = format!("{{\"at\":1,\"id\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
        let expected = format!("{{\"id\":{}{},\"at\":1}}", "[".repeat(5_000), "]".repeat(5_000));
        assert_eq!(reordered(&deep, LIKE), Some(expected));
    }
}
