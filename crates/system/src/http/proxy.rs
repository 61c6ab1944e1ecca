//! Proxies from variables that differ from the environment of the process.

use ureq::Proxy;

use super::HttpError;
use crate::types::value::Secret;

#[cfg(feature = "local")]
const PROXIES: [&str; 6] =
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/// The variables that name hosts without a proxy.
const NO_PROXY: [&str; 2] = ["no_proxy", "NO_PROXY"];

#[derive(Clone, Debug)]
pub(crate) struct ProxySettings {
    http: Option<NamedProxy>,
    https: Option<NamedProxy>,
    none_for: Option<String>,
}

/// A proxy and the variable that names it.
#[derive(Clone, Debug)]
struct NamedProxy {
    variable: &'static str,
    url: Secret<String>,
}

impl ProxySettings {
    /// Reads the proxy settings; `None` if the variables have none.
    ///
    /// If a variable names a proxy, the proxies of the process are ignored. Settings that the variables lack
    /// are taken from the process, unless its environment is hidden.
    #[cfg(feature = "local")]
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the local system, whose variables are those of the process"
    )]
    pub(crate) fn from_variables(
        variables: &[(String, Secret<String>)],
        hides_process: bool,
    ) -> Option<Self> {
        let variable_value = |wanted: &str| {
            let variable = variables.iter().find(|(name, _)| name == wanted);
            variable.map(|(_, value)| value.expose().clone())
        };
        let is_said = |names: &[&str]| names.iter().any(|name| variable_value(name).is_some());
        let names_one = is_said(&PROXIES);
        if !names_one && !is_said(&NO_PROXY) {
            return None;
        }
        let process = |name: &&str| {
            let is_hidden = hides_process || (names_one && PROXIES.contains(name));
            if is_hidden { None } else { std::env::var(name).ok() }
        };
        Some(Self::new(|names| {
            names.iter().find_map(|name| variable_value(name)).or_else(|| names.iter().find_map(process))
        }))
    }

    fn new(look_up: impl Fn(&[&str]) -> Option<String>) -> Self {
        let proxy_from = |variable: &'static str, names: &[&str]| {
            look_up(names).map(|url| NamedProxy { variable, url: Secret::new(url) })
        };
        let fallback = || proxy_from("all_proxy", &["all_proxy", "ALL_PROXY"]);
        Self {
            http: proxy_from("http_proxy", &["http_proxy", "HTTP_PROXY"]).or_else(fallback),
            https: proxy_from("https_proxy", &["https_proxy", "HTTPS_PROXY"]).or_else(fallback),
            none_for: look_up(&NO_PROXY),
        }
    }

    /// Returns the proxy for a scheme; `None` if there is none or its value is empty.
    ///
    /// An error does not show the proxy, as its URL may contain a password.
    pub(crate) fn proxy_of(&self, scheme: &str) -> Result<Option<Proxy>, HttpError> {
        let proxy_url = if scheme.eq_ignore_ascii_case("https") { &self.https } else { &self.http };
        let Some(NamedProxy { variable, url }) = proxy_url else { return Ok(None) };
        if url.expose().is_empty() {
            return Ok(None);
        }
        let bad = |_| {
            HttpError::Failed(format!("`{variable}` is not a proxy: write it like http://proxy.example:3128"))
        };
        let proxy = Proxy::new(url.expose()).map_err(bad)?;
        let Some(hosts) = &self.none_for else { return Ok(Some(proxy)) };
        let mut builder = Proxy::builder(proxy.protocol()).host(proxy.host()).port(proxy.port());
        if let Some(user) = proxy.username() {
            builder = builder.username(user);
        }
        if let Some(password) = proxy.password() {
            builder = builder.password(password);
        }
        for host in hosts.split(',').map(str::trim).filter(|host| !host.is_empty()) {
            builder = builder.no_proxy(host);
        }
        builder.build().map(Some).map_err(bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "local")]
    #[test]
    fn what_a_module_says_hides_what_the_process_says() {
        let chosen_from = |name: &str, value: &str| {
            ProxySettings::from_variables(&[(name.to_owned(), Secret::new(value.to_owned()))], true)
        };
        assert!(chosen_from("PATH", "/bin").is_none());
        assert_eq!(chosen_from("no_proxy", "x").unwrap().proxy_of("http").unwrap().map(|_| ()), None);
        let proxy = chosen_from("ALL_PROXY", "http://p.example:1").unwrap().proxy_of("https").unwrap();
        assert_eq!(proxy.map(|proxy| proxy.port()), Some(1));
    }

    #[test]
    fn which_proxy_is_asked() {
        let check = |variables: &[(&str, &str)], scheme: &str, expect: &str| {
            let chosen = ProxySettings::new(|names| {
                let value = |name: &&str| variables.iter().find(|(have, _)| have == name);
                names.iter().find_map(value).map(|(_, value)| (*value).to_owned())
            });
            let actual = match chosen.proxy_of(scheme) {
                Ok(None) => "none".to_owned(),
                Ok(Some(proxy)) => {
                    let user =
                        proxy.username().map(|user| format!("{user}:{}@", proxy.password().unwrap_or("")));
                    let skips = proxy.is_no_proxy(&"http://inside.example/".parse().unwrap());
                    let skips = if skips { " not inside" } else { "" };
                    format!("{}{}:{}{skips}", user.unwrap_or_default(), proxy.host(), proxy.port())
                }
                Err(error) => error.to_string(),
            };
            assert_eq!(actual, expect, "{variables:?} {scheme}");
        };
        let http = ("http_proxy", "http://p.example:3128");
        check(&[http], "http", "p.example:3128");
        check(&[http], "https", "none");
        check(&[("HTTPS_PROXY", "http://q.example:1")], "https", "q.example:1");
        check(&[("all_proxy", "http://a.example:2"), http], "https", "a.example:2");
        check(&[("all_proxy", "http://a.example:2"), http], "http", "p.example:3128");
        check(&[("http_proxy", "")], "http", "none");
        check(&[http, ("no_proxy", "other.example, .example")], "http", "p.example:3128 not inside");
        check(
            &[("http_proxy", "http://u:s3cret@p.example:9"), ("no_proxy", "x")],
            "http",
            "u:s3cret@p.example:9",
        );
        check(
            &[("http_proxy", "gopher://s3cret@p")],
            "http",
            "`http_proxy` is not a proxy: write it like http://proxy.example:3128",
        );
    }
}
