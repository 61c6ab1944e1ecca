//! The files that declare a repository for apt.

use converge_sdk::system::Url;

use crate::package::openpgp::PublicKeys;

/// The declaration of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    pub(super) name: String,
    pub(super) uris: Vec<String>,
    pub(super) suites: Vec<String>,
    pub(super) components: Vec<String>,
    pub(super) architectures: Vec<String>,
    pub(super) priority: Option<i32>,
    pub(super) proxy: Option<String>,
}

/// The schemes of repository URIs that apt supports.
const SCHEMES: [&str; 6] = ["https://", "http://", "file:", "copy:", "mirror+https://", "mirror+file:"];

impl Repository {
    /// Returns the paths of the files for the repository, its priority, and its proxy.
    pub(super) fn paths(name: &str) -> [String; 3] {
        [
            format!("/etc/apt/sources.list.d/{name}.sources"),
            format!("/etc/apt/preferences.d/{name}.pref"),
            format!("/etc/apt/apt.conf.d/90-{name}-proxy.conf"),
        ]
    }

    /// Returns the field that is invalid in such a file, and the reason.
    pub(super) fn validate(&self) -> Result<(), (&'static str, String)> {
        let is_word = |word: &String| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
        let lists: [(&'static str, &[String], bool); 4] = [
            ("uris", &self.uris, true),
            ("suites", &self.suites, true),
            ("components", &self.components, false),
            ("architectures", &self.architectures, false),
        ];
        for (field, words, is_needed) in lists {
            if is_needed && words.is_empty() {
                return Err((field, "there is none".to_owned()));
            }
            if let Some(word) = words.iter().find(|word| !is_word(word)) {
                return Err((field, format!("{word:?} is not one word of ASCII letters")));
            }
        }
        if let Some(uri) = self.uris.iter().find(|uri| !SCHEMES.iter().any(|scheme| uri.starts_with(scheme)))
        {
            return Err(("uris", format!("{uri:?} begins with none of {}", SCHEMES.join(" "))));
        }
        if let Some(proxy) = &self.proxy {
            let is_proxy = proxy == "DIRECT" || proxy.parse::<Url>().is_ok();
            if !is_proxy || proxy.contains(['"', '\\']) {
                return Err(("proxy", format!("{proxy:?} is neither a URL nor DIRECT")));
            }
        }
        if (self.priority.is_some() || self.proxy.is_some()) && self.hosts().is_empty() {
            let field = if self.priority.is_some() { "priority" } else { "proxy" };
            return Err((field, "it goes by the host of the repository, and `uris` has none".to_owned()));
        }
        Ok(())
    }

    /// Returns the hosts of the repository, without their ports, each once.
    fn hosts(&self) -> Vec<&str> {
        let host = |uri: &'_ String| -> Option<(usize, usize)> {
            let from = uri.find("://")? + 3;
            let end = uri.get(from..)?.find(['/', ':']).map_or(uri.len(), |end| from + end);
            (end > from).then_some((from, end))
        };
        let mut hosts: Vec<&str> = Vec::new();
        for uri in &self.uris {
            if let Some(name) = host(uri).and_then(|(from, end)| uri.get(from..end))
                && !hosts.contains(&name)
            {
                hosts.push(name);
            }
        }
        hosts
    }

    /// Returns the texts of the three files; `None` for a file that is not needed.
    pub(super) fn texts(&self, keys: &PublicKeys) -> [Option<String>; 3] {
        let line = |field: &str, words: &[String]| format!("{field}: {}\n", words.join(" "));
        let mut sources = format!("Types: deb\n{}{}", line("URIs", &self.uris), line("Suites", &self.suites));
        for (field, words) in [("Components", &self.components), ("Architectures", &self.architectures)] {
            if !words.is_empty() {
                sources.push_str(&line(field, words));
            }
        }
        sources.push_str("Signed-By:\n");
        for line in keys.armoured().lines() {
            // An empty line would end the stanza, so the line starts with a space.
            sources.push(' ');
            sources.push_str(if line.is_empty() { "." } else { line });
            sources.push('\n');
        }
        let preference = |host: &&str| {
            format!(
                "Package: *\nPin: origin \"{host}\"\nPin-Priority: {}\n",
                self.priority.unwrap_or_default()
            )
        };
        let preferences: Vec<String> = self.hosts().iter().map(preference).collect();
        let proxy = self.proxy.as_ref().map(|proxy| {
            let line = |host: &&str| {
                format!(
                    "Acquire::http::Proxy::{host} \"{proxy}\";\nAcquire::https::Proxy::{host} \"{proxy}\";\n"
                )
            };
            self.hosts().iter().map(line).collect()
        });
        [Some(sources), self.priority.map(|_| preferences.join("\n")), proxy]
    }
}

pub(super) fn key_in(sources: &str) -> Option<String> {
    let mut lines = sources.lines().skip_while(|line| !line.eq_ignore_ascii_case("signed-by:"));
    lines.next()?;
    let mut key = String::new();
    for line in lines.take_while(|line| line.starts_with(' ')) {
        key.push_str(if line.trim() == "." { "" } else { line.trim() });
        key.push('\n');
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::openpgp::samples;

    fn repository() -> Repository {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Repository {
            name: "it".to_owned(),
            uris: words(&["https://deb.example.com:8443/debian", "http://deb.example.com/other"]),
            suites: words(&["bookworm"]),
            components: words(&["main", "contrib"]),
            architectures: words(&["amd64"]),
            priority: Some(-10),
            proxy: Some("http://proxy.example.com:3128".to_owned()),
        }
    }

    #[test]
    fn files_of_a_repository() {
        let keys = PublicKeys::read(samples::ONE.as_bytes()).unwrap();
        let texts = repository().texts(&keys).map(Option::unwrap_or_default);
        insta::assert_snapshot!(texts.join("--\n"));
        assert_eq!(key_in(&texts[0]).as_deref(), Some(samples::ONE));
        let minimal = Repository { priority: None, proxy: None, ..repository() };
        let texts = minimal.texts(&keys);
        assert_eq!((&texts[1], &texts[2]), (&None, &None));
        assert_eq!(key_in("Types: deb\nSigned-By: /etc/apt/keyrings/it.gpg\n"), None);
    }

    #[test]
    fn what_is_refused() {
        let check = |change: fn(&mut Repository), field: &str| {
            let mut repository = repository();
            change(&mut repository);
            assert_eq!(repository.validate().map_err(|(field, _)| field), Err(field));
        };
        assert_eq!(repository().validate(), Ok(()));
        check(|repo| repo.uris.clear(), "uris");
        check(|repo| repo.uris = vec!["ftp://example.com".to_owned()], "uris");
        check(|repo| repo.uris = vec!["https://a b".to_owned()], "uris");
        check(|repo| repo.suites.clear(), "suites");
        check(|repo| repo.suites = vec!["a\nTypes: deb-src".to_owned()], "suites");
        check(|repo| repo.components = vec![String::new()], "components");
        check(|repo| repo.architectures = vec!["a b".to_owned()], "architectures");
        check(|repo| repo.proxy = Some("http://a\"; DPkg::Pre-Invoke {\"x\"".to_owned()), "proxy");
        check(|repo| repo.uris = vec!["file:/srv/repository".to_owned()], "priority");
    }
}
