//! The figures on the first page: the last 30 days, with a chart.

use db::tx::Tx;

use crate::app::App;
use crate::dashboard::chart::{Chart, Form, Point, Series};
use crate::dashboard::figures::entries_pages::ENTRIES;
use crate::dashboard::parts::Figure;
use crate::dashboard::shell::url;
use crate::dashboard::transactions::filter::FilterForm;
use crate::dashboard::transactions::list_pages::LIST;
use crate::figures::api::{EntriesQuery, FigureName};
use crate::figures::period::Period;
use crate::figures::{self, ByMethod, Day};
use crate::platform::error::Result;
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::transactions::Method;

/// Figures beside each other, and what was sold by day.
pub struct Sales {
    pub figures: Vec<Figure>,
    /// `None` while nothing was sold.
    pub chart: Option<Chart>,
}

/// Reads the figures of the last 30 days.
pub async fn read(app: &App, scope: Scope, lang: Lang) -> Result<Sales> {
    let period = Period::read(None, None, scope.today(app.now()))?;
    let unit = async move |tx: &Tx| figures::read(tx, scope, period).await;
    let days = app.scan_for(scope.merchant, unit).await?;
    let (entries, money, payments) = figures::total(&days)?;
    let sum = |figure, label, cents, note: &'static str| {
        let list = EntriesQuery::of(figure, &entries).url(&url(scope.mode, ENTRIES));
        Figure { label, value: lang.money(cents), note: note.into(), list_url: Some(list) }
    };
    let note = lang.figure_30_days();
    let mut figures = vec![
        sum(FigureName::Sold, lang.figure_sold(), money.sold.get(), note),
        sum(FigureName::Refunded, lang.figure_refunded(), money.refunded.get(), note),
        sum(FigureName::Fees, lang.figure_fees(), money.fees.get(), note),
    ];
    figures.extend(pix(&payments, period, scope.mode, lang));
    Ok(Sales { figures, chart: chart(&days, lang) })
}

/// How much of the PIX that was issued was paid.
fn pix(payments: &ByMethod, period: Period, mode: Mode, lang: Lang) -> Option<Figure> {
    let [pix, ..] = payments;
    if pix.issued == 0 {
        return None;
    }
    let form = FilterForm {
        method: Method::Pix.name().to_owned(),
        from: period.from.to_string(),
        to: period.to.to_string(),
        ..FilterForm::default()
    };
    Some(Figure {
        label: lang.figure_pix_paid(),
        value: lang.figure_of(pix.paid, pix.issued),
        note: lang.figure_30_days().into(),
        list_url: Some(form.url(&url(mode, LIST))),
    })
}

fn chart(days: &[Day], lang: Lang) -> Option<Chart> {
    let point = |day: &Day| {
        let value = day.money.money.sold.get();
        Point { value, shown: lang.money(value) }
    };
    let series = Series {
        name: lang.figure_sold().to_owned(),
        form: Form::Bars,
        points: days.iter().map(point).collect(),
    };
    let labels = days.iter().map(|day| lang.date(day.money.day)).collect();
    let (title, row) = (lang.figure_chart().to_owned(), lang.figure_day().to_owned());
    Chart::draw(title, row, labels, vec![series])
}
