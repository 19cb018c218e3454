//! Every published BR Code is parsed, encoded where we encode its kind, and rejected when altered.

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::{Index, select};

use super::{BrCode, BrCodeError, DynamicCode, Receiver, StaticCode, crc16, parse};
use crate::pix_key::{PixKey, PixKeyType};
use crate::testing::repeatable;
use crate::txid::NO_TXID;

const STATIC: &str = "\
    00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5\
    913Fulano de Tal6008BRASILIA62070503***63041D3D";
const DYNAMIC: &str = "\
    00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204\
    000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";
const TWO_ARRANGEMENTS: &str = "\
    00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-4266554400002730\
    0012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRAS\
    ILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38";
const RECURRENCE: &str = "\
    00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***8\
    0800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C\
    9";
const CHARGE_AND_RECURRENCE: &str = "\
    00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4\
    415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558p\
    ix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741";
const DUE_CHARGE_AND_RECURRENCE: &str = "\
    00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b\
    0f998e75204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix\
    2558pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d06304A441";
const IN_CIRCULATION: &str = "\
    00020126850014br.gov.bcb.pix2563pix.voluti.com.br/qr/v3/at/c75d8412-3935-49d1-9d80-6435716\
    962665204000053039865802BR5925SMARTPAY_SERVICOS_DIGITAI6013FLORIANOPOLIS62070503***6304575\
    A";

const PUBLISHED: [&str; 7] = [
    STATIC,
    DYNAMIC,
    TWO_ARRANGEMENTS,
    RECURRENCE,
    CHARGE_AND_RECURRENCE,
    DUE_CHARGE_AND_RECURRENCE,
    IN_CIRCULATION,
];

const RANDOM_KEY: &str = "123e4567-e12b-12d1-a456-426655440000";

fn key() -> PixKey {
    PixKey::parse(PixKeyType::Random, RANDOM_KEY).unwrap()
}

fn fulano(receiver: Option<Receiver>) -> BrCode {
    BrCode {
        receiver,
        recurrence: None,
        amount_cents: None,
        merchant_name: "Fulano de Tal".to_owned(),
        city: "BRASILIA".to_owned(),
        txid: None,
        single_use: false,
    }
}

fn at(location: &str) -> Receiver {
    Receiver::Location(location.to_owned())
}

/// Appends the checksum to a body.
fn sealed(body: &str) -> String {
    let summed = format!("{body}6304");
    format!("{summed}{:04X}", crc16::of(&summed))
}

#[test]
fn published_codes_say_what_their_publishers_meant() {
    let random_key = Some(Receiver::Key(RANDOM_KEY.to_owned()));
    let recurring = |token: &str| Some(format!("pix.example.com/qr/v2/rec/{token}"));
    let rows = [
        (STATIC, fulano(random_key.clone())),
        (
            DYNAMIC,
            BrCode {
                single_use: true,
                ..fulano(Some(at("pix.example.com/8b3da2f39a4140d1a91abd93113bd441")))
            },
        ),
        (
            TWO_ARRANGEMENTS,
            BrCode {
                amount_cents: Some(12_345),
                merchant_name: "NOME DO RECEBEDOR".to_owned(),
                txid: Some("RP12345678-2019".to_owned()),
                ..fulano(random_key)
            },
        ),
        (
            RECURRENCE,
            BrCode { recurrence: recurring("2353c790eefb11eaadc10242ac120002"), ..fulano(None) },
        ),
        (
            CHARGE_AND_RECURRENCE,
            BrCode {
                recurrence: recurring("94ed2badcbc04c15b0bb7fa353194890"),
                single_use: true,
                ..fulano(Some(at("pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441")))
            },
        ),
        (
            DUE_CHARGE_AND_RECURRENCE,
            BrCode {
                recurrence: recurring("3ffa640fa4f14080adccb949fa2dc0d0"),
                single_use: true,
                ..fulano(Some(at("pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7")))
            },
        ),
        (
            IN_CIRCULATION,
            BrCode {
                merchant_name: "SMARTPAY_SERVICOS_DIGITAI".to_owned(),
                city: "FLORIANOPOLIS".to_owned(),
                ..fulano(Some(at(
                    "pix.voluti.com.br/qr/v3/at/c75d8412-3935-49d1-9d80-643571696266",
                )))
            },
        ),
    ];
    for (text, code) in rows {
        assert_eq!(parse(text), Ok(code), "{text}");
        assert!(parse(&format!("\n {text} ")).is_ok(), "{text} with space around");
    }
}

#[test]
fn changing_any_character_of_a_published_code_makes_it_refused() {
    for text in PUBLISHED {
        for (place, original) in text.char_indices() {
            let flipped = u8::try_from(original).unwrap() ^ 0x20;
            for other in ['0', '7', 'A', 'f', ' ', '~', char::from(flipped)] {
                if other != original {
                    let mut altered = text.to_owned();
                    altered.replace_range(place..=place, &other.to_string());
                    assert!(parse(&altered).is_err(), "{altered}");
                }
            }
        }
    }
}

#[test]
fn a_code_cut_short_or_continued_is_refused() {
    for text in PUBLISHED {
        for end in 0..text.len() {
            assert!(parse(&text[..end]).is_err(), "{}", &text[..end]);
        }
        assert!(parse(&format!("{text}0")).is_err());
        assert!(parse(&format!("{text}{text}")).is_err());
    }
}

#[test]
fn the_published_codes_of_our_kinds_are_written_to_the_letter() {
    let code = StaticCode {
        key: &key(),
        amount_cents: None,
        merchant_name: "Fulano de Tal",
        city: "BRASILIA",
        txid: NO_TXID,
    };
    assert_eq!(code.encode().unwrap(), STATIC);
    let code = DynamicCode {
        location: "pix.example.com/8b3da2f39a4140d1a91abd93113bd441",
        merchant_name: "Fulano de Tal",
        city: "BRASILIA",
    };
    assert_eq!(code.encode().unwrap(), DYNAMIC);
}

#[test]
fn names_are_folded_and_cut_and_the_amount_has_two_decimals() {
    let phone = PixKey::parse(PixKeyType::Phone, "11912345684").unwrap();
    let code = StaticCode {
        key: &phone,
        amount_cents: Some(100),
        merchant_name: "Comércio de Flores do Vale do Itajaí",
        city: "São José dos Campos",
        txid: "Pedido1",
    };
    let read = parse(&code.encode().unwrap()).unwrap();
    assert_eq!(
        read,
        BrCode {
            receiver: Some(Receiver::Key("+5511912345684".to_owned())),
            recurrence: None,
            amount_cents: Some(100),
            merchant_name: "Comercio de Flores do Val".to_owned(),
            city: "Sao Jose dos Ca".to_owned(),
            txid: Some("Pedido1".to_owned()),
            single_use: false,
        }
    );
    assert!(code.encode().unwrap().contains("54041.00"));
}

#[test]
fn a_static_code_that_a_bank_would_refuse_is_not_written() {
    let key = key();
    let good = StaticCode {
        key: &key,
        amount_cents: Some(1),
        merchant_name: "Loja",
        city: "Natal",
        txid: NO_TXID,
    };
    assert!(good.encode().is_ok());
    let rows = [
        (StaticCode { amount_cents: Some(0), ..good.clone() }, BrCodeError::Amount),
        (StaticCode { amount_cents: Some(-1), ..good.clone() }, BrCodeError::Amount),
        (StaticCode { amount_cents: Some(1_000_000_000_000), ..good.clone() }, BrCodeError::Amount),
        (StaticCode { merchant_name: "💜", ..good.clone() }, BrCodeError::MerchantName),
        (StaticCode { city: " ", ..good.clone() }, BrCodeError::City),
        (StaticCode { txid: "", ..good.clone() }, BrCodeError::Txid),
        (StaticCode { txid: "pedido-1", ..good.clone() }, BrCodeError::Txid),
        (StaticCode { txid: "abcdefghijklmnopqrstuvwxyz", ..good.clone() }, BrCodeError::Txid),
    ];
    for (code, error) in rows {
        assert_eq!(code.encode(), Err(error), "{code:?}");
    }
}

#[test]
fn a_dynamic_code_needs_an_address_without_scheme() {
    let longest = "a".repeat(77);
    let too_long = "a".repeat(78);
    let rows = [
        ("pix.example.com/1", true),
        (longest.as_str(), true),
        (too_long.as_str(), false),
        ("", false),
        ("https://pix.example.com/1", false),
        ("pix.example.com/a b", false),
        ("pix.example.com/ã", false),
    ];
    for (location, accepted) in rows {
        let code = DynamicCode { location, merchant_name: "Loja", city: "Natal" };
        assert_eq!(code.encode().is_ok(), accepted, "{location}");
    }
}

#[test]
fn codes_that_are_not_by_the_book_are_still_read() {
    let rows = [
        (
            "an amount and a txid beside a location",
            "00020101021226310014br.gov.bcb.pix2509a.bc/d/ef52040000530398654041.5058\
             02BR5904Loja6005Natal62110507pedido1",
            Some(150),
            "Loja",
        ),
        (
            "a name that is long and accented",
            "00020126250014br.gov.bcb.pix0103abc5204000053039865802BR5931Comércio de Flores do Val\
             e Feli6005Natal",
            None,
            "Comércio de Flores do Vale Feli",
        ),
        (
            "PIX after another arrangement that keeps no fields",
            "00020126041abc27250014br.gov.bcb.pix0103abc5204000053039865802BR5904Loja6005Natal",
            None,
            "Loja",
        ),
    ];
    for (name, body, amount_cents, merchant_name) in rows {
        let code = parse(&sealed(body)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(code.amount_cents, amount_cents, "{name}");
        assert_eq!(code.merchant_name, merchant_name, "{name}");
    }
}

#[test]
fn a_right_checksum_does_not_save_a_wrong_code() {
    let account = "26250014br.gov.bcb.pix0103abc";
    let rows = [
        ("", BrCodeError::Malformed),
        ("000201", BrCodeError::Malformed),
        ("0002015303986", BrCodeError::NotPix),
        (&format!("000202{account}5303986"), BrCodeError::Malformed),
        (&format!("{account}0002015303986"), BrCodeError::Malformed),
        (&format!("000201{account}5303840"), BrCodeError::Malformed),
        (&format!("000201{account}{account}5303986"), BrCodeError::Malformed),
        (&format!("000201{account}530398654041,50"), BrCodeError::Amount),
        (&format!("000201{account}53039865906Lo"), BrCodeError::Malformed),
        ("00020126250014br.com.outro.x0103abc5303986", BrCodeError::NotPix),
        ("00020126180014br.gov.bcb.pix5303986", BrCodeError::NotPix),
    ];
    for (body, error) in rows {
        assert_eq!(parse(&sealed(body)), Err(error), "{body}");
    }
    assert_eq!(parse("é123"), Err(BrCodeError::Malformed));
    assert_eq!(parse(&STATIC.replace("1D3D", "1d3d")), Err(BrCodeError::Checksum));
}

proptest! {
    #![proptest_config(repeatable())]

    #[test]
    fn a_written_static_code_is_read_back(
        amount_cents in proptest::option::of(1_i64..1_000_000_000_000),
        merchant_name in "[A-Za-z]{1,25}",
        city in "[A-Za-z]{1,15}",
        txid in "[A-Za-z0-9]{1,25}",
    ) {
        let key = key();
        let code = StaticCode {
            key: &key,
            amount_cents,
            merchant_name: &merchant_name,
            city: &city,
            txid: &txid,
        };
        let receiver = Some(Receiver::Key(RANDOM_KEY.to_owned()));
        let expected = BrCode {
            receiver,
            recurrence: None,
            amount_cents,
            merchant_name: merchant_name.clone(),
            city: city.clone(),
            txid: Some(txid.clone()),
            single_use: false,
        };
        prop_assert_eq!(parse(&code.encode().unwrap()), Ok(expected));
    }

    #[test]
    fn whatever_the_names_a_written_code_is_short_ascii_and_readable(
        merchant_name in ".{0,40}", city in ".{0,30}", location in "[!-~]{1,77}",
    ) {
        let code = DynamicCode { location: &location, merchant_name: &merchant_name, city: &city };
        if let Ok(text) = code.encode() {
            prop_assert!(text.is_ascii() && text.len() <= 512);
            prop_assert_eq!(parse(&text).unwrap().receiver, Some(Receiver::Location(location)));
        }
    }

    #[test]
    fn any_other_byte_in_any_place_is_noticed(
        text in select(PUBLISHED.as_slice()), place in any::<Index>(), other in b' '..=b'~',
    ) {
        let mut altered = text.as_bytes().to_vec();
        let place = place.index(altered.len());
        if altered[place] != other {
            altered[place] = other;
            prop_assert!(parse(std::str::from_utf8(&altered).unwrap()).is_err());
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(body in ".{0,60}|([0-9]{2}0[0-9][a-z0-9]{1,9}){0,9}") {
        let _ = parse(&body);
        let _ = parse(&sealed(&body));
    }
}
