//! Callers that are known by a secret text.

use converge_controller::authorize::{Caller, Rules, TenancyDefaults, TokenHash};
use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

use super::join_token::Join;
use super::rule::Rule;

/// A caller that is known by a secret text, of which only the hash is here. To delete it is to revoke it.
///
/// It is in a group of its own, as whoever may write tokens may do everything: a rule about `converge.*.*` is not about them.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "access", version = "v1", scope = cluster, validate = Token::check)]
pub(crate) struct Token {
    /// Whose it is, or what it is for.
    #[stored(tag = 1)]
    pub description: String,
    /// The SHA-256 of the whole text, as 64 hexadecimal digits. The text is `converge_NAME_SECRET` with the name of this
    /// resource, and its secret has 128 random bits or more.
    #[stored(tag = 2)]
    pub sha256: String,
    /// What its holder may do. What no rule allows, it may not.
    #[stored(tag = 3)]
    pub rules: Vec<Rule>,
    /// When it ends; never where nothing is said.
    #[stored(tag = 4)]
    pub expires: Option<Timestamp>,
    /// The partition that its holder means where it names none; `default` where nothing is said.
    #[stored(tag = 5)]
    pub partition: String,
    /// The namespace that its holder means where it names none; `default` where nothing is said.
    #[stored(tag = 6)]
    pub namespace: String,
    /// That it is good for one thing, and once: a node joins with it. It has no rules then, and an end.
    #[stored(tag = 7)]
    pub join: Option<Join>,
}

impl Token {
    fn check(token: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("owner").require(token.owner().is_none(), "nothing owns a token");
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
            invalid.field(error).add("is no name");
        }
        invalid.finish()
    }

    /// Whether it is the one with this hash.
    pub(super) fn is(&self, hash: TokenHash) -> bool {
        self.sha256.parse() == Ok(hash)
    }

    pub(super) fn has_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|end| end <= now)
    }

    /// Its holder. A rule that cannot be read allows nothing; it was checked when it was written.
    pub(super) fn caller(&self) -> Caller {
        let rules: Vec<_> = self.rules.iter().filter_map(|rule| rule.to_rule().ok()).collect();
        let rules = Rules::new(rules).unwrap_or_default();
        Caller::new(rules).with_defaults(self.defaults().unwrap_or_default())
    }

    /// The units that its holder means, or which of them is no name.
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
