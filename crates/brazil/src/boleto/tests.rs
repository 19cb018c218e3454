//! Boletos of several banks, published by them, in all their forms.

use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

use super::{Barcode, Boleto, BoletoError};
use crate::testing::repeatable;

/// Typed line, barcode, due date and cents.
const PUBLISHED: [(&str, &str, Date, i64); 8] = [
    (
        "34191.10121 34567.880058 71234.570001 6 16670000012345",
        "34196166700000123451101234567880057123457000",
        date(2002, 5, 1),
        12_345,
    ),
    (
        "00190.50095 40144.816069 06809.350314 3 37370000000100",
        "00193373700000001000500940144816060680935031",
        date(2007, 12, 31),
        100,
    ),
    (
        "00190.00009 01238.798779 77700.168188 3 37710000013500",
        "00193377100000135000000001238798777770016818",
        date(2008, 2, 3),
        13_500,
    ),
    (
        "34191.75009 25828.170818 05367.890000 1 37700000013500",
        "34191377000000135001750025828170810536789000",
        date(2008, 2, 2),
        13_500,
    ),
    (
        "23791.17209 60007.589645 52040.300502 5 42230000295295",
        "23795422300002952951172060007589645204030050",
        date(2009, 4, 30),
        295_295,
    ),
    (
        "75691.41349 05014.818008 00011.040011 4 71300000023500",
        "75694713000000235001413405014818000001104001",
        date(2017, 4, 15),
        23_500,
    ),
    (
        "03399.18997 77500.000904 00026.901025 9 51150000002500",
        "03399511500000025009189977500000900002690102",
        date(2011, 10, 9),
        2_500,
    ),
    // The only one whose due date is after the factor's restart.
    (
        "00190.00009 03128.557000 00000.042176 1 16560000015000",
        "00191165600000150000000003128557000000004217",
        date(2026, 12, 10),
        15_000,
    ),
];

fn boleto() -> Boleto {
    Boleto {
        bank: "001".to_owned(),
        due: Some(date(2026, 12, 10)),
        amount_cents: 15_000,
        free_field: "0000003128557000000004217".to_owned(),
    }
}

#[test]
fn published_boletos_are_read_from_either_form() {
    for (line, digits, due, amount_cents) in PUBLISHED {
        let barcode = Barcode::parse_line(line).unwrap();
        assert_eq!(barcode.as_str(), digits);
        assert_eq!(Barcode::parse(digits), Ok(barcode.clone()));
        assert_eq!(barcode.formatted_line(), line);
        assert_eq!(barcode.line(), line.replace(['.', ' '], ""));
        let expected = Boleto {
            bank: digits[..3].to_owned(),
            due: Some(due),
            amount_cents,
            free_field: digits[19..].to_owned(),
        };
        assert_eq!(barcode.read(due - 30.days()), expected, "{line}");
        assert_eq!(expected.barcode(), Ok(barcode), "{line}");
    }
}

/// The check digit of date and amount, unlike those of the three fields, misses some typing errors.
#[test]
fn any_single_wrong_digit_up_to_the_general_check_digit_is_noticed() {
    for (line, ..) in PUBLISHED {
        let line = line.replace(['.', ' '], "");
        for (place, original) in line.char_indices().take(33) {
            for other in ('0'..='9').filter(|other| *other != original) {
                let mut altered = line.clone();
                altered.replace_range(place..=place, &other.to_string());
                assert!(Barcode::parse_line(&altered).is_err(), "{altered}");
            }
        }
    }
}

#[test]
fn a_boleto_that_no_barcode_can_hold_is_not_written() {
    let rows = [
        (Boleto { bank: "1".to_owned(), ..boleto() }, BoletoError::Bank),
        (Boleto { bank: "00A".to_owned(), ..boleto() }, BoletoError::Bank),
        (Boleto { bank: "846".to_owned(), ..boleto() }, BoletoError::Bank),
        (Boleto { due: Some(date(2000, 7, 2)), ..boleto() }, BoletoError::Due),
        (Boleto { amount_cents: -1, ..boleto() }, BoletoError::Amount),
        (Boleto { amount_cents: 10_000_000_000, ..boleto() }, BoletoError::Amount),
        (Boleto { free_field: "1".repeat(24), ..boleto() }, BoletoError::FreeField),
        (Boleto { free_field: "x".repeat(25), ..boleto() }, BoletoError::FreeField),
    ];
    for (boleto, error) in rows {
        assert_eq!(boleto.barcode(), Err(error), "{boleto:?}");
    }
}

#[test]
fn a_barcode_of_another_shape_is_refused() {
    let good = boleto().barcode().unwrap().as_str().to_owned();
    let rows = [
        ("", BoletoError::Length),
        (&good[1..], BoletoError::Length),
        (&format!("{good}0"), BoletoError::Length),
        (&good.replace('9', "x"), BoletoError::Length),
        (&format!("8{}", &good[1..]), BoletoError::Bank),
        (&good.replacen("0019", "0018", 1), BoletoError::Currency),
        (&good.replacen("00191", "00192", 1), BoletoError::CheckDigit),
        (&sealed("0019", "0999000001500000000031285570000000042"), BoletoError::Length),
        (&sealed("0019", "099900000150000000003128557000000004217"), BoletoError::Due),
    ];
    for (text, error) in rows {
        assert_eq!(Barcode::parse(text), Err(error), "{text}");
    }
    let line = boleto().barcode().unwrap().line();
    assert_eq!(Barcode::parse_line(&line[1..]), Err(BoletoError::Length));
    assert_eq!(Barcode::parse_line(&format!("{line}0")), Err(BoletoError::Length));
}

fn sealed(head: &str, tail: &str) -> String {
    format!("{head}{}{tail}", super::general_check_digit(head, tail))
}

#[test]
fn a_boleto_may_leave_date_and_amount_open() {
    let open = Boleto { due: None, amount_cents: 0, ..boleto() };
    let barcode = open.barcode().unwrap();
    assert_eq!(&barcode.as_str()[5..19], "00000000000000");
    assert_eq!(barcode.read(date(2026, 11, 21)), open);
}

#[test]
fn the_bars_fill_405_modules_and_begin_and_end_as_they_must() {
    let widths = boleto().barcode().unwrap().bar_widths();
    assert_eq!(widths.len(), 227);
    assert_eq!(widths.iter().map(|width| u32::from(*width)).sum::<u32>(), 405);
    assert!(widths.starts_with(&[1, 1, 1, 1]));
    assert!(widths.ends_with(&[3, 1, 1]));
}

#[test]
fn a_bank_is_printed_with_its_check_digit() {
    let banks = ["001-9", "033-7", "104-0", "237-2", "341-7", "756-0"];
    for printed in banks {
        let free_field = "0".repeat(25);
        let bank = printed[..3].to_owned();
        let boleto = Boleto { bank, due: None, amount_cents: 0, free_field };
        assert_eq!(boleto.barcode().unwrap().bank(), printed);
    }
}

proptest! {
    #![proptest_config(repeatable())]

    #[test]
    fn a_written_boleto_is_read_back_from_both_forms(
        bank in "[0-79][0-9]{2}",
        free_field in "[0-9]{25}",
        amount_cents in 0_i64..10_000_000_000,
        due_in_days in -3000_i32..=5500,
    ) {
        let today = date(2026, 11, 21);
        let due = Some(today + due_in_days.days());
        let boleto = Boleto { bank, due, amount_cents, free_field };
        let barcode = boleto.barcode().unwrap();
        prop_assert_eq!(barcode.read(today), boleto);
        prop_assert_eq!(Barcode::parse(barcode.as_str()), Ok(barcode.clone()));
        prop_assert_eq!(Barcode::parse_line(&barcode.line()), Ok(barcode.clone()));
        prop_assert_eq!(Barcode::parse_line(&barcode.formatted_line()), Ok(barcode));
    }

    #[test]
    fn a_barcode_never_has_zero_for_its_check_digit(free_field in "[0-9]{25}") {
        let barcode = Boleto { free_field, ..boleto() }.barcode().unwrap();
        prop_assert!(&barcode.as_str()[4..5] != "0");
    }

    #[test]
    fn no_text_makes_the_readers_panic(text in ".{0,50}|[0-9]{44}|[0-9]{47}") {
        let _ = (Barcode::parse(&text), Barcode::parse_line(&text));
    }
}
