//! What a change of the server's secret leaves to be done.

use anyhow::{bail, ensure};

use crate::commands::{open_existing, say, user_error};
use crate::platform::config::Settings;
use crate::platform::secrets::SealCount;
use crate::resealing::reseal as reseal_all;

/// Seals everything that is stored again with the present secret, and says what is left.
pub async fn reseal(settings: Settings) -> anyhow::Result<()> {
    ensure!(
        settings.secret_key_previous.is_some(),
        "TOSTAO_SECRET_KEY_PREVIOUS is not set: there is no previous secret to decrypt with"
    );
    let app = open_existing(settings, "nothing can be resealed").await?;
    let resealed = reseal_all(&app).await.map_err(user_error)?;
    print_counts("webhooks", resealed.webhooks)?;
    print_counts("stored responses", resealed.responses)?;
    print_counts("secrets of connections", resealed.connections)?;
    print_counts("second steps", resealed.second_steps)?;
    print_counts("links of waiting mails", resealed.mails)?;
    let left = reseal_all(&app).await.map_err(user_error)?;
    let all = left.total();
    if all.previous > 0 {
        bail!("a server still seals with the previous secret; stop it, then run this again");
    }
    let lost = all.unknown;
    ensure!(
        lost == 0,
        "neither secret opens {lost} of them: TOSTAO_SECRET_KEY_PREVIOUS must be the secret that \
         sealed them, which is still needed"
    );
    say("Nothing stored needs TOSTAO_SECRET_KEY_PREVIOUS any more. Addresses that were given out \
         under the earlier secret open until it is removed, access tokens for 15 minutes.")
}

fn print_counts(what: &str, found: SealCount) -> anyhow::Result<()> {
    let SealCount { current, previous, unknown } = found;
    say(&format!(
        "{what}: {previous} resealed, {current} already sealed with the current secret, {unknown} \
         that neither secret opens"
    ))
}
