//! The form of a plan: a new one, and one that is changed.

use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::dashboard::form::{Faults, faults};
use crate::dashboard::form_pages::{Drawing, FormVisit, NewObjectForm, ObjectForm};
use crate::dashboard::parts::{NamedChoice, NamedSelect, Text};
use crate::dashboard::products::offer::offer;
use crate::dashboard::shell::Section;
use crate::dashboard::subscriptions::act_pages::plan_of;
use crate::dashboard::subscriptions::paths::{PLANS, PLANS_API};
use crate::dashboard::subscriptions::plans::form::{PlanForm, SHOWN};
use crate::dashboard::subscriptions::plans::plan_words as words;
use crate::dashboard::subscriptions::plans::view::FormPage;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{PlanId, ProductId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::SubscriptionsWrite;
use crate::subscriptions::plans::Plan;
use crate::subscriptions::plans::api::{ask_to_create, ask_to_update};

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    data: MadePlan,
}

#[derive(Debug, Deserialize)]
struct MadePlan {
    id: PlanId,
}

impl ObjectForm for PlanForm {
    type Permission = SubscriptionsWrite;
    type Id = PlanId;
    type Object = Plan;
    type Page = FormPage;

    const SHOWN: &'static [&'static str] = &SHOWN;
    const LIST: &'static str = PLANS;
    const API: &'static str = PLANS_API;
    const BACK: Text = Lang::plan_back;
    const SAVE: Text = Lang::client_save;
    const SAVED: Text = Lang::plan_saved;

    async fn find(app: &App, scope: Scope, id: PlanId) -> Result<Plan> {
        plan_of(app, scope, id).await
    }

    fn heading(plan: &Plan, lang: Lang) -> String {
        lang.coupon_edit_of(&plan.name)
    }

    fn stored(at: &FormVisit<SubscriptionsWrite>, plan: &Plan) -> Self {
        Self::of(plan, at.visit.lang)
    }

    async fn save(
        &self,
        at: &FormVisit<SubscriptionsWrite>,
        ticket: Ticket,
        plan: &Plan,
        drawn: &Self,
    ) -> Result<()> {
        ask_to_update(&at.app, ticket, plan.id, self.changes(drawn)?).await?;
        Ok(())
    }

    fn faults(error: Error, lang: Lang) -> Result<Faults> {
        match error {
            Error::Refused(ErrorCode::PlanFull, _) => Ok((Vec::new(), Some(lang.plan_too_many()))),
            error => faults(error, lang),
        }
    }

    async fn page(
        at: &FormVisit<SubscriptionsWrite>,
        plan: Option<&Plan>,
        Drawing { mut frame, typed, wrong, .. }: Drawing<'_, Self>,
    ) -> Result<FormPage> {
        let lang = at.visit.lang;
        let products = products(&at.app, at.seat.scope, typed.product(), lang).await?;
        let fields = typed.fields(products, wrong, lang);
        frame.wrong = fields.wrong(lang);
        Ok(FormPage {
            lang,
            shell: at.shell(Section::Subscriptions).await?,
            frame,
            interval: plan.map(|plan| words::interval(plan.interval)(lang)),
            fields,
        })
    }
}

impl NewObjectForm for PlanForm {
    const NEW: Text = Lang::plan_new;
    const LIST_TITLE: Text = Lang::plans_title;
    const MAKE: Text = Lang::plan_make;
    const MADE: Text = Lang::plan_made;

    async fn make(&self, at: &FormVisit<SubscriptionsWrite>, ticket: Ticket) -> Result<PlanId> {
        let made: Made = ask_to_create(&at.app, ticket, self.body()?).await?.read()?;
        Ok(made.data.id)
    }
}

/// The products that the form offers, and none.
async fn products(
    app: &App,
    scope: Scope,
    chosen: Option<ProductId>,
    lang: Lang,
) -> Result<NamedSelect> {
    let offer = offer(app, scope, None, chosen.into_iter().collect()).await?;
    let known = offer.products.into_iter().map(|product| (product.id, product.name));
    let deleted = offer.deleted.into_iter().map(|(id, name)| (id, lang.product_deleted(name)));
    let choice = |(id, name): (ProductId, String)| NamedChoice {
        is_chosen: Some(id) == chosen,
        value: id.to_string(),
        name,
    };
    let none = NamedChoice {
        value: String::new(),
        name: lang.plan_no_product().to_owned(),
        is_chosen: chosen.is_none(),
    };
    let choices = [none].into_iter().chain(known.chain(deleted).map(choice)).collect();
    Ok(NamedSelect { choices, error: None })
}
