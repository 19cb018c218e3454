//! What the form of a link shows.

use std::borrow::Cow;

use askama::Template;

use crate::checkout::views::OrderView;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::links::form::{LinkForm, row_names};
use crate::dashboard::parts::Choice;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::error::FieldError;
use crate::platform::messages::Lang;
use crate::products::items::ENTRIES_MAX;

/// The numbers of installments, and no installment without interest.
const COUNTS: [&str; 13] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
const PIX: &str = "settings.pixEnabled";
/// The fewest rows of products that the form has.
const ROWS_MIN: usize = 4;

/// The form that makes a link, or changes one.
#[derive(Template)]
#[template(path = "dashboard/links/form.html")]
pub struct FormPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    /// Whether the mode has a bank or an acquirer.
    pub takes_payments: bool,
    /// Whether the checkout can be looked at first.
    pub has_preview: bool,
    pub preview: Option<OrderView>,
    pub fields: LinkFields,
}

/// The fields as they were typed, with what is wrong with them.
pub struct LinkFields {
    pub title: Field,
    pub amount: Field,
    pub ways: Vec<Tick>,
    /// Empty if there is none.
    pub ways_error: &'static str,
    pub max_installments: Select,
    pub interest_free: Select,
    pub rate: Field,
    pub products: ProductFields,
    pub stock: Field,
    pub expires: Field,
    pub redirect: Field,
    pub pixel: Field,
    pub description: Field,
    pub product_description: Field,
    pub asks: Vec<Tick>,
    pub is_open: Open,
}

/// Which parts of the form are open: those that say anything.
#[expect(clippy::struct_excessive_bools, reason = "each part opens by itself")]
pub struct Open {
    pub parts: bool,
    pub products: bool,
    pub stock: bool,
    pub end: bool,
    pub after: bool,
    pub more: bool,
}

/// A box to tick; its name is its id, too.
pub struct Tick {
    pub name: &'static str,
    pub label: &'static str,
    pub is_ticked: bool,
}

/// A choice among values, and its error.
pub struct Select {
    pub choices: Vec<Choice>,
    pub error: Option<String>,
}

/// What a link can sell.
pub enum ProductFields {
    /// The merchant has no product.
    None,
    Rows(Vec<ProductRow>),
}

/// A row of products.
pub struct ProductRow {
    pub product: String,
    pub quantity: String,
    pub choices: Vec<ProductChoice>,
    pub count: Field,
    pub error: Option<String>,
}

/// A product to choose.
#[derive(Debug, Clone)]
pub struct ProductChoice {
    pub id: String,
    pub name: String,
    pub is_chosen: bool,
    /// A deleted product is offered only in the row that has it.
    pub is_deleted: bool,
}

impl LinkFields {
    /// The fields of a form, whose rows offer these products.
    pub fn new(
        form: &LinkForm,
        offered: &[ProductChoice],
        wrong: &[FieldError],
        lang: Lang,
    ) -> Self {
        let field = |name, value: &str| Field::judged(name, value, wrong, lang);
        let is_wrong = |name: &str| wrong.iter().any(|wrong| wrong.field == name);
        let (max, free) = ("settings.maxInstallments", "settings.interestFreeInstallments");
        let fields = Self {
            title: field("title", &form.title),
            amount: field("amountCents", &form.amount_cents),
            ways: ways(form, lang),
            ways_error: if is_wrong(PIX) { lang.links_no_way() } else { "" },
            max_installments: Select {
                choices: counts(1, &form.max_installments),
                error: field(max, "").error,
            },
            interest_free: Select {
                choices: counts(0, &form.interest_free),
                error: field(free, "").error,
            },
            rate: field("settings.interestRate", &form.interest_rate),
            products: product_rows(form, offered, wrong, lang),
            stock: field("stockQuantity", &form.stock_quantity),
            expires: field("expiresAt", &form.expires_at),
            redirect: field("redirectUrl", &form.redirect_url),
            pixel: field("metaPixelCode", &form.meta_pixel_code),
            description: field("description", &form.description),
            product_description: field("productDescription", &form.product_description),
            asks: asks(form, lang),
            is_open: Open {
                parts: form.max_installments != "1" || !form.interest_rate.is_empty(),
                products: !form.rows().is_empty(),
                stock: false,
                end: false,
                after: false,
                more: !form.require_phone.is_empty() || !form.require_address.is_empty(),
            },
        };
        fields.opened()
    }

    /// Opens the parts whose fields are filled in or wrong.
    fn opened(mut self) -> Self {
        let says = |field: &Field| !field.value.is_empty() || field.error.is_some();
        let is_wrong = |select: &Select| select.error.is_some();
        let open = &mut self.is_open;
        open.parts |= says(&self.rate) || is_wrong(&self.max_installments);
        open.parts |= is_wrong(&self.interest_free);
        open.stock = says(&self.stock);
        open.end = says(&self.expires);
        open.after = says(&self.redirect) || says(&self.pixel);
        open.more |= says(&self.description) || says(&self.product_description);
        if let ProductFields::Rows(rows) = &self.products {
            open.products |= rows.iter().any(|row| row.error.is_some());
        }
        self
    }

    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let select = |select: &Select, id, label| {
            let message = select.error.clone()?;
            Some(WrongField { id: Cow::Borrowed(id), label, message })
        };
        let no_way = Some(self.ways_error.to_owned()).filter(|error| !error.is_empty());
        let (max, free) = ("settings.maxInstallments", "settings.interestFreeInstallments");
        let mut found = vec![
            self.title.wrong("title", lang.links_title_field()),
            self.amount.wrong("amountCents", lang.links_price()),
            no_way.map(|message| WrongField { id: PIX.into(), label: lang.links_ways(), message }),
            select(&self.max_installments, max, lang.links_up_to()),
            select(&self.interest_free, free, lang.links_free_up_to()),
            self.rate.wrong("settings.interestRate", lang.links_rate()),
            self.stock.wrong("stockQuantity", lang.links_stock_field()),
            self.expires.wrong("expiresAt", lang.links_until()),
            self.redirect.wrong("redirectUrl", lang.links_redirect()),
            self.pixel.wrong("metaPixelCode", lang.links_pixel()),
            self.description.wrong("description", lang.links_description()),
            self.product_description.wrong("productDescription", lang.links_about()),
        ];
        if let ProductFields::Rows(rows) = &self.products {
            for row in rows {
                let (id, label) = (row.product.clone().into(), lang.links_product());
                let error = row.error.clone();
                found.push(error.map(|message| WrongField { id, label, message }));
                found.push(row.count.wrong(row.quantity.clone(), lang.links_quantity()));
            }
        }
        found.into_iter().flatten().collect()
    }
}

fn ways(form: &LinkForm, lang: Lang) -> Vec<Tick> {
    let tick = |name, label, sent: &str| Tick { name, label, is_ticked: !sent.is_empty() };
    vec![
        tick(PIX, lang.pix(), &form.pix),
        tick("settings.boletoEnabled", lang.boleto(), &form.boleto),
        tick("settings.creditCardEnabled", lang.card(), &form.card),
    ]
}

fn asks(form: &LinkForm, lang: Lang) -> Vec<Tick> {
    let tick = |name, label, sent: &str| Tick { name, label, is_ticked: !sent.is_empty() };
    vec![
        tick("settings.requirePhone", lang.links_ask_phone(), &form.require_phone),
        tick("settings.requireAddress", lang.links_ask_address(), &form.require_address),
    ]
}

fn counts(least: usize, chosen: &str) -> Vec<Choice> {
    let choice =
        |count: &&'static str| Choice { value: count, name: count, is_chosen: *count == chosen };
    COUNTS[least..].iter().map(choice).collect()
}

/// The rows that are filled in, and at least an empty one after them.
fn product_rows(
    form: &LinkForm,
    offered: &[ProductChoice],
    wrong: &[FieldError],
    lang: Lang,
) -> ProductFields {
    let sent = form.rows();
    if offered.is_empty() && sent.is_empty() {
        return ProductFields::None;
    }
    let row = |index| {
        let (product, quantity) = row_names(index);
        let (id, count) = sent.get(index).copied().unwrap_or_default();
        let chosen =
            |choice: &ProductChoice| ProductChoice { is_chosen: choice.id == id, ..choice.clone() };
        let choices = offered.iter().map(chosen);
        // What is wrong with the whole list is said at its first row.
        let whole =
            if index == 0 { Field::judged("products", "", wrong, lang).error } else { None };
        ProductRow {
            choices: choices.filter(|choice| choice.is_chosen || !choice.is_deleted).collect(),
            count: Field::judged(&quantity, count, wrong, lang),
            error: Field::judged(&product, "", wrong, lang).error.or(whole),
            product,
            quantity,
        }
    };
    // A row for one more, unless the link has as many as it can have.
    let rows = (sent.len() + 1).min(ENTRIES_MAX).max(sent.len()).max(ROWS_MIN);
    ProductFields::Rows((0..rows).map(row).collect())
}
