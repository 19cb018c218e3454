//! The form of a coupon: a new one, and one that is changed.

use db::tx::Tx;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::coupons::api::{ask_to_create, ask_to_update};
use crate::coupons::params::{CODE_MAX, CODE_MIN};
use crate::coupons::{self, Coupon};
use crate::dashboard::coupons::coupon_view::FormPage;
use crate::dashboard::coupons::form::{CouponForm, SHOWN};
use crate::dashboard::coupons::list_pages::{API, LIST};
use crate::dashboard::form::{Faults, faults};
use crate::dashboard::form_pages::{Drawing, FormVisit, NewObjectForm, ObjectForm};
use crate::dashboard::parts::Text;
use crate::dashboard::products::offer::{OFFERED, offer};
use crate::dashboard::shell::{Section, url};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{CouponId, ProductId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::CouponsWrite;

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    coupon: MadeCoupon,
}

#[derive(Debug, Deserialize)]
struct MadeCoupon {
    id: CouponId,
}

impl ObjectForm for CouponForm {
    type Permission = CouponsWrite;
    type Id = CouponId;
    type Object = Coupon;
    type Page = FormPage;

    const SHOWN: &'static [&'static str] = &SHOWN;
    const LIST: &'static str = LIST;
    const API: &'static str = API;
    const BACK: Text = Lang::coupon_back;
    const SAVE: Text = Lang::client_save;
    const SAVED: Text = Lang::coupon_saved;

    async fn find(app: &App, scope: Scope, id: CouponId) -> Result<Coupon> {
        app.read(async move |tx: &Tx| coupons::find(tx, scope, id).await).await
    }

    fn heading(coupon: &Coupon, lang: Lang) -> String {
        lang.coupon_edit_of(&coupon.code)
    }

    fn stored(at: &FormVisit<CouponsWrite>, coupon: &Coupon) -> Self {
        Self::of(coupon, at.visit.lang)
    }

    fn complete(&mut self, stored: &Self) {
        self.discount_type.clone_from(&stored.discount_type);
    }

    async fn save(
        &self,
        at: &FormVisit<CouponsWrite>,
        ticket: Ticket,
        coupon: &Coupon,
        drawn: &Self,
    ) -> Result<()> {
        let changes = self.changes(drawn, coupon.reduction.kind())?;
        ask_to_update(&at.app, ticket, coupon.id, changes).await?;
        Ok(())
    }

    fn faults(error: Error, lang: Lang) -> Result<Faults> {
        match error {
            // The page names the coupon that has the code.
            Error::Refused(ErrorCode::CouponCodeTaken, _) => Ok((Vec::new(), None)),
            error => faults(error, lang),
        }
    }

    async fn page(
        at: &FormVisit<CouponsWrite>,
        coupon: Option<&Coupon>,
        Drawing { mut frame, typed, wrong, refusal }: Drawing<'_, Self>,
    ) -> Result<FormPage> {
        let (app, scope, lang) = (&at.app, at.seat.scope, at.visit.lang);
        let offered = offered(app, scope, typed.products(), lang).await?;
        let fields = typed.fields(&offered, wrong, lang);
        frame.wrong = fields.wrong(lang);
        Ok(FormPage {
            lang,
            shell: at.shell(Section::Coupons).await?,
            frame,
            is_new: coupon.is_none(),
            code_hint: lang.coupon_code_hint(CODE_MIN, CODE_MAX),
            products_hint: lang.coupon_which_products_hint(OFFERED),
            fields,
            taken: match refusal {
                Some(ErrorCode::CouponCodeTaken) => {
                    having(app, scope, typed.code.clone(), lang).await?
                }
                _ => None,
            },
        })
    }
}

impl NewObjectForm for CouponForm {
    const NEW: Text = Lang::coupon_new;
    const LIST_TITLE: Text = Lang::coupons_title;
    const MAKE: Text = Lang::coupon_make;
    const MADE: Text = Lang::coupon_made;

    async fn make(&self, at: &FormVisit<CouponsWrite>, ticket: Ticket) -> Result<CouponId> {
        let made: Made = ask_to_create(&at.app, ticket, self.body()?).await?.read()?;
        Ok(made.coupon.id)
    }
}

/// The coupon that has a code already: its page, and what says so.
async fn having(
    app: &App,
    scope: Scope,
    code: String,
    lang: Lang,
) -> Result<Option<(String, String)>> {
    let find = async move |tx: &Tx| coupons::find_by_code(tx, scope, &code).await;
    let having = app.read(find).await?;
    Ok(having.map(|coupon| {
        let address = url(scope.mode, &format!("{LIST}/{}", coupon.id));
        (address, lang.coupon_taken(coupon.code))
    }))
}

/// The products that the form offers, by their names.
async fn offered(
    app: &App,
    scope: Scope,
    chosen: Vec<ProductId>,
    lang: Lang,
) -> Result<Vec<(ProductId, String)>> {
    let offer = offer(app, scope, None, chosen).await?;
    let known = offer.products.into_iter().map(|product| (product.id, product.name));
    let deleted = offer.deleted.into_iter().map(|(id, name)| (id, lang.product_deleted(name)));
    Ok(known.chain(deleted).collect())
}
