//! The pages of a payment: its code, its simulation, and its receipt's pixel.

use askama::Template;

use super::samples::{pages, pix_page};
use crate::checkout::views::PixelId;
use crate::checkout::views::charge::PixPage;
use crate::platform::messages::Lang;

#[test]
fn an_open_code_can_be_copied_scanned_and_refreshed_and_an_expired_one_renewed() {
    let open = pix_page(Lang::PtBr, "Loja", Some(90)).render().unwrap();
    let expired = pix_page(Lang::PtBr, "Loja", None).render().unwrap();
    let base = "/pay/4tJ8sQ2mXk7B/t/0190f3a2-7c1e-7d7a-8e0a-2f6d1f0b9c11";
    for (html, status) in [(&open, "PENDING"), (&expired, "EXPIRED")] {
        assert!(html.contains(&format!("href=\"{base}?token=k3y\"")));
        assert!(html.contains(&format!("data-events=\"{base}/events?token=k3y\"")));
        assert!(html.contains(&format!("data-receipt=\"{base}/receipt?token=k3y\"")));
        assert!(html.contains(&format!("data-status=\"{status}\"")));
    }
    assert!(open.contains("data-seconds=\"90\"") && open.contains("role=\"img\""));
    assert!(open.contains("21/11/2026 às 08:43") && !open.contains("/renew"));
    assert!(expired.contains(&format!("action=\"{base}/renew\"")));
    assert!(!expired.contains("<textarea") && !expired.contains("role=\"img\""));
}

#[test]
fn a_charge_whose_coupon_is_lost_leads_to_the_seller_and_is_not_renewed() {
    for lang in [Lang::PtBr, Lang::En] {
        let pages = pages(lang, "Loja");
        let lost: Vec<_> = pages.iter().filter(|(name, _)| name.ends_with("coupon lost")).collect();
        assert_eq!(lost.len(), 3);
        for (name, html) in lost {
            let is_said = html.contains(lang.coupon_lost_note());
            assert!(is_said && !html.contains("/renew"), "{name} ({})", lang.tag());
        }
    }
}

#[test]
fn simulation_is_offered_in_test_mode_only() {
    let live = PixPage { test_mode: false, ..pix_page(Lang::PtBr, "Loja", Some(90)) };
    let live = live.render().unwrap();
    let test = pix_page(Lang::PtBr, "Loja", Some(90)).render().unwrap();
    for word in ["/simulate", Lang::PtBr.simulate(), Lang::PtBr.test_mode()] {
        assert!(test.contains(word) && !live.contains(word), "{word}");
    }
}

#[test]
fn a_pixel_is_ten_to_twenty_digits() {
    let rows = [
        ("1234567890", true),
        ("12345678901234567890", true),
        ("123456789", false),
        ("123456789012345678901", false),
        ("12345678 0", false),
        ("١٢٣٤٥٦٧٨٩٠", false),
        ("\"><script>", false),
    ];
    for (text, valid) in rows {
        assert_eq!(PixelId::parse(text).is_some(), valid, "{text}");
    }
}
