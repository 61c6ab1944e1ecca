//! Policies: callers by token, and the permissions of each.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::debug_as_text;
use crate::identity::{Namespace, Partition, Selector, TenancyPattern};

use super::caller::{Caller, TenancyDefaults};
use super::question::{Authorizer, Question, Verb};

/// The SHA-256 of a token, in hexadecimal digits.
///
/// A reader of the policy file cannot act as its callers.
///
/// A token consists of 128 random bits or more; a word chosen by a person could be guessed from its hash.
///
/// ```
/// use converge_controller::authorize::TokenHash;
///
/// let hash = TokenHash::from_token("swordfish");
/// assert!(hash.to_string().starts_with("b9f195c5"));
/// assert_eq!(hash.to_string().parse(), Ok(hash));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TokenHash([u8; 32]);

/// The error of a text that is not a [`TokenHash`].
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hash of a token is 64 hexadecimal digits, the SHA-256 of the token")]
pub struct InvalidTokenHash;

debug_as_text!(InvalidTokenHash);

impl TokenHash {
    /// Returns the hash of a token.
    pub fn from_token(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }
}

impl FromStr for TokenHash {
    type Err = InvalidTokenHash;

    fn from_str(text: &str) -> Result<Self, InvalidTokenHash> {
        let mut bytes = [0; 32];
        if text.len() != 2 * bytes.len() || !text.is_ascii() {
            return Err(InvalidTokenHash);
        }
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            let (Some(high), Some(low)) = (digit(digits[0]), digit(digits[1])) else {
                return Err(InvalidTokenHash);
            };
            *byte = high << 4 | low;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for TokenHash {
    type Error = InvalidTokenHash;

    fn try_from(text: String) -> Result<Self, InvalidTokenHash> {
        text.parse()
    }
}

impl From<TokenHash> for String {
    fn from(hash: TokenHash) -> String {
        hash.to_string()
    }
}

impl fmt::Display for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenHash({self})")
    }
}

/// A pattern of types: three parts as in a type, each of which may be `*`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Pattern([String; 3]);

/// The error of a text that is not a [`Pattern`].
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("types are written as group.group_version.Kind, each of which may be *, got {text:?}")]
pub struct InvalidPattern {
    /// The text.
    pub text: String,
}

debug_as_text!(InvalidPattern);

impl Pattern {
    fn matches(&self, question: &Question<'_>) -> bool {
        let resource_type = question.resource_type;
        let parts =
            [resource_type.group.as_str(), resource_type.group_version.as_str(), resource_type.kind.as_str()];
        self.0.iter().zip(parts).all(|(pattern, part)| pattern == "*" || pattern == part)
    }
}

impl TryFrom<String> for Pattern {
    type Error = InvalidPattern;

    fn try_from(text: String) -> Result<Self, InvalidPattern> {
        // `*` alone is short for `*.*.*`.
        let padded = if text == "*" { "*.*.*" } else { text.as_str() };
        let parts: Vec<&str> = padded.split('.').collect();
        let legal = match parts[..] {
            [group, version, kind] => {
                (group == "*" || group.parse::<crate::identity::Group>().is_ok())
                    && (version == "*" || version.parse::<crate::identity::GroupVersion>().is_ok())
                    && (kind == "*" || kind.parse::<crate::identity::Kind>().is_ok())
            }
            _ => false,
        };
        match <[&str; 3]>::try_from(parts) {
            Ok(parts) if legal => Ok(Self(parts.map(str::to_owned))),
            _ => Err(InvalidPattern { text }),
        }
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> String {
        pattern.0.join(".")
    }
}

/// The error of a unit in a rule that is neither a name nor `*`.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{unit} {text:?} is neither a name nor \"*\"")]
pub struct InvalidUnit {
    /// The kind of unit: partition or namespace.
    pub unit: &'static str,
    /// The text of the unit.
    pub text: String,
}

debug_as_text!(InvalidUnit);

/// A permission of a caller: these verbs, on resources of these types, in these tenancies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The types.
    pub types: Vec<Pattern>,
    /// The verbs.
    pub verbs: Vec<Verb>,
    /// The partition, or `*`.
    ///
    /// Resources of the whole cluster have no partition; only a rule for every partition applies to them.
    #[serde(default = "any")]
    pub partition: String,
    /// The namespace, or `*`.
    ///
    /// Resources of a whole partition need a rule for every namespace.
    #[serde(default = "any")]
    pub namespace: String,
}

fn any() -> String {
    "*".to_owned()
}

impl Rule {
    /// Allows these verbs for the types of a pattern (`demo.*.Artist`, `*` for all), in every tenancy.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a pattern.
    pub fn new(types: &str, verbs: impl Into<Vec<Verb>>) -> Result<Self, InvalidPattern> {
        let types = vec![types.to_owned().try_into()?];
        Ok(Self { types, verbs: verbs.into(), partition: any(), namespace: any() })
    }

    fn check(&self) -> Result<(), InvalidUnit> {
        if self.partition != "*" && self.partition.parse::<Partition>().is_err() {
            return Err(InvalidUnit { unit: "partition", text: self.partition.clone() });
        }
        if self.namespace != "*" && self.namespace.parse::<Namespace>().is_err() {
            return Err(InvalidUnit { unit: "namespace", text: self.namespace.clone() });
        }
        Ok(())
    }

    fn allows(&self, question: &Question<'_>) -> bool {
        self.verbs.contains(&question.verb)
            && self.types.iter().any(|pattern| pattern.matches(question))
            && self.reaches(question.tenancy)
    }

    fn reaches(&self, tenancy: &TenancyPattern) -> bool {
        // A request for all units is a request for each of them, which only a rule for every unit allows.
        let partition =
            |asked: &Selector<Partition>| self.partition == "*" || self.partition == asked.as_str();
        let namespace =
            |asked: &Selector<Namespace>| self.namespace == "*" || self.namespace == asked.as_str();
        match tenancy {
            TenancyPattern::Cluster => self.partition == "*" && self.namespace == "*",
            TenancyPattern::Partition(asked) => partition(asked) && self.namespace == "*",
            TenancyPattern::Namespace(of, asked) => partition(of) && namespace(asked),
        }
    }
}

/// A caller that is identified by a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// The name of the caller, in logs and lists.
    pub name: String,
    /// The hash of the token.
    pub sha256: TokenHash,
    /// The default partition of the caller.
    #[serde(default)]
    pub partition: Partition,
    /// The default namespace of the caller.
    #[serde(default)]
    pub namespace: Namespace,
    /// The permissions of the caller.
    ///
    /// Anything that no rule allows is denied.
    #[serde(default)]
    pub rules: Vec<Rule>,
}

/// Callers by token, and the permissions of each.
///
/// The file format is JSON:
///
/// ```
/// use converge_controller::authorize::{Policy, TokenHash};
///
/// let hash = TokenHash::from_token("c2VjcmV0LXRva2VuLW9mLTE2LWJ5dGVz");
/// let policy = Policy::parse(&format!(
///     r#"{{
///         "tokens": [
///             {{
///                 "name": "dashboard",
///                 "sha256": "{hash}",
///                 "rules": [{{ "types": ["demo.*.*"], "verbs": ["read", "list"], "partition": "eu" }}]
///             }}
///         ]
///     }}"#
/// ))?;
/// assert!(policy.caller("c2VjcmV0LXRva2VuLW9mLTE2LWJ5dGVz").is_some());
/// assert!(policy.caller("guess").is_none());
/// # Ok::<(), converge_controller::authorize::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Policy {
    callers: BTreeMap<TokenHash, (String, Caller)>,
}

/// The error of a text that is not a [`Policy`].
#[derive(thiserror::Error)]
pub enum PolicyError {
    /// The text is not JSON of the expected form.
    #[error("the policy cannot be read: {0}")]
    Form(#[from] serde_json::Error),
    /// Two callers have the same token.
    #[error("the tokens {first:?} and {second:?} of the policy have the same hash: give each its own token")]
    Twice {
        /// The name of the first caller.
        first: String,
        /// The name of the second caller.
        second: String,
    },
    /// A unit of a rule is neither a name nor `*`.
    #[error("a rule of token {token:?} is about {unit} {text:?}, which is neither a name nor \"*\"")]
    Unit {
        /// The name of the token.
        token: String,
        /// The kind of unit: partition or namespace.
        unit: &'static str,
        /// The text of the unit.
        text: String,
    },
}

debug_as_text!(PolicyError);

/// The form of the policy file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tokens: Vec<Token>,
}

impl Policy {
    /// Parses the text of a policy file.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON of this form, if two callers have the same token, or if a rule has an
    /// invalid unit.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        Self::new(serde_json::from_str::<File>(text)?.tokens)
    }

    /// Creates the policy of these callers.
    ///
    /// # Errors
    ///
    /// Fails if two callers have the same token, or if a rule has an invalid unit.
    pub fn new(tokens: impl IntoIterator<Item = Token>) -> Result<Self, PolicyError> {
        let mut callers = BTreeMap::new();
        for token in tokens {
            let rules = Rules::new(token.rules).map_err(|InvalidUnit { unit, text }| PolicyError::Unit {
                token: token.name.clone(),
                unit,
                text,
            })?;
            let defaults = TenancyDefaults { partition: token.partition, namespace: token.namespace };
            let caller = Caller::new(rules).with_defaults(defaults);
            if let Some((first, _)) = callers.insert(token.sha256, (token.name.clone(), caller)) {
                return Err(PolicyError::Twice { first, second: token.name });
            }
        }
        Ok(Self { callers })
    }

    /// Returns the caller with this token.
    ///
    /// The lookup uses the hash of the token, so that its duration reveals nothing about existing tokens.
    pub fn caller(&self, token: &str) -> Option<Caller> {
        self.callers.get(&TokenHash::from_token(token)).map(|(_, caller)| caller.clone())
    }

    /// Returns the name of the caller with this token.
    pub fn name(&self, token: &str) -> Option<&str> {
        self.callers.get(&TokenHash::from_token(token)).map(|(name, _)| name.as_str())
    }
}

/// The permissions of one caller: only what one of these rules allows.
///
/// ```
/// use converge_controller::Tenancy;
/// use converge_controller::authorize::{Authorizer, Rule, Rules, Verb};
///
/// let reader = Rules::new(vec![Rule::new("demo.*.*", [Verb::Read, Verb::List])?])?;
/// let artist = "demo.v2.Artist".parse()?;
/// let authorizer: &dyn Authorizer = &reader;
/// assert!(authorizer.may_list(&artist, &Tenancy::Cluster.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules(Arc<[Rule]>);

impl Rules {
    /// Creates an authorizer with these rules.
    ///
    /// # Errors
    ///
    /// Fails if a unit of a rule is neither a name nor `*`.
    pub fn new(rules: impl Into<Arc<[Rule]>>) -> Result<Self, InvalidUnit> {
        let rules = rules.into();
        rules.iter().try_for_each(Rule::check)?;
        Ok(Self(rules))
    }
}

impl Authorizer for Rules {
    fn allows(&self, question: &Question<'_>) -> bool {
        self.0.iter().any(|rule| rule.allows(question))
    }
}
