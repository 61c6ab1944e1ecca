//! Tests of the rules that a struct declares for sets of its fields.

use std::fmt::Debug;

use converge_core::Registry;
use converge_core::prelude::*;
use converge_core::schema::Rule;
use converge_core::value::Value;

use crate::preparer::{Done, read};

/// A resource whose rules stand on the struct.
#[derive(Debug, Preparer)]
#[preparer(name = "test.on_struct", task = Done, register = false, exactly_one = "user,uid")]
#[preparer(at_most_one = "team,gid", all_or_none = "key,certificate")]
#[expect(dead_code, reason = "only read through Debug")]
struct OnStruct {
    /// The user.
    #[hcl(nonempty)]
    user: Option<String>,
    /// The uid.
    #[hcl(nonempty)]
    uid: Option<u32>,
    /// The team.
    team: Option<String>,
    /// The gid.
    gid: Option<u32>,
    /// The certificate.
    certificate: Option<String>,
    /// The key.
    key: Option<String>,
}
impl Resource for OnStruct {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Done> {
        Ok(Done)
    }
}

#[test]
fn rules_for_sets_stand_on_the_struct() {
    assert_eq!(
        OnStruct::block().rules,
        [
            Rule::MutuallyExclusive(&["user", "uid"]),
            Rule::RequiredOneOf(&["user", "uid"]),
            Rule::MutuallyExclusive(&["team", "gid"]),
            Rule::RequiredTogether(&["key", "certificate"]),
        ]
    );
    let check = |written: &[(&str, Value)], expect: &str| {
        assert_eq!(read::<OnStruct>(written), expect, "{written:?}");
    };
    check(&[], ": one of `user` or `uid` is required");
    check(&[("user", "me".into()), ("uid", 7.into())], "uid: `user` and `uid` are mutually exclusive");
    check(&[("user", "".into())], "user: `user` must not be empty");
    check(&[("uid", 7.into()), ("key", "k".into())], "key: `key` and `certificate` must be given together");
    assert!(Registry::new().with::<OnStruct>().is_ok());
}
