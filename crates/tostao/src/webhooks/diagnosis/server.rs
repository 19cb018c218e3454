//! The way to a server: its name, its addresses, its certificate.

use db::time::Timestamp;
use outbound::examination::{Connection, Examination, TlsExamination};
use outbound::failure::Failure;
use outbound::target::Target;

use crate::app::App;
use crate::webhooks::diagnosis::finding::Finding;
use crate::webhooks::diagnosis::{Step, StepName};

/// From so many days before its end a certificate is warned of.
const ENDS_SOON_DAYS: u64 = 14;
const DAY: u64 = 24 * 3600;
const WWW: &str = "www.";

/// Examines a server; false if nothing can be sent to it.
pub async fn examine(app: &App, target: &Target, steps: &mut Vec<Step>) -> bool {
    let examination = match app.webhooks.examine(target).await {
        Ok(examination) => examination,
        Err(failure) => {
            let finding = match failure {
                Failure::Blocked => Finding::Blocked,
                _ => Finding::NoAddress { other: other_name(app, target).await },
            };
            steps.push(Step::new(StepName::Dns, finding, None));
            return false;
        }
    };
    let Examination { lookup, is_public, connections, tls } = examination;
    let finding = Finding::Resolved { addresses: connections.len() };
    let dns = Step::new(StepName::Dns, finding, Some(lookup));
    let addresses: Vec<_> = connections.iter().map(|one| one.address.to_string()).collect();
    steps.push(if is_public { dns.with_detail(addresses.join(", ")) } else { dns });
    let dead: Vec<_> = connections.iter().filter(|one| one.failure.is_some()).collect();
    let took = connections.iter().map(|one| one.took).max();
    let finding = match dead.first() {
        None => Finding::Connected,
        Some(_) if dead.len() == connections.len() => not_connected(target, &connections),
        Some(first) => Finding::PartlyConnected { dead: first.address.to_string() },
    };
    let is_reached = dead.len() < connections.len();
    steps.push(Step::new(StepName::Connect, finding, took));
    if let Some(tls) = tls {
        let finding = judge_tls(&tls, app.now());
        let is_good = tls.version.is_ok();
        steps.push(Step::new(StepName::Tls, finding, Some(tls.took)));
        return is_good;
    }
    is_reached
}

/// No address accepts a connection: on this machine, no program is there.
fn not_connected(target: &Target, connections: &[Connection]) -> Finding {
    let is_refused = |one: &Connection| {
        one.address.to_canonical().is_loopback() && one.failure == Some(Failure::Connect)
    };
    if connections.iter().all(is_refused) {
        Finding::NothingListens { port: target.port() }
    } else {
        Finding::NotConnected
    }
}

fn judge_tls(tls: &TlsExamination, now: Timestamp) -> Finding {
    let seconds = u64::try_from(now.seconds()).unwrap_or_default();
    let days = tls.expires_at.map(|end| end.saturating_sub(seconds) / DAY);
    match (tls.version, days) {
        (Err(fault), _) => Finding::TlsFailed(fault),
        (Ok(_), Some(days)) if days < ENDS_SOON_DAYS => Finding::CertificateEndsSoon { days },
        (Ok(version), _) => Finding::TlsGood { version },
    }
}

/// The name with or without `www.`, if that one has addresses.
async fn other_name(app: &App, target: &Target) -> Option<String> {
    let host = target.host();
    let other = match host.strip_prefix(WWW) {
        Some(bare) => bare.to_owned(),
        None => format!("{WWW}{host}"),
    };
    let policy = app.settings.webhook_policy();
    let there = Target::parse(&format!("https://{other}/"), policy).ok()?;
    app.webhooks.has_addresses(&there).await.then_some(other)
}
