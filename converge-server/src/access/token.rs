//! Callers that authenticate with a secret text.

use converge_controller::authorize::{Caller, Rules, TenancyDefaults, TokenHash};
use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

use super::join_token::Join;
use super::rule::Rule;

/// A caller that authenticates with a secret text, of which only the hash is stored.
///
/// To revoke it, delete it. The type has a group of its own, because a caller that may write tokens may do
/// everything. A rule about `converge.*.*` does not cover it.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "access", version = "v1", scope = cluster, validate = Token::check)]
pub(crate) struct Token {
    /// The holder or the purpose of the token.
    #[stored(tag = 1)]
    pub description: String,
    /// The SHA-256 of the whole text, as 64 hexadecimal digits.
    ///
    /// The text is `converge_NAME_SECRET` with the name of this resource, and its secret has at least 128
    /// random bits.
    #[stored(tag = 2)]
    pub sha256: String,
    /// The permissions of the holder.
    ///
    /// Everything that no rule allows is denied.
    #[stored(tag = 3)]
    pub rules: Vec<Rule>,
    /// The time at which the token expires; never if absent.
    #[stored(tag = 4)]
    pub expires: Option<Timestamp>,
    /// The default partition of requests with this token; `default` if empty.
    #[stored(tag = 5)]
    pub partition: String,
    /// The default namespace of requests with this token; `default` if empty.
    #[stored(tag = 6)]
    pub namespace: String,
    /// Makes this a join token: one node can join with it, once.
    ///
    /// Such a token has no rules and must expire.
    #[stored(tag = 7)]
    pub join: Option<Join>,
}

impl Token {
    fn check(token: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("owner").require(token.owner().is_none(), "a token has no owner");
        if let Err(error) = token.sha256.parse::<TokenHash>() {
            invalid.field("sha256").add(format!("is wrong: {error}"));
        }
        for (index, rule) in token.rules.iter().enumerate() {
            invalid.field("rules").element(index).include(rule.check());
        }
        if let Some(join) = &token.join {
            invalid.field("join").include(join.check());
            invalid.field("rules").require(token.rules.is_empty(), "are not for a token to join with");
            invalid.field("expires").require(token.expires.is_some(), Cause::Missing);
        }
        if let Err(error) = token.defaults() {
            invalid.field(error).add("is not a name");
        }
        invalid.finish()
    }

    /// Whether the token has this hash.
    pub(super) fn matches(&self, hash: TokenHash) -> bool {
        self.sha256.parse() == Ok(hash)
    }

    pub(super) fn has_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|end| end <= now)
    }

    /// Returns the holder as a caller.
    ///
    /// An unreadable rule allows nothing; rules are checked when written.
    pub(super) fn caller(&self) -> Caller {
        let rules: Vec<_> = self.rules.iter().filter_map(|rule| rule.to_rule().ok()).collect();
        let rules = Rules::new(rules).unwrap_or_default();
        Caller::new(rules).with_defaults(self.defaults().unwrap_or_default())
    }

    /// Returns the default tenancy of the holder, or the name of the field that is not a valid name.
    fn defaults(&self) -> Result<TenancyDefaults, &'static str> {
        let mut defaults = TenancyDefaults::default();
        if !self.partition.is_empty() {
            defaults.partition = self.partition.parse().map_err(|_| "partition")?;
        }
        if !self.namespace.is_empty() {
            defaults.namespace = self.namespace.parse().map_err(|_| "namespace")?;
        }
        Ok(defaults)
    }
}
