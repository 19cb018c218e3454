//! The deletion of a coupon, whose code is typed to confirm it.

use db::tx::Tx;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::coupons::api::ask_to_delete;
use crate::coupons::{self, Coupon};
use crate::dashboard::confirm::{Deletion, DeletionOf};
use crate::dashboard::coupons::list_pages::{API, LIST};
use crate::dashboard::deletion_pages::Deletable;
use crate::dashboard::form_pages::FormVisit;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::Section;
use crate::platform::error::Result;
use crate::platform::ids::{CouponId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::CouponsWrite;

impl Deletable for Coupon {
    type Permission = CouponsWrite;
    type Id = CouponId;

    const LIST: &'static str = LIST;
    const API: &'static str = API;
    const DELETED: Text = Lang::coupon_was_deleted;

    async fn find(app: &App, scope: Scope, id: CouponId) -> Result<Self> {
        app.read(async move |tx: &Tx| coupons::find(tx, scope, id).await).await
    }

    fn deletion(&self, lang: Lang) -> Deletion {
        Deletion {
            section: Section::Coupons,
            heading: lang.coupon_delete_of(&self.code),
            back: lang.coupon_back(),
            effects: [lang.coupon_delete_code(), lang.coupon_delete_stays()],
            name: self.code.clone(),
            button: lang.coupon_delete_now(),
            of: DeletionOf::Object,
        }
    }

    async fn ask(at: &FormVisit<CouponsWrite>, ticket: Ticket, id: CouponId) -> Result<()> {
        ask_to_delete(&at.app, ticket, id).await?;
        Ok(())
    }
}
