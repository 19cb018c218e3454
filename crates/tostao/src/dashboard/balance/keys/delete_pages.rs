//! The deletion of a payout key, whose label is typed to confirm it.

use db::tx::Tx;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::dashboard::balance::keys::list_pages::{API, LIST, asker};
use crate::dashboard::confirm::{Deletion, DeletionOf};
use crate::dashboard::deletion_pages::Deletable;
use crate::dashboard::form_pages::FormVisit;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::Section;
use crate::platform::error::Result;
use crate::platform::ids::{PayoutKeyId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::WithdrawalsWrite;
use crate::withdrawals::payout_keys::api::ask_to_delete;
use crate::withdrawals::payout_keys::{self, PayoutKey};

impl Deletable for PayoutKey {
    type Permission = WithdrawalsWrite;
    type Id = PayoutKeyId;

    const LIST: &'static str = LIST;
    const API: &'static str = API;
    const DELETED: Text = Lang::payout_key_was_deleted;

    async fn find(app: &App, scope: Scope, id: PayoutKeyId) -> Result<Self> {
        app.read(async move |tx: &Tx| payout_keys::find(tx, scope, id).await).await
    }

    fn deletion(&self, lang: Lang) -> Deletion {
        Deletion {
            section: Section::Balance,
            heading: lang.payout_key_delete_of(&self.label),
            back: lang.payout_keys_title(),
            effects: [lang.payout_key_delete_effect(), lang.payout_key_delete_stays()],
            name: self.label.clone(),
            button: lang.payout_key_delete_now(),
            of: DeletionOf::Saved,
        }
    }

    async fn ask(
        FormVisit { app, seat, visit }: &FormVisit<WithdrawalsWrite>,
        Ticket { key, .. }: Ticket,
        id: PayoutKeyId,
    ) -> Result<()> {
        ask_to_delete(app, &visit.context, asker(seat), key, id).await?;
        Ok(())
    }
}
