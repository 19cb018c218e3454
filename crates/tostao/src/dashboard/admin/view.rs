//! What the queues of administrators show, and the objects that they decide about.

use askama::Template;

use crate::app::App;
use crate::auth::seat::AdminSeat;
use crate::dashboard::admin::decide::DecideForm;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::parts::{NothingYet, Pager, State};
use crate::dashboard::shell::{Section, Shell};
use crate::dashboard::visit_pages::Visit;
use crate::platform::assets;
use crate::platform::error::{FieldError, Result};
use crate::platform::messages::Lang;

/// A queue.
#[derive(Template)]
#[template(path = "dashboard/admin/queue.html")]
pub struct QueuePage {
    pub lang: Lang,
    pub shell: Shell,
    pub heading: &'static str,
    pub notes: Vec<String>,
    /// Where else to look, and the names of that.
    pub links: Vec<(String, &'static str)>,
    pub caption: &'static str,
    /// The names of both columns.
    pub columns: (&'static str, &'static str),
    pub rows: Vec<QueueRow>,
    pub nothing: NothingYet,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// The words of a queue.
pub struct QueueWords {
    pub heading: &'static str,
    pub caption: &'static str,
    /// The heading in place of the rows where there are none, and what is said below it.
    pub empty: &'static str,
    pub note: &'static str,
}

/// What waits in a queue.
#[derive(Default)]
pub struct QueueRow {
    pub name: String,
    pub url: Option<String>,
    pub state: Option<State>,
    pub lines: Vec<String>,
    /// An amount, or how many.
    pub figure: String,
}

/// An object, what is known of it, and the decisions that there are.
#[derive(Template)]
#[template(path = "dashboard/admin/decision.html")]
pub struct DecisionPage {
    pub lang: Lang,
    pub shell: Shell,
    /// The queue, and its name.
    pub list: (String, &'static str),
    /// The address of the page.
    pub here: String,
    pub object: DecidedObject,
    /// Why nothing was done, where no field is the reason.
    pub refused: Option<&'static str>,
    pub wrong: Vec<WrongField>,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// An object that administrators decide about.
pub struct DecidedObject {
    pub heading: String,
    pub state: State,
    pub why: String,
    pub risks: Vec<RiskFact>,
    pub facts: Vec<(&'static str, String)>,
    pub decisions: Vec<DecisionForm>,
    /// The path of the same in the API.
    pub api_path: String,
}

/// What is known of an account.
pub struct RiskFact {
    pub name: &'static str,
    pub value: String,
    /// Where it asks for a look.
    pub state: Option<State>,
}

/// A decision, and what it asks for.
pub struct DecisionForm {
    /// The value of the form's action, and the id of its heading.
    pub action: &'static str,
    pub heading: &'static str,
    /// What follows from it.
    pub note: &'static str,
    pub button: &'static str,
    pub class: &'static str,
    pub fields: Vec<DecisionField>,
    /// Why it cannot be taken now.
    pub refused: Option<&'static str>,
}

/// A field of a decision.
pub struct DecisionField {
    pub id: String,
    /// The field of the body that it sets.
    pub name: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
    pub field: Field,
}

/// What was typed into a decision, what is wrong with it, and the language to say so in.
#[derive(Clone, Copy)]
pub struct Typed<'a> {
    pub form: &'a DecideForm,
    pub wrong: &'a [FieldError],
    pub lang: Lang,
}

impl QueuePage {
    /// A queue in its section before anything is read into it; each row has an amount.
    pub async fn of(
        app: &App,
        seat: &AdminSeat,
        visit: &Visit,
        section: Section,
        QueueWords { heading, caption, empty, note }: QueueWords,
    ) -> Result<Self> {
        let lang = visit.lang;
        Ok(Self {
            lang,
            shell: Shell::read(app, seat.holder, seat.mode, visit, section).await?,
            heading,
            notes: Vec::new(),
            links: Vec::new(),
            caption,
            columns: (lang.admin_what(), lang.home_amount()),
            rows: Vec::new(),
            nothing: NothingYet { heading: empty, note, step: None },
            pager: Pager::default(),
            api: Vec::new(),
        })
    }
}

impl DecisionForm {
    /// A decision without fields.
    pub fn new(
        action: &'static str,
        [heading, note, button]: [&'static str; 3],
        class: &'static str,
    ) -> Self {
        Self { action, heading, note, button, class, fields: Vec::new(), refused: None }
    }

    /// The same with one more field: its name in the body, its label and its hint.
    #[must_use]
    pub fn with(
        mut self,
        [name, label, hint]: [&'static str; 3],
        Typed { form, wrong, lang }: Typed<'_>,
    ) -> Self {
        let field = if form.action == self.action {
            form.judged(name, wrong, lang)
        } else {
            Field::default()
        };
        let id = format!("{}-{name}", self.action);
        self.fields.push(DecisionField { id, name, label, hint, field });
        self
    }

    /// The same, not to be taken now for a reason.
    #[must_use]
    pub fn unless(self, refused: Option<&'static str>) -> Self {
        Self { refused, ..self }
    }
}
