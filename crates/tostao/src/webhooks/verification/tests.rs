//! Each mistake, and the name that it gets.

use super::{Difference, Known, Mistake, Received, Verdict, decoded, hex, mac, verify};
use crate::webhooks::secret::Secret;

const BODY: &str = r#"{"id":"evt","data":{"name":"João","url":"a/b","price":1}}"#;
const ID: &str = "0190a000-0000-7000-8000-000000000001";
const NOW: i64 = 1_795_276_800;
const SKEW: i64 = 60;

/// Another body of this kind of event.
const LIKE: &str = r#"{"id":"","event":"","data":{"name":"","url":"","price":0}}"#;

fn secret() -> Secret {
    Secret::generate([7; 32])
}

fn knowing(secret: &str) -> Known<'_> {
    Known { secret, others: &[], like: None }
}

/// Checks what came against the right secret.
fn check(body: &[u8], own: &str, standard: &str, given: &str) -> Verdict {
    let timestamp = NOW.to_string();
    let received = Received {
        body,
        own: Some(own).filter(|text| !text.is_empty()),
        standard: Some(standard).filter(|text| !text.is_empty()),
        id: Some(ID),
        timestamp: Some(&timestamp),
    };
    let known = Known { like: Some(LIKE), ..knowing(given) };
    verify(&received, known, (NOW + 5, SKEW))
}

#[test]
fn a_delivery_as_it_came_is_verified_by_both_signatures() {
    let (own, standard) = (secret().sign_body(BODY), secret().sign_message(ID, NOW, BODY));
    for (own, standard) in [(&*own, &*standard), (&own, ""), ("", &standard)] {
        let verdict = check(BODY.as_bytes(), own, standard, secret().expose());
        assert_eq!(verdict, Verdict::Verified);
    }
    let rotated = format!("{} {standard}", Secret::generate([8; 32]).sign_message(ID, NOW, BODY));
    let verdict = check(BODY.as_bytes(), "", &rotated, secret().expose());
    assert_eq!(verdict, Verdict::Verified);
    assert_eq!(check(BODY.as_bytes(), "", "", secret().expose()), Verdict::Unsigned);
}

#[test]
fn what_happened_to_the_body_is_named() {
    let spaced = BODY.replace(':', ": ").replace(',', ", ");
    let pretty = "{\n  \"id\": \"evt\",\n  \"data\": {\n    \"name\": \"João\",\n    \
                  \"url\": \"a/b\",\n    \"price\": 1\n  }\n}";
    let latin: Vec<u8> = BODY.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let twice: String = BODY.bytes().map(char::from).collect();
    let sorted = r#"{"data":{"name":"João","price":1,"url":"a/b"},"id":"evt"}"#;
    let python = sorted.replace(':', ": ").replace(',', ", ").replace('ã', "\\u00e3");
    let table: [(Vec<u8>, Mistake); 11] = [
        (spaced.clone().into(), Mistake::Spaces),
        (pretty.into(), Mistake::Spaces),
        (BODY.replace('/', "\\/").into(), Mistake::Escapes),
        (BODY.replace('ã', "\\u00e3").into(), Mistake::Escapes),
        (spaced.replace('ã', "\\u00E3").into(), Mistake::Escapes),
        (sorted.into(), Mistake::FieldOrder),
        (python.into(), Mistake::FieldOrder),
        (format!("{BODY}\n").into(), Mistake::LineBreakAdded),
        (latin, Mistake::Encoding),
        (twice.into(), Mistake::Encoding),
        (format!("\u{feff}{BODY}").into(), Mistake::ByteOrderMark),
    ];
    let (own, standard) = (secret().sign_body(BODY), secret().sign_message(ID, NOW, BODY));
    for (body, mistake) in table {
        for (own, standard) in [(&*own, ""), ("", &*standard)] {
            let verdict = check(&body, own, standard, secret().expose());
            let Verdict::Mistaken(found, Some(_)) = verdict else { panic!("{verdict:?}") };
            assert_eq!(found, mistake, "{}", String::from_utf8_lossy(&body));
        }
    }
    let lines = "{\n\"id\":1\n}\n";
    let own = secret().sign_body(lines);
    let table = [
        (lines.replace('\n', "\r\n"), Mistake::CarriageReturns),
        (lines.trim_end().to_owned(), Mistake::LineBreakLost),
    ];
    for (body, mistake) in table {
        let verdict = check(body.as_bytes(), &own, "", secret().expose());
        assert!(matches!(verdict, Verdict::Mistaken(found, _) if found == mistake));
    }
}

#[test]
fn what_is_wrong_with_the_secret_is_named() {
    let (own, standard) = (secret().sign_body(BODY), secret().sign_message(ID, NOW, BODY));
    let text = secret().expose().to_owned();
    let table = [
        (format!(" {text}\n"), Mistake::SecretSpaced),
        (format!("\"{text}\""), Mistake::SecretSpaced),
        (text.replace("whsec_", ""), Mistake::SecretWithoutPrefix),
    ];
    for (given, mistake) in table {
        let verdict = check(BODY.as_bytes(), &own, &standard, &given);
        assert_eq!(verdict, Verdict::Mistaken(mistake, None), "{given:?}");
    }
    let timestamp = NOW.to_string();
    let received = Received {
        body: BODY.as_bytes(),
        own: Some(&own),
        standard: Some(&standard),
        id: Some(ID),
        timestamp: Some(&timestamp),
    };
    let other = Secret::generate([8; 32]);
    for mistake in
        [Mistake::OtherSecret, Mistake::RotatedSecret, Mistake::OtherWebhook, Mistake::OtherMode]
    {
        let others = [(&*text, mistake)];
        let known = Known { others: &others, ..knowing(other.expose()) };
        assert_eq!(verify(&received, known, (NOW, SKEW)), Verdict::Mistaken(mistake, None));
    }
    assert_eq!(verify(&received, knowing(other.expose()), (NOW, SKEW)), Verdict::Unexplained);
}

#[test]
fn what_was_computed_instead_is_named() {
    let (text, bytes) = (secret().expose().to_owned(), decoded(secret().expose()));
    let message = format!("{ID}.{NOW}.{BODY}");
    let late = format!("{ID}.{}.{BODY}", NOW * 1_000);
    let plain = |key: &[u8], message: &str| {
        let signature = mac(key, message.as_bytes());
        base64::Engine::encode(&base64::engine::general_purpose::STANDARD, signature)
    };
    let own = [
        (plain(&bytes, BODY), Mistake::SecretDecoded),
        (hex(&mac(text.as_bytes(), BODY.as_bytes())), Mistake::Hexadecimal),
        (plain(text.as_bytes(), &message), Mistake::OtherMessage),
    ];
    for (signature, mistake) in own {
        let verdict = check(BODY.as_bytes(), &signature, "", &text);
        assert_eq!(verdict, Verdict::Mistaken(mistake, None));
    }
    let standard = [
        (plain(text.as_bytes(), &message), Mistake::SecretNotDecoded),
        (hex(&mac(&bytes, message.as_bytes())), Mistake::Hexadecimal),
        (plain(&bytes, BODY), Mistake::OtherMessage),
        (plain(&bytes, &late), Mistake::Milliseconds),
    ];
    for (signature, mistake) in standard {
        let verdict = check(BODY.as_bytes(), "", &format!("v1,{signature}"), &text);
        assert_eq!(verdict, Verdict::Mistaken(mistake, None));
    }
}

#[test]
fn a_signature_that_is_too_old_or_too_new_is_refused() {
    let standard = secret().sign_message(ID, NOW, BODY);
    let timestamp = NOW.to_string();
    let received = Received {
        body: BODY.as_bytes(),
        standard: Some(&standard),
        id: Some(ID),
        timestamp: Some(&timestamp),
        ..Received::default()
    };
    for (now, refused) in [(NOW + 60, None), (NOW + 61, Some(61)), (NOW - 61, Some(-61))] {
        let stale = |seconds| Verdict::Mistaken(Mistake::Stale { seconds }, None);
        let expected = refused.map_or(Verdict::Verified, stale);
        assert_eq!(verify(&received, knowing(secret().expose()), (now, SKEW)), expected);
    }
}

#[test]
fn the_difference_is_shown_from_a_little_before_it() {
    let found = Difference::between(br#"{"id": "evt"}"#, br#"{"id":"evt"}"#);
    assert_eq!(found.received, r#"{"id": "evt"}"#);
    assert_eq!(found.signed, r#"{"id":"evt"}"#);
    let found = Difference::between(b"a\\/b\n", b"a/b");
    assert_eq!((&*found.received, &*found.signed), (r"a\/b\n", "a/b"));
}
