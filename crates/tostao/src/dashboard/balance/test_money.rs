//! What moves a withdrawal or an advance of test money on, and where: a merchant finishes neither
//! alone, because no account decides about its own money.

use crate::advances::Advance;
use crate::advances::status::Status as AdvanceStatus;
use crate::app::App;
use crate::dashboard::developers::clock::clock_pages::PAGE as CLOCK;
use crate::dashboard::shell::{admin_url, url};
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions};
use crate::withdrawals::Withdrawal;
use crate::withdrawals::status::Status;

/// What comes next for test money, and where that is done.
pub struct TestMoney {
    pub what: &'static str,
    /// The administrators' page, written out for those who have another account there.
    pub admin_page: Option<String>,
    /// Where the reader goes on.
    pub links: Vec<(String, &'static str)>,
}

/// The page that it is shown on.
pub struct Place<'a> {
    pub app: &'a App,
    pub scope: Scope,
    pub permissions: &'a Permissions,
    pub lang: Lang,
}

impl TestMoney {
    /// What comes next for a withdrawal of test money that has not ended.
    pub fn of_withdrawal(withdrawal: &Withdrawal, at: &Place<'_>) -> Option<Self> {
        let (id, lang) = (withdrawal.id, at.lang);
        match withdrawal.status {
            Status::Pending if withdrawal.processed_at.is_none() => {
                let guide = (lang.withdraw_test_guide_url().to_owned(), lang.withdraw_test_guide());
                at.waiting(&format!("/withdrawals/{id}"), vec![guide])
            }
            Status::Pending => at.timed(lang.test_money_sent()),
            Status::Completed | Status::Failed => None,
        }
    }

    /// What comes next for an advance of test money that has not ended.
    pub fn of_advance(advance: &Advance, at: &Place<'_>) -> Option<Self> {
        match advance.status {
            AdvanceStatus::Pending => at.waiting(&format!("/advances/{}", advance.id), Vec::new()),
            AdvanceStatus::Approved => at.timed(at.lang.test_money_advanced()),
            AdvanceStatus::Rejected | AdvanceStatus::Cancelled | AdvanceStatus::Settled => None,
        }
    }
}

impl Place<'_> {
    /// Waits for an administrator, at a page of theirs.
    fn waiting(&self, page: &str, links: Vec<(String, &'static str)>) -> Option<TestMoney> {
        let mode = self.test_mode()?;
        let admin_page = format!("{}{}", self.app.settings.base_url(), admin_url(mode, page));
        let what = self.lang.test_money_waits();
        Some(TestMoney { what, admin_page: Some(admin_page), links })
    }

    /// Goes on with the test clock, which those who may are led to.
    fn timed(&self, what: &'static str) -> Option<TestMoney> {
        let mode = self.test_mode()?;
        let may = self.permissions.contains(Permission::TransactionsWrite);
        let clock = may.then(|| (url(mode, CLOCK), self.lang.clock_title()));
        Some(TestMoney { what, admin_page: None, links: clock.into_iter().collect() })
    }

    fn test_mode(&self) -> Option<Mode> {
        Some(self.scope.mode).filter(|mode| mode.is_development())
    }
}
