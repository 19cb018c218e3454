//! The form of a new API key, which becomes the body that programs send.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::credentials::api::CreateBody;
use crate::dashboard::form::{Field, WrongField, day, given};
use crate::figures::period::{after, start};
use crate::platform::error::{FieldError, FieldErrors, Result};
use crate::platform::http::card_data;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions};

/// What the name of each permission's box begins with.
const BOX: &str = "permissions.";

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 4] = ["name", "permissions", "expiresAt", "ipAllowlist"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct KeyForm {
    pub name: String,
    /// The last day on which the key is valid.
    pub expires_at: String,
    /// Addresses and networks with blanks or commas between them.
    pub ip_allowlist: String,
    /// Whether the key may do all that its maker may.
    pub everything: String,
    /// The boxes of the permissions, by their names.
    #[serde(flatten)]
    pub boxes: BTreeMap<String, String>,
}

/// The fields as they were typed, with what is wrong with them.
pub struct KeyFields {
    pub name: Field,
    pub expires_at: Field,
    pub ip_allowlist: Field,
    pub everything: bool,
    pub resources: Vec<Resource>,
    /// What is wrong with the permissions.
    pub permissions: Field,
}

/// The permissions for one kind of object.
pub struct Resource {
    pub name: &'static str,
    pub read: Option<PermissionBox>,
    pub write: Option<PermissionBox>,
}

/// A permission that the key may have.
pub struct PermissionBox {
    pub field: String,
    pub is_chosen: bool,
}

impl KeyForm {
    /// The body of a request that creates the key, for a person who holds some permissions.
    pub fn body(&self, mode: Mode, held: &Permissions) -> Result<CreateBody> {
        card_data::refuse_typed([("name", &*self.name), ("ipAllowlist", &*self.ip_allowlist)])?;
        let mut wrong = FieldErrors::new();
        let last = wrong.read("expiresAt", day(&self.expires_at));
        wrong.finish()?;
        let addresses = self.ip_allowlist.split([' ', ',', ';', '\n', '\r', '\t']);
        let addresses: Vec<_> = addresses.filter_map(given).collect();
        Ok(CreateBody {
            name: self.name.clone(),
            environment: mode,
            permissions: self.permissions(held),
            expires_at: last.flatten().map(|last| start(after(last))),
            ip_allowlist: Some(addresses).filter(|addresses| !addresses.is_empty()),
        })
    }

    /// The fields as they were typed, with the permissions that the person may give.
    pub fn fields(&self, held: &Permissions, wrong: &[FieldError], lang: Lang) -> KeyFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        // An address is named by its place in the list.
        let address = wrong.iter().find(|one| one.field.starts_with("ipAllowlist"));
        let addresses = address.map_or("ipAllowlist", |one| &one.field);
        KeyFields {
            name: field("name", &self.name),
            expires_at: field("expiresAt", &self.expires_at),
            ip_allowlist: field(addresses, &self.ip_allowlist),
            everything: !self.everything.is_empty(),
            resources: self.resources(held, lang),
            permissions: field("permissions", ""),
        }
    }

    fn permissions(&self, held: &Permissions) -> Vec<Permission> {
        let all = Permission::ALL.iter().copied();
        if self.everything.is_empty() {
            all.filter(|one| self.boxes.contains_key(&field_of(*one))).collect()
        } else {
            all.filter(|one| held.contains(*one)).collect()
        }
    }

    fn resources(&self, held: &Permissions, lang: Lang) -> Vec<Resource> {
        let mut resources: Vec<Resource> = Vec::new();
        for permission in Permission::ALL.iter().filter(|one| held.contains(**one)) {
            let field = field_of(*permission);
            let is_chosen = self.boxes.contains_key(&field);
            let made = Some(PermissionBox { field, is_chosen });
            let name = resource(*permission, lang);
            let is_read = permission.name().ends_with(":read");
            match resources.last_mut().filter(|last| last.name == name && !is_read) {
                Some(last) => last.write = made,
                None if is_read => resources.push(Resource { name, read: made, write: None }),
                None => resources.push(Resource { name, read: None, write: made }),
            }
        }
        resources
    }
}

impl KeyFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.name.wrong("name", lang.key_name()),
            self.permissions.wrong("permissions", lang.key_may()),
            self.expires_at.wrong("expiresAt", lang.key_expires()),
            self.ip_allowlist.wrong("ipAllowlist", lang.key_addresses()),
        ];
        fields.into_iter().flatten().collect()
    }
}

fn field_of(permission: Permission) -> String {
    format!("{BOX}{permission}")
}

/// What a key may do, in words.
pub fn in_words(permissions: &[Permission], lang: Lang) -> String {
    let all = Permission::ALL.iter().filter(|one| permissions.contains(one));
    let mut named: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for permission in all {
        let (name, is_read) = (resource(*permission, lang), permission.name().ends_with(":read"));
        let verb = if is_read { lang.key_read() } else { lang.key_write() };
        match named.iter_mut().find(|(of, _)| *of == name) {
            Some((_, verbs)) => verbs.push(verb),
            None => named.push((name, vec![verb])),
        }
    }
    let one =
        |(name, verbs): &(&str, Vec<&str>)| format!("{name}: {}", verbs.join(", ").to_lowercase());
    named.iter().map(one).collect::<Vec<_>>().join(" · ")
}

/// What a permission is about.
fn resource(permission: Permission, lang: Lang) -> &'static str {
    use Permission as P;
    match permission {
        P::PaymentLinksRead | P::PaymentLinksWrite => lang.links_title(),
        P::TransactionsRead | P::TransactionsWrite => lang.payments_title(),
        P::ProductsRead | P::ProductsWrite => lang.products_title(),
        P::CustomersRead | P::CustomersWrite => lang.clients_title(),
        P::CouponsRead | P::CouponsWrite => lang.coupons_title(),
        P::WebhooksRead | P::WebhooksWrite => lang.webhooks_title(),
        P::WithdrawalsRead | P::WithdrawalsWrite => lang.key_withdrawals(),
        P::AffiliatesRead | P::AffiliatesWrite => lang.key_affiliates(),
        P::SubscriptionsRead | P::SubscriptionsWrite => lang.key_subscriptions(),
        P::AdvancesRead | P::AdvancesWrite => lang.key_advances(),
        P::ReferralsRead | P::ReferralsWrite => lang.key_referrals(),
        P::RequestsRead => lang.requests_title(),
    }
}

#[cfg(test)]
mod tests {
    use super::KeyForm;
    use crate::platform::ids::Mode;
    use crate::platform::member_role::MemberRole;
    use crate::platform::messages::Lang;
    use crate::platform::permissions::{Permission, Permissions};

    fn form(fields: &str) -> KeyForm {
        serde_urlencoded::from_str(fields).expect("is a form")
    }

    #[test]
    fn everything_is_what_the_role_includes() {
        let held = MemberRole::Developer.permissions(Mode::Production);
        let body = form("name=a&everything=true").body(Mode::Production, &held);
        let body = body.expect("is right");
        assert!(body.permissions.contains(&Permission::WebhooksWrite));
        assert!(!body.permissions.contains(&Permission::TransactionsWrite));
        let shown = form("").fields(&held, &[], Lang::En).resources;
        let both: Vec<_> = shown.iter().filter(|one| one.write.is_some()).collect();
        assert_eq!(both.iter().map(|one| one.name).collect::<Vec<_>>(), ["Webhooks"]);
    }

    #[test]
    fn addresses_stand_between_blanks_or_commas() {
        let form =
            form("name=a&permissions.products:read=true&ipAllowlist=203.0.113.7, 10.0.0.0/8");
        let body = form.body(Mode::Development, &Permissions::All).expect("is right");
        let addresses = ["203.0.113.7".to_owned(), "10.0.0.0/8".to_owned()];
        assert_eq!(body.ip_allowlist.as_deref(), Some(&addresses[..]));
        assert_eq!(body.permissions, [Permission::ProductsRead]);
    }
}
