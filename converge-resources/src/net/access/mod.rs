//! Authentication and TLS fields, shared by all resources that make requests.

#[cfg(test)]
mod tests;

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use converge_sdk::footprint::Names;
use converge_sdk::prelude::*;
use converge_sdk::schema::{Kind, Shape};
use converge_sdk::system::{HttpRequest, Identity, Url};
use converge_sdk::value::{Conversion, FieldError};

use crate::invalid::invalid;
use crate::text::Text;

/// The maximum number of bytes of a file with certificates or a key.
const MOST: u64 = 1 << 20;

/// The authentication and TLS fields of a request.
#[derive(Debug, Default, HclBlock)]
#[hcl(all_or_none = "client_cert,client_key")]
pub(crate) struct Access {
    /// Credentials for the server.
    ///
    /// `{ token = param.token }` is sent as `Authorization: Bearer ..`, and `{ username = "deploy", password
    /// = param.password }` as basic authentication. They are sent over https only, except as described for
    /// `insecure`, and never to another server after a redirect.
    auth: Option<Auth>,
    /// The only authorities that may have signed the certificate of a server.
    ///
    /// The value is a file with their certificates (PEM), or the text of them. The default is the authorities
    /// of the machine.
    #[hcl(needs = "path")]
    ca: Option<Pem>,
    /// The client certificate (PEM), with the intermediate certificates: a file, or the text.
    ///
    /// It is never shown to another server after a redirect.
    #[hcl(needs = "path")]
    client_cert: Option<Pem>,
    /// The key of `client_cert` (PEM), without a password: a file, or the text as a sensitive value.
    #[hcl(needs = "path")]
    client_key: Option<Pem>,
    /// Whether any certificate of the server is accepted.
    ///
    /// Anybody between client and server can then read and change everything, so `accept_unverified` has to
    /// be set too. Other servers, after a redirect, are still verified. Over http, this field allows secrets
    /// to be sent to this machine (`localhost` and addresses such as `127.0.0.1`): another user of the
    /// machine may listen there while the service does not.
    #[hcl(default)]
    insecure: bool,
    /// Confirms that the identity of the server is not verified.
    #[hcl(default)]
    accept_unverified: bool,
}

/// The credentials of a request.
#[derive(Debug, HclBlock)]
#[hcl(exactly_one = "username,token", all_or_none = "username,password")]
struct Auth {
    /// Name of the user.
    #[hcl(nonempty, pattern = "^[^:\\x00-\\x1f]*$", expects = "a name without `:`")]
    username: Option<String>,
    /// The password of the user.
    #[hcl(sensitive)]
    password: Option<Secret<String>>,
    /// The token.
    #[hcl(sensitive, nonempty)]
    token: Option<Secret<String>>,
}

impl Auth {
    fn header(&self) -> String {
        if let Some(token) = &self.token {
            return format!("Bearer {}", token.expose());
        }
        let password = self.password.as_ref().map_or("", |password| password.expose());
        let both = format!("{}:{password}", self.username.as_deref().unwrap_or_default());
        format!("Basic {}", BASE64_STANDARD.encode(both))
    }
}

/// Certificates or a key as text, or the path of a file with them.
#[derive(Clone, Debug)]
struct Pem(Text);

impl Pem {
    fn is_text(&self) -> bool {
        self.0.contains("-----BEGIN")
    }

    /// Returns the text, or the content of the file.
    async fn read(&self, cx: &Context, field: &str) -> Result<String> {
        if self.is_text() {
            return Ok(self.0.to_string());
        }
        let read = cx.system().files().read_head(Path::new(&*self.0), MOST + 1).await?;
        let not_found = || Error::NotFound { kind: "file", name: self.0.shown().to_owned() };
        let bytes = read.ok_or_else(not_found)?.bytes;
        let text = String::from_utf8(bytes).ok().filter(|text| text.contains("-----BEGIN"));
        text.filter(|text| text.len() as u64 <= MOST).ok_or_else(|| {
            Error::msg(format!("{field}: {} is not a file with PEM, as in `-----BEGIN ..`", self.0.shown()))
        })
    }
}

/// The footprint has the file; a text names nothing on the machine.
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
    /// Validates the fields for requests to `to`, or for a source that is a file if `to` is `None`.
    ///
    /// `secrets` are the other fields that send or receive a secret.
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
                    "secrets are sent over https only: over http, another user of this machine could receive the secret while the service does not run; to accept that, write both `insecure = true` and `accept_unverified = true`"
                } else {
                    "secrets are sent over https only: http can be read on its way"
                };
                errors.push(invalid(field, why));
            }
            let given = [
                ("ca", self.ca.is_some()),
                ("client_cert", self.client_cert.is_some()),
                ("insecure", self.insecure && !is_accepted),
            ];
            for (field, _) in given.into_iter().filter(|(_, fields)| *fields) {
                errors.push(invalid(field, "it is for https, and the URL begins with http"));
            }
        }
        if self.client_key.as_ref().is_some_and(|key| key.is_text() && !key.0.is_secret()) {
            let why = "everybody who reads the module can read this key: use a parameter with `sensitive = true`, or name a file";
            errors.push(invalid("client_key", why));
        }
        match (self.insecure, self.accept_unverified) {
            (true, false) => {
                let why = "without verification any server can answer: to accept that, write `accept_unverified = true` too";
                errors.push(invalid("insecure", why));
            }
            (false, true) => {
                errors.push(invalid("accept_unverified", "it has no effect without `insecure = true`"));
            }
            (true, true) if self.ca.is_some() => {
                errors.push(invalid("insecure", "it turns `ca` off: write one of them"));
            }
            _ => {}
        }
        errors
    }

    /// Whether requests have an `Authorization` header.
    pub(crate) fn has_header(&self) -> bool {
        self.auth.is_some()
    }

    /// Whether a text contains a secret of the credentials, in plain or in encoded form.
    pub(crate) fn is_revealed_by(&self, text: &str) -> bool {
        let Some(auth) = &self.auth else { return false };
        let header = auth.header();
        let sent = header.split_once(' ').map_or("", |(_, sent)| sent);
        let tells = |secret: &str| !secret.is_empty() && text.contains(secret);
        tells(sent) || auth.password.as_ref().is_some_and(|password| tells(password.expose()))
    }

    /// Adds the credentials and TLS settings to a request.
    pub(crate) async fn apply_to(&self, cx: &Context, mut request: HttpRequest) -> Result<HttpRequest> {
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
