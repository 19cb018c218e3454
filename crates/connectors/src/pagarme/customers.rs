//! A buyer as Pagar.me's customer.

use brazil::document::Document;
use rails::address::Address;
use rails::card::CardBuyer;
use serde::Serialize;

const NAME_LENGTH_MAX: usize = 64;
const COUNTRY: &str = "55";
/// An area code and eight or nine digits.
const NATIONAL_DIGITS: std::ops::RangeInclusive<usize> = 10..=11;

/// A customer. One of a known e-mail address is the same customer there, with new details.
#[derive(Serialize)]
pub struct Customer<'a> {
    name: String,
    email: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document_type: Option<&'static str>,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phones: Option<Phones>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Place<'a>>,
}

#[derive(Serialize)]
struct Phones {
    mobile_phone: Phone,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Phone {
    country_code: &'static str,
    area_code: String,
    number: String,
}

#[derive(Serialize)]
struct Place<'a> {
    line_1: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_2: Option<&'a str>,
    zip_code: &'a str,
    city: &'a str,
    state: &'a str,
    country: &'static str,
}

impl<'a> Customer<'a> {
    pub fn new(buyer: &'a CardBuyer) -> Self {
        let is_company = buyer.document.as_ref().is_some_and(|document| !document.is_cpf());
        let (kind, document_type) =
            if is_company { ("company", "CNPJ") } else { ("individual", "CPF") };
        Self {
            name: buyer.name.chars().take(NAME_LENGTH_MAX).collect(),
            email: &buyer.email,
            document: buyer.document.as_ref().map(Document::as_str),
            document_type: buyer.document.is_some().then_some(document_type),
            kind,
            phones: buyer.phone.as_deref().and_then(phone).map(|it| Phones { mobile_phone: it }),
            address: buyer.address.as_ref().map(place),
        }
    }
}

/// A Brazilian number in its parts; any other is left out, because it would be refused.
fn phone(text: &str) -> Option<Phone> {
    let national = match text.strip_prefix('+') {
        Some(international) => international.strip_prefix(COUNTRY)?,
        None => text,
    };
    let is_national = NATIONAL_DIGITS.contains(&national.len())
        && national.bytes().all(|byte| byte.is_ascii_digit());
    let (area_code, number) = is_national.then(|| national.split_at(2))?;
    Some(Phone {
        country_code: COUNTRY,
        area_code: area_code.to_owned(),
        number: number.to_owned(),
    })
}

fn place(address: &Address) -> Place<'_> {
    let Address { postal_code, street, number, complement, district, city, state } = address;
    Place {
        line_1: format!("{number}, {street}, {district}"),
        line_2: complement.as_deref(),
        zip_code: postal_code,
        city,
        state,
        country: "BR",
    }
}

#[cfg(test)]
mod tests {
    use super::{Phone, phone};

    #[test]
    fn a_number_is_split_where_it_is_brazilian_and_left_out_otherwise() {
        let parts = |area_code: &str, number: &str| {
            let (area_code, number) = (area_code.to_owned(), number.to_owned());
            Some(Phone { country_code: "55", area_code, number })
        };
        let table = [
            ("11987654321", parts("11", "987654321")),
            ("1133334444", parts("11", "33334444")),
            ("+5511987654321", parts("11", "987654321")),
            ("+351912345678", None),
            ("33334444", None),
            ("5511987654321", None),
        ];
        for (text, expected) in table {
            assert_eq!(phone(text), expected, "{text}");
        }
    }
}
