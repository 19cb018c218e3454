//! The `mail_preferences` table.

use db::args;
use db::tx::Tx;

use crate::mail::Kind;
use crate::mail::preferences::Switch;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, PersonId};

pub async fn find(
    tx: &Tx,
    (merchant, person): (MerchantId, PersonId),
    kind: Kind,
) -> Result<Option<Switch>> {
    let row = tx
        .opt(
            "select is_on
               from mail_preferences
              where merchant_id = $1 and person_id = $2 and kind = $3",
            args![merchant, person, kind],
        )
        .await?;
    row.map(|mut row| Ok(switch(row.take()?))).transpose()
}

pub async fn list(
    tx: &Tx,
    (merchant, person): (MerchantId, PersonId),
) -> Result<Vec<(Kind, Switch)>> {
    let rows = tx
        .all(
            "select kind, is_on from mail_preferences where merchant_id = $1 and person_id = $2",
            args![merchant, person],
        )
        .await?;
    let mut chosen = Vec::new();
    for mut row in rows {
        let (kind, is_on): (String, bool) = (row.take()?, row.take()?);
        // A version after this one may have a kind that this one does not know.
        chosen.extend(Kind::parse(&kind).map(|kind| (kind, switch(is_on))));
    }
    Ok(chosen)
}

pub async fn put(
    tx: &Tx,
    (merchant, person): (MerchantId, PersonId),
    kind: Kind,
    switch: Switch,
) -> Result<()> {
    tx.exec(
        "insert into mail_preferences (merchant_id, person_id, kind, is_on, changed_at)
         values ($1, $2, $3, $4, $5)
             on conflict (merchant_id, person_id, kind) do update
            set is_on = excluded.is_on, changed_at = excluded.changed_at",
        args![merchant, person, kind, switch == Switch::On, tx.now()],
    )
    .await?;
    Ok(())
}

pub async fn delete_of_person(tx: &Tx, person: PersonId) -> Result<()> {
    tx.exec("delete from mail_preferences where person_id = $1", args![person]).await?;
    Ok(())
}

pub async fn delete_of_account(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec("delete from mail_preferences where merchant_id = $1", args![merchant]).await?;
    Ok(())
}

fn switch(is_on: bool) -> Switch {
    if is_on { Switch::On } else { Switch::Off }
}
