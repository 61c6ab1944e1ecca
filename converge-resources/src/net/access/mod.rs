//! Who asks a server, and how the two know each other: what everything has that makes requests.

#[cfg(test)]
mod tests;

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use converge_core::footprint::Names;
use converge_core::prelude::*;
use converge_core::schema::{Kind, Shape};
use converge_core::system::{HttpRequest, Identity, Url};
use converge_core::value::{Conversion, FieldError};

use crate::invalid::invalid;
use crate::text::Text;

/// The most bytes of a file with certificates or a key.
const MOST: u64 = 1 << 20;

/// Fields of what asks a server.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct Access {
    /// Who asks: `{ token = param.token }`, which is sent as `Authorization: Bearer ..`, or `{ username = "deploy", password =
    /// param.password }` (basic authentication). It is sent over https alone, but for what `insecure` says of this machine, and to no other
    /// server where one redirects.
    auth: Option<Auth>,
    /// The authorities that servers are trusted by, and no others: a file with their certificates (PEM), or the text of them. It is those of the machine when
    /// nothing else is given.
    #[hcl(needs = "path")]
    ca: Option<Pem>,
    /// The certificate (PEM) by which the server knows who asks, with those between it and an authority: a file, or the text. No other
    /// server is shown it where one redirects.
    #[hcl(needs = "path", required_together = "client_cert,client_key")]
    client_cert: Option<Pem>,
    /// The key of `client_cert` (PEM), without a password: a file, or the text as a sensitive value.
    #[hcl(needs = "path", required_together = "client_cert,client_key")]
    client_key: Option<Pem>,
    /// Whether the server may have any certificate. Whoever is in between can then read and change everything, so it has to be said twice, with
    /// `accept_unverified` too. Other servers, to which it redirects, may not. Over http it lets secrets be sent to this machine (`localhost` and
    /// addresses such as `127.0.0.1`): another user of it may listen there while the service does not.
    #[hcl(default)]
    insecure: bool,
    /// Says once more that nobody knows who the server is.
    #[hcl(default)]
    accept_unverified: bool,
}

/// Who asks.
#[derive(Debug, HclBlock)]
struct Auth {
    /// The name of a user.
    #[hcl(
        nonempty,
        pattern = "^[^:\\x00-\\x1f]*$",
        expects = "a name without `:`",
        required_one_of = "username,token",
        mutually_exclusive = "username,token",
        required_together = "username,password"
    )]
    username: Option<String>,
    /// The password of the user.
    #[hcl(sensitive, required_together = "username,password")]
    password: Option<Secret<String>>,
    /// A token.
    #[hcl(sensitive, nonempty, required_one_of = "username,token", mutually_exclusive = "username,token")]
    token: Option<Secret<String>>,
}

impl Auth {
    /// What says it in a request.
    fn header(&self) -> String {
        if let Some(token) = &self.token {
            return format!("Bearer {}", token.expose());
        }
        let password = self.password.as_ref().map_or("", |password| password.expose());
        let both = format!("{}:{password}", self.username.as_deref().unwrap_or_default());
        format!("Basic {}", BASE64_STANDARD.encode(both))
    }
}

/// A text with certificates or a key, or a path of one.
#[derive(Clone, Debug)]
struct Pem(Text);

impl Pem {
    fn is_text(&self) -> bool {
        self.0.contains("-----BEGIN")
    }

    /// What is in it.
    async fn read(&self, cx: &Context, field: &str) -> Result<String> {
        if self.is_text() {
            return Ok(self.0.to_string());
        }
        let read = cx.system().files().read_head(Path::new(&*self.0), MOST + 1).await?;
        let not_found = || Error::NotFound { kind: "file", name: self.0.shown().to_owned() };
        let bytes = read.ok_or_else(not_found)?.bytes;
        let text = String::from_utf8(bytes).ok().filter(|text| text.contains("-----BEGIN"));
        text.filter(|text| text.len() as u64 <= MOST).ok_or_else(|| {
            Error::msg(format!("{field}: {} is no file with PEM, as in `-----BEGIN ..`", self.0.shown()))
        })
    }
}

/// A file of the machine; a text names nothing on it.
impl Names for Pem {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        if !self.is_text() && !self.0.is_secret() {
            add(&self.0);
        }
    }
}

impl FromValue for Pem {
    fn kind() -> Kind {
        Text::kind()
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        Text::from_value(value, conversion).map(Self)
    }
}

impl ToValue for Pem {
    fn shape() -> Shape {
        Text::shape()
    }

    fn to_value(&self) -> Value {
        self.0.to_value()
    }
}

impl Access {
    /// Its rules, for what is asked of a server, or of nobody when there is no URL. `secrets` are the fields in which a secret is sent beside it,
    /// or asked for.
    pub(crate) fn validate(&self, to: Option<&Url>, secrets: &[&'static str]) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let Some(url) = to else {
            let given = [
                ("auth", self.auth.is_some()),
                ("ca", self.ca.is_some()),
                ("client_cert", self.client_cert.is_some()),
                ("insecure", self.insecure),
                ("accept_unverified", self.accept_unverified),
            ];
            for (field, _) in given.into_iter().filter(|(_, given)| *given) {
                errors.push(invalid(field, "it is for a server, and `source` is a file"));
            }
            return errors;
        };
        if !url.is_encrypted() {
            let auth = self.auth.is_some().then_some("auth");
            let secrets: Vec<&'static str> = auth.into_iter().chain(secrets.iter().copied()).collect();
            let is_accepted = url.is_loopback() && self.insecure && !secrets.is_empty();
            for field in secrets.iter().filter(|_| !is_accepted) {
                let why = if url.is_loopback() {
                    "a secret goes over https alone: over http, whoever listens there gets it, which may be another user of this machine \
                     while the service does not run; to accept that, say so twice, with `insecure = true` and `accept_unverified = true`"
                } else {
                    "a secret goes over https alone: whoever is in between reads what goes over http"
                };
                errors.push(invalid(field, why));
            }
            let given = [
                ("ca", self.ca.is_some()),
                ("client_cert", self.client_cert.is_some()),
                ("insecure", self.insecure && !is_accepted),
            ];
            for (field, _) in given.into_iter().filter(|(_, given)| *given) {
                errors.push(invalid(field, "it is for https, and the URL begins with http"));
            }
        }
        if self.client_key.as_ref().is_some_and(|key| key.is_text() && !key.0.is_secret()) {
            let why = "it is a key that everybody can read who reads the module: give it by a parameter with `sensitive = \
                       true`, or name a file";
            errors.push(invalid("client_key", why));
        }
        match (self.insecure, self.accept_unverified) {
            (true, false) => {
                let why = "a server that nobody verifies may be anybody's: say so twice, with `accept_unverified = true`";
                errors.push(invalid("insecure", why));
            }
            (false, true) => {
                errors.push(invalid("accept_unverified", "it goes with `insecure = true`"));
            }
            (true, true) if self.ca.is_some() => {
                errors.push(invalid("insecure", "with it nobody looks at `ca`: write one of them"));
            }
            _ => {}
        }
        errors
    }

    /// Whether it says in a header who asks.
    pub(crate) fn has_header(&self) -> bool {
        self.auth.is_some()
    }

    /// Whether a text has a secret in it that is sent, also as it is sent.
    pub(crate) fn is_told_by(&self, text: &str) -> bool {
        let Some(auth) = &self.auth else { return false };
        let header = auth.header();
        let sent = header.split_once(' ').map_or("", |(_, sent)| sent);
        let tells = |secret: &str| !secret.is_empty() && text.contains(secret);
        tells(sent) || auth.password.as_ref().is_some_and(|password| tells(password.expose()))
    }

    /// The request with all that this says.
    pub(crate) async fn give(&self, cx: &Context, mut request: HttpRequest) -> Result<HttpRequest> {
        if let Some(auth) = &self.auth {
            let header = auth.header();
            cx.redactor().hide(&header);
            request = request.header("Authorization", header);
        }
        if let Some(ca) = &self.ca {
            request.tls.authorities = Some(ca.read(cx, "ca").await?);
        }
        if let (Some(certificate), Some(key)) = (&self.client_cert, &self.client_key) {
            let certificate = certificate.read(cx, "client_cert").await?;
            let key = key.read(cx, "client_key").await?;
            cx.redactor().hide(&key);
            request.tls.identity = Some(Identity { certificate, key: Secret::new(key) });
        }
        request.tls.insecure = self.insecure && request.url.is_encrypted();
        Ok(request)
    }
}
