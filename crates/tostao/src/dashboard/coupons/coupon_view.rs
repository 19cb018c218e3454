//! What the pages of a coupon show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::coupons::form::CouponFields;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::{Action, State, Switch};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// A coupon.
#[derive(Template)]
#[template(path = "dashboard/coupons/coupon.html")]
pub struct CouponPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub list_name: &'static str,
    pub name: String,
    pub state: State,
    pub why: String,
    pub facts: Vec<(&'static str, String)>,
    /// The names of the products that it is for; empty means all.
    pub products: Vec<String>,
    pub edit: Action,
    pub switch: Switch,
    pub delete: Action,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// The form of a coupon.
#[derive(Template)]
#[template(path = "dashboard/coupons/form.html")]
pub struct FormPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    /// Whether the coupon is new: then the kind of its discount is chosen.
    pub is_new: bool,
    pub code_hint: String,
    pub products_hint: String,
    pub fields: CouponFields,
    /// The coupon that has the code already, and what says so.
    pub taken: Option<(String, String)>,
}
