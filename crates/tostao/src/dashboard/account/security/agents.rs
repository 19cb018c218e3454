//! What a browser calls itself, as people know it.

use crate::platform::messages::Lang;

/// What an agent names, and how it is known; an earlier one includes the later ones' marks.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [(&str, &str); 6] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
];

/// The browser and the system that an agent names; the agent itself if it names none that is known.
pub fn name(agent: Option<&str>, lang: Lang) -> String {
    let Some(agent) = agent.filter(|agent| !agent.trim().is_empty()) else {
        return lang.security_unknown_agent().to_owned();
    };
    let known = |table: &[(&str, &'static str)]| {
        table.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name)
    };
    match (known(&BROWSERS), known(&SYSTEMS)) {
        (Some(browser), Some(system)) => lang.security_agent_on(browser, system),
        (Some(browser), None) => browser.to_owned(),
        _ => agent.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::name;
    use crate::platform::messages::Lang;

    #[test]
    fn a_browser_is_named_as_people_know_it() {
        let table = [
            (
                "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/130.0 Mobile Safari/537.36",
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.36 Edg/130.0",
                "Edge on Windows",
            ),
            ("curl/8.5.0", "curl/8.5.0"),
        ];
        for (agent, known) in table {
            assert_eq!(name(Some(agent), Lang::En), known);
        }
        assert_eq!(name(None, Lang::En), "Unknown browser");
    }
}
