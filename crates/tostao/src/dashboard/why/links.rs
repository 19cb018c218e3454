//! Why a payment link is in its state, or sells nothing although it is on.

use crate::dashboard::why::Why;
use crate::payment_links::PaymentLink;
use crate::payment_links::status::Status;
use crate::payment_links::stock::Availability;
use crate::platform::messages::Lang;

/// What a link needs to be paid, besides being on.
#[derive(Debug, Clone, Copy)]
pub struct Selling {
    /// Whether all of its products are for sale.
    pub is_for_sale: bool,
    /// Whether one of its methods can be charged here now.
    pub has_way: bool,
    pub stock: Availability,
}

/// Explains the state of a link.
pub fn of(link: &PaymentLink, selling: Selling, lang: Lang) -> Why {
    let end = link.expires_at.map(|at| lang.date_time(at.micros()));
    match link.status {
        Status::Active => active(end, selling, lang),
        Status::Inactive => Why {
            causes: vec![lang.why_link_off().to_owned()],
            next: lang.why_link_off_next().to_owned(),
            action: lang.why_link_off_action().to_owned(),
        },
        Status::Expired => {
            Why {
                causes: vec![end.map_or(lang.why_link_expired_before().to_owned(), |at| {
                    lang.why_link_expired(at)
                })],
                next: lang.why_link_off_next().to_owned(),
                action: lang.why_link_expired_action().to_owned(),
            }
        }
    }
}

fn active(end: Option<String>, selling: Selling, lang: Lang) -> Why {
    let next = end.map_or(lang.why_link_never_ends().to_owned(), |at| lang.why_link_ends(at));
    let obstacle = if !selling.has_way {
        Some((lang.why_link_no_way(), lang.why_link_no_way_action()))
    } else if !selling.is_for_sale {
        Some((lang.why_link_not_for_sale(), lang.why_link_not_for_sale_action()))
    } else {
        match selling.stock {
            Availability::SoldOut => Some((lang.why_link_sold_out(), lang.why_link_restock())),
            Availability::Unlimited | Availability::InStock => None,
        }
    };
    let (cause, action) = obstacle.unwrap_or((lang.why_link_on(), lang.why_link_on_action()));
    Why { causes: vec![cause.to_owned()], next, action: action.to_owned() }
}
