//! How a connection stands, in words.

use db::time::Timestamp;
use rails::profile::{Environment, RailKind};
use rails::trouble::Trouble;

use crate::connections::RoutedConnection;
use crate::dashboard::parts::{State, Tone};
use crate::platform::messages::Lang;
use crate::providers::connections::StoredConnection;
use crate::providers::connections::problem::Problem;

/// The state of a connection.
pub fn state(connection: &StoredConnection, lang: Lang) -> State {
    let (tone, word) = if connection.disabled_at.is_some() {
        (Tone::Off, lang.admin_connection_off())
    } else if connection.problem.is_some() {
        (Tone::Bad, lang.admin_connection_problem())
    } else if connection.checked_at.is_none() {
        (Tone::Wait, lang.admin_connection_unchecked())
    } else {
        (Tone::Good, lang.admin_connection_works())
    };
    State { tone, word }
}

/// Why it stands so.
pub fn why(connection: &StoredConnection, lang: Lang) -> String {
    match (connection.disabled_at, &connection.problem, connection.checked_at) {
        (Some(at), ..) => lang.admin_connection_off_why(lang.date_time(at.micros())),
        (None, Some(problem), _) => trouble(problem, lang),
        (None, None, Some(at)) => lang.admin_connection_works_why(lang.date_time(at.micros())),
        (None, None, None) => lang.admin_connection_unchecked_why().to_owned(),
    }
}

/// What is wrong; every reason is matched by name, so a new one does not compile without its words.
fn trouble(problem: &Problem, lang: Lang) -> String {
    let subject = problem.subject.as_deref().unwrap_or_default();
    let Some(reason) = problem.reason else { return lang.trouble_unnamed().to_owned() };
    let text = match reason {
        Trouble::Unreachable => lang.trouble_unreachable(),
        Trouble::ServerCertificate => lang.trouble_server_certificate(),
        Trouble::RateLimited => lang.trouble_rate_limited(),
        Trouble::Busy => lang.trouble_busy(),
        Trouble::LeftAlone => lang.trouble_left_alone(),
        Trouble::NoToken => lang.trouble_no_token(),
        Trouble::Certificate => lang.trouble_certificate(),
        Trouble::Credentials => lang.trouble_credentials(),
        Trouble::Permission => lang.trouble_permission(),
        Trouble::Proxy => lang.trouble_proxy(),
        Trouble::Setup => lang.trouble_setup(),
        Trouble::Refused if subject.is_empty() => lang.trouble_refused(),
        Trouble::Refused => return lang.trouble_refused_with(subject),
        Trouble::Unanswered => lang.trouble_unanswered(),
        Trouble::MissingPermissions => return lang.trouble_permissions(subject),
        Trouble::PublicKey => lang.trouble_public_key(),
        Trouble::NoNotices => lang.trouble_no_notices(),
        Trouble::NoticesElsewhere => lang.trouble_notices_elsewhere(),
    };
    text.to_owned()
}

/// What the words leave out of a failed call, such as the status of its answer.
fn detail(problem: &Problem) -> Option<String> {
    let is_all_said = matches!(
        problem.reason,
        Some(
            Trouble::MissingPermissions
                | Trouble::PublicKey
                | Trouble::NoNotices
                | Trouble::NoticesElsewhere
        )
    );
    (!is_all_said || problem.is_of_two_kinds()).then(|| problem.text.clone())
}

/// The rails whose new charges or payouts go to it.
pub fn rails(routed: &RoutedConnection, lang: Lang) -> String {
    if routed.routes.is_empty() {
        return lang.admin_no_rail().to_owned();
    }
    let names: Vec<_> = routed.routes.iter().map(|rail| self::rail(*rail, lang)).collect();
    names.join(", ")
}

fn rail(rail: RailKind, lang: Lang) -> &'static str {
    match rail {
        RailKind::Pix => lang.pix(),
        RailKind::Boleto => lang.boleto(),
        RailKind::Card => lang.admin_rail_card(),
        RailKind::Payout => lang.admin_rail_payout(),
    }
}

/// The facts of a connection, without what is secret.
pub fn facts(routed: &RoutedConnection, lang: Lang) -> Vec<(&'static str, String)> {
    let connection = &routed.connection;
    let environment = match connection.environment {
        Environment::Production => lang.admin_real_money(),
        Environment::Sandbox => lang.admin_test_money(),
    };
    let date = |at: Timestamp| lang.date_time(at.micros());
    let certificate = connection.certificate.as_ref();
    let problem = connection.problem.as_ref().filter(|_| connection.disabled_at.is_none());
    let facts = [
        (lang.admin_profile(), Some(connection.profile.clone())),
        (lang.admin_environment(), Some(environment.to_owned())),
        (lang.admin_rails(), Some(rails(routed, lang))),
        (lang.admin_certificate_ends(), certificate.map(|one| date(one.not_after))),
        (lang.admin_checked_at(), connection.checked_at.map(date)),
        (lang.admin_added_at(), Some(date(connection.created_at))),
        (lang.trouble_detail(), problem.and_then(detail)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

#[cfg(test)]
mod tests {
    use rails::connection::{Health, Lack};

    use super::detail;
    use crate::providers::connections::problem::Problem;

    #[test]
    fn what_is_missing_is_shown_as_it_came_only_where_the_words_name_a_part_of_it() {
        let shown = |missing: Vec<Lack>| {
            let health = Health { missing, ..Health::default() };
            detail(&Problem::of(&Ok(health), "/").expect("has a problem"))
        };
        let permission = |name: &str| Lack::Permission(name.to_owned());
        assert_eq!(shown(vec![permission("pix.send"), permission("cob.write")]), None);
        assert_eq!(shown(vec![Lack::PublicKey]), None);
        let both = "the application has no permission pix.send; the public key is not accepted";
        let missing = vec![permission("pix.send"), Lack::PublicKey];
        assert_eq!(shown(missing).as_deref(), Some(both));
    }
}
