//! Tests of `#[derive(Preparer)]`.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use converge_core::prelude::*;
use converge_core::schema::{Fields, Kind, Rule};
use converge_core::{Preparer as PreparerTrait, Registry};

/// A task that does nothing.
#[derive(Debug, Export)]
pub(crate) struct Done;

impl Task for Done {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

macro_rules! resource {
    ($resource:ident) => {
        impl Resource for $resource {
            async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Done> {
                Ok(Done)
            }
        }
    };
}

/// Sets the user and group that own a file or directory.
///
/// Both may be given by name or by number.
#[derive(Debug, Preparer)]
#[preparer(name = "test.owner", task = Done)]
#[expect(dead_code, reason = "only read through Debug")]
struct Owner {
    /// Path of the file.
    #[hcl(required, nonempty)]
    destination: String,
    /// Owner, by user name.
    #[hcl(name = "user", alias = "owner", mutually_exclusive = "user, uid")]
    username: Option<String>,
    /// Owner, by numeric user id.
    #[hcl(mutually_exclusive = "user,uid", max = 70000)]
    uid: Option<u32>,
    /// The recursive.
    recursive: bool,
    /// The flags.
    flags: Vec<String>,
    /// The env.
    env: BTreeMap<String, i64>,
    /// The type.
    r#type: String,
}
resource!(Owner);

/// A resource with all other attributes.
#[derive(Debug, Preparer)]
#[preparer(name = "test.all", task = Done, register = false)]
#[expect(dead_code, reason = "only read through Debug")]
struct All {
    /// The mode.
    #[hcl(base = 8, default = "0644")]
    mode: u32,
    /// The timeout.
    #[hcl(name = "timeout", default = "1m30s", min = 1, max = 3600.5)]
    timeout: Duration,
    /// The state.
    #[hcl(default, required_one_of = "state,version", required_together = "version,state")]
    state: State,
    /// The version.
    #[hcl(
        requires = "state",
        conflicts_with = "legacy,mode",
        pattern = "^[0-9.]+$",
        expects = "a version: digits and dots"
    )]
    version: Option<String>,
    /// The legacy.
    #[hcl(deprecated = "use version", conflicts_with = "version")]
    legacy: Option<String>,
    /// The protocol.
    #[hcl(valid_values = "tcp,udp", default = "tcp")]
    protocol: String,
    /// The password.
    #[hcl(sensitive, default = "changeme")]
    password: Secret<String>,
    /// The words.
    #[hcl(default = ["a", "b"])]
    words: Vec<String>,
    /// The number.
    #[hcl(default = -5)]
    number: i64,
    /// The large.
    #[hcl(default = 18446744073709551615)]
    large: u64,
    /// The ratio.
    #[hcl(default = 1.5)]
    ratio: f64,
    /// The flag.
    #[hcl(default = true)]
    flag: bool,
    /// The list.
    #[hcl(nonempty)]
    list: Vec<u8>,
}
resource!(All);

/// A word.
#[derive(Debug, Default, HclEnum)]
enum State {
    #[default]
    Present,
    Absent,
}

/// A resource without fields.
#[derive(Debug, Preparer)]
#[preparer(name = "test.unit", task = Done, register = false)]
struct Unit;
resource!(Unit);

pub(crate) fn read<T: PreparerTrait + Debug>(entries: &[(&str, Value)]) -> String {
    let block = T::block();
    let entries = entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    match T::from_fields(Fields::from_map(&block, entries)) {
        Ok(resource) => format!("{resource:?}"),
        Err(errors) => {
            errors.iter().map(|error| format!("{}: {error}", error.path)).collect::<Vec<_>>().join("\n")
        }
    }
}

#[test]
fn the_struct_describes_the_resource() {
    let schema = Owner::schema();
    assert_eq!(schema.name, "test.owner");
    assert_eq!(
        schema.doc,
        "Sets the user and group that own a file or directory.\n\nBoth may be given by name or by number."
    );
    let names: Vec<_> = schema.fields.iter().map(|field| (field.name, field.doc)).collect();
    assert_eq!(
        names,
        [
            ("destination", "Path of the file."),
            ("user", "Owner, by user name."),
            ("uid", "Owner, by numeric user id."),
            ("recursive", "The recursive."),
            ("flags", "The flags."),
            ("env", "The env."),
            ("type", "The type."),
        ]
    );
    assert_eq!(schema.fields[3].kind, Kind::Bool);
    assert_eq!(schema.fields[4].kind, Kind::List(Box::new(Kind::String)));
    assert_eq!(schema.fields[1].aliases, ["owner"]);
    assert!(schema.fields[0].required && schema.fields[0].nonempty);
    assert!(!schema.fields[1].required && !schema.fields[1].nonempty);
}

#[test]
fn each_attribute_reaches_the_schema() {
    let fields = All::block().fields;
    let field = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
    assert_eq!(field("mode").base, Some(8));
    assert_eq!(field("mode").default, Some(Value::string("0644")));
    assert_eq!((field("timeout").min, field("timeout").max), (Some(1.0), Some(3600.5)));
    assert_eq!(field("state").kind, Kind::Enum(&["present", "absent"]));
    assert_eq!(field("state").default, None);
    assert_eq!(field("version").pattern, Some("^[0-9.]+$"));
    assert_eq!(field("version").expects, Some("a version: digits and dots"));
    assert_eq!(field("legacy").deprecated, Some("use version"));
    assert_eq!(field("protocol").valid_values, ["tcp", "udp"]);
    assert!(field("password").sensitive);
    assert_eq!(field("password").default, Some(Value::string("changeme").into_secret()));
    assert_eq!(field("words").default, Some(Value::from(vec!["a", "b"])));
    assert_eq!(field("number").default, Some(Value::Int(-5)));
    assert_eq!(field("large").default, Some(Value::string("18446744073709551615")));
    assert_eq!(field("ratio").default, Some(Value::Float(1.5)));
    assert_eq!(field("flag").default, Some(Value::Bool(true)));
}

#[test]
fn a_rule_written_on_several_fields_is_one_rule() {
    assert_eq!(Owner::block().rules, [Rule::MutuallyExclusive(&["user", "uid"])]);
    assert_eq!(
        All::block().rules,
        [
            Rule::RequiredOneOf(&["state", "version"]),
            Rule::RequiredTogether(&["version", "state"]),
            Rule::Requires { field: "version", needs: "state" },
            Rule::ConflictsWith { field: "version", other: "legacy" },
            Rule::ConflictsWith { field: "version", other: "mode" },
        ]
    );
}

#[test]
fn what_is_not_written_is_absent_zero_or_the_default() {
    assert_eq!(
        read::<Owner>(&[("destination", "/a".into())]),
        "Owner { destination: \"/a\", username: None, uid: None, recursive: false, flags: [], env: {}, type: \"\" }"
    );
    assert_eq!(
        read::<All>(&[("state", "absent".into()), ("version", "1.0".into())]),
        "All { mode: 420, timeout: 90s, state: Absent, version: Some(\"1.0\"), legacy: None, protocol: \"tcp\", \
         password: (sensitive), words: [\"a\", \"b\"], number: -5, large: 18446744073709551615, ratio: 1.5, \
         flag: true, list: [] }"
    );
    assert_eq!(read::<Unit>(&[]), "Unit");
}

#[test]
fn written_values_are_converted() {
    assert_eq!(
        read::<Owner>(&[
            ("destination", "/a".into()),
            ("uid", "0".into()),
            ("recursive", "t".into()),
            ("flags", vec!["x"].into()),
            ("env", [("A", "1")].into()),
            ("type", 5.into()),
        ]),
        "Owner { destination: \"/a\", username: None, uid: Some(0), recursive: true, flags: [\"x\"], \
         env: {\"A\": 1}, type: \"5\" }"
    );
    assert!(
        read::<Owner>(&[("destination", "/a".into()), ("owner", "me".into())])
            .contains("username: Some(\"me\")")
    );
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    assert_eq!(
        read::<Owner>(&[
            ("user", "me".into()),
            ("uid", 70001.into()),
            ("recursive", "yes".into()),
            ("env", [("A", "x")].into()),
            ("colour", "red".into()),
        ]),
        "colour: unknown field `colour`\n\
         destination: `destination` is required\n\
         uid: `user` and `uid` are mutually exclusive\n\
         uid: 70001 is out of range: at most 70000\n\
         recursive: \"yes\" is not a boolean: write true or false\n\
         env.A: \"x\" is not an integer"
    );
    assert_eq!(
        read::<Owner>(&[("destination", "".into()), ("owner", "a".into()), ("user", "b".into())]),
        "user: `user` is given twice, also as `owner`\n\
         destination: `destination` must not be empty"
    );
}

#[test]
fn attributes_are_enforced() {
    let check = |entries: &[(&str, Value)], expect: &str| {
        let mut all: Vec<(&str, Value)> = vec![("state", "present".into()), ("version", "1".into())];
        for (name, value) in entries {
            all.retain(|(have, _)| have != name);
            all.push((*name, value.clone()));
        }
        let found = read::<All>(&all);
        assert!(found.contains(expect), "{entries:?}\n  found {found}\n  expected {expect}");
    };
    check(&[("state", "presnt".into())], "state: \"presnt\" is not one of present, absent");
    check(&[("version", "a".into())], "version: ");
    check(&[("protocol", "icmp".into())], "protocol: \"icmp\" is not one of tcp, udp");
    check(&[("legacy", "x".into())], "`version` conflicts with `legacy`");
    check(&[("timeout", 0.into())], "timeout: ");
    check(&[("list", Value::List(Vec::new()))], "list: `list` must not be empty");
    check(&[("password", vec!["hunter2"].into())], "password: expected a string, found a list");
    check(&[("password", "hunter2".into())], "password: (sensitive)");
    check(&[("mode", "999".into())], "is not an integer in base 8");
    assert_eq!(read::<All>(&[]), ": one of `state` or `version` is required", "of the resource as a whole");
}

macro_rules! group {
    ($name:ident, $resource:literal, user: [$($user:tt)*] $user_type:ty, uid: [$($uid:tt)*] $uid_type:ty) => {
        /// One of the two resources.
        #[derive(Debug, Preparer)]
        #[preparer(name = $resource, task = Done, register = false)]
        #[expect(dead_code, reason = "only read through Debug")]
        struct $name {
            /// The user.
            #[hcl($($user)*)]
            user: $user_type,
            /// The uid.
            #[hcl($($uid)*)]
            uid: $uid_type,
        }
        resource!($name);
    };
}

group!(
    OnOne, "test.one",
    user: [required, nonempty, mutually_exclusive = "user,uid"] Option<String>,
    uid: [base = 10] Option<u32>
);
group!(
    OnBoth, "test.both",
    user: [required, mutually_exclusive = "user,uid"] Option<String>,
    uid: [required, nonempty, mutually_exclusive = "uid,user"] Option<u32>
);
group!(
    Zeros, "test.zeros",
    user: [required, nonempty, mutually_exclusive = "user,uid"] String,
    uid: [base = 10] u32
);
group!(
    MayBeZero, "test.may_be_zero",
    user: [nonempty, mutually_exclusive = "user,uid"] Option<String>,
    uid: [required, mutually_exclusive = "user,uid"] Option<u32>
);
group!(
    AtMost, "test.at_most",
    user: [nonempty, mutually_exclusive = "user,uid"] Option<String>,
    uid: [base = 10] Option<u32>
);

/// Checks the ends of the resulting resources or error messages.
fn check_group<R: Resource + Debug>(cases: &[(&[(&str, Value)], &str)]) {
    for (written, expect) in cases {
        let found = read::<R>(written);
        assert!(found.ends_with(expect), "{} {written:?}: {found}", R::NAME);
    }
    assert!(Registry::new().with::<R>().is_ok(), "{}", R::NAME);
}

#[test]
fn of_a_required_group_exactly_one_is_written() {
    let none: &[(&str, Value)] = &[];
    let name: &[(&str, Value)] = &[("user", "me".into())];
    let id: &[(&str, Value)] = &[("uid", 7.into())];
    let both: &[(&str, Value)] = &[("user", "me".into()), ("uid", 7.into())];
    let no_name: &[(&str, Value)] = &[("user", "".into())];
    let root: &[(&str, Value)] = &[("uid", 0.into())];

    let missing = ": one of `user` or `uid` is required";
    let exclusive = "uid: `user` and `uid` are mutually exclusive";
    let (empty_name, empty_id) = ("user: `user` must not be empty", "uid: `uid` must not be empty");

    let (has_name, has_id) = ("{ user: Some(\"me\"), uid: None }", "{ user: None, uid: Some(7) }");
    let common = [(none, missing), (both, exclusive), (name, has_name), (id, has_id), (no_name, empty_name)];
    check_group::<OnOne>(&common);
    check_group::<OnOne>(&[(root, empty_id)]);
    check_group::<OnBoth>(&common);
    check_group::<OnBoth>(&[(root, empty_id)]);
    check_group::<MayBeZero>(&common);
    check_group::<MayBeZero>(&[(root, "{ user: None, uid: Some(0) }")]);
    check_group::<AtMost>(&common[1..]);
    check_group::<AtMost>(&[(none, "{ user: None, uid: None }"), (root, "{ user: None, uid: Some(0) }")]);
    check_group::<Zeros>(&[
        (none, missing),
        (both, exclusive),
        (name, "{ user: \"me\", uid: 0 }"),
        (id, "{ user: \"\", uid: 7 }"),
        (no_name, empty_name),
        (root, empty_id),
    ]);

    let rules = [Rule::MutuallyExclusive(&["user", "uid"]), Rule::RequiredOneOf(&["user", "uid"])];
    assert_eq!(OnOne::block().rules, rules);
    assert_eq!(OnBoth::block().rules, rules, "each once");
    assert!(OnOne::block().fields.iter().all(|field| field.nonempty && !field.required));
    let registry = Registry::new().with::<OnOne>().unwrap();
    let schema =
        converge_core::view::json_schema::resource_type(registry.get("test.one").unwrap()).to_string();
    for part in [
        r#"{"anyOf":[{"required":["user"]},{"required":["uid"]}]}"#,
        r#"{"not":{"allOf":[{"required":["user"]},{"required":["uid"]}]}}"#,
    ] {
        assert!(schema.contains(part), "{schema}");
    }
}

#[test]
fn a_linked_resource_registers_itself_unless_told_otherwise() {
    let registry = Registry::automatic().unwrap();
    let names: Vec<_> = registry.iter().map(|resource_type| resource_type.name()).collect();
    assert_eq!(names, ["test.owner"]);
    assert!(registry.with::<All>().unwrap().get("test.all").is_some());
}

impl Refresh for Able {
    async fn refresh(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

impl Batch for Able {
    async fn apply_batch(batch: &mut [&mut Self], _cx: &Context) -> Vec<Result<Status>> {
        batch.iter().map(|_| Ok(Status::new())).collect()
    }
}

/// A resource with all options of `#[preparer(..)]`.
#[derive(Debug, Preparer, Export)]
#[preparer(
    name = "test.able",
    task = Self,
    refresh,
    batch,
    lock = "test.database",
    example = "example.hcl",
    register = false
)]
struct Able {}

impl Task for Able {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

/// A resource without any options, whose task has none of the abilities.
#[derive(Debug, Preparer)]
#[preparer(name = "test.kept", task = Done, register = false)]
struct Kept {}
resource!(Kept);

#[test]
fn what_a_type_can_do_is_what_it_says() {
    let registry = Registry::new().with::<Able>().and_then(Registry::with::<Kept>).unwrap();
    let check = |name, refreshes, batches, lock, example: &str| {
        let known = registry.get(name).unwrap();
        assert_eq!((known.refreshes(), known.batches(), known.lock()), (refreshes, batches, lock), "{name}");
        assert_eq!(known.schema().example, example, "{name}");
    };
    check("test.able", true, true, Some("test.database"), "# Nothing is needed.\ntest.able \"x\" {}\n");
    check("test.kept", false, false, None, "");
}

/// The schedule fields shared by several resources.
#[derive(Debug, PartialEq, HclBlock)]
struct Times {
    /// The interval between two runs.
    #[hcl(default = "5s", mutually_exclusive = "interval,once")]
    interval: Duration,
    /// Whether there is only one run.
    #[hcl(mutually_exclusive = "interval,once")]
    once: Option<bool>,
    /// The mode in octal.
    #[hcl(alias = "bits", base = 8, required)]
    mode: u32,
}

/// A resource that embeds `Times`.
#[derive(Debug, Preparer)]
#[preparer(name = "test.embeds", task = Done, register = false)]
#[expect(dead_code, reason = "only read through Debug")]
struct Embeds {
    /// A field before the embedded ones.
    before: u8,
    #[hcl(embed)]
    times: Times,
    /// A field after the embedded ones.
    #[hcl(requires = "mode")]
    after: Option<u8>,
}
resource!(Embeds);

#[test]
fn embedded_fields_are_fields_of_the_whole() {
    let block = Embeds::block();
    let names: Vec<_> = block.fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["before", "interval", "once", "mode", "after"]);
    let check = |written: &[(&str, Value)], expect: Result<&str, &[&str]>| {
        let written = written.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let found = Embeds::from_fields(Fields::from_map(&block, written));
        let found = found.map(|found| format!("{found:?}"));
        let found = found.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>());
        let expect = expect.map(str::to_owned);
        assert_eq!(found, expect.map_err(|errors| errors.iter().map(ToString::to_string).collect()));
    };
    check(
        &[("bits", "17".into()), ("after", 2.into())],
        Ok("Embeds { before: 0, times: Times { interval: 5s, once: None, mode: 15 }, after: Some(2) }"),
    );
    // Each mistake is reported once, although both the resource and the embedded struct check it.
    check(
        &[("before", 300.into())],
        Err(&["`mode` is required", "300 is out of range: at least 0 and at most 255"]),
    );
    check(
        &[("mode", 8.into()), ("interval", "x".into()), ("once", true.into())],
        Err(&[
            "`interval` and `once` are mutually exclusive",
            "\"x\" is not a duration: write it like \"1m30s\", or as whole seconds",
        ]),
    );
    assert!(converge_core::Registry::new().with::<Embeds>().is_ok());
}

/// A resource with conditions on required fields.
#[derive(Debug, Preparer)]
#[preparer(name = "test.when", task = Done, register = false)]
#[expect(dead_code, reason = "only read through Debug")]
struct When {
    /// The desired existence.
    #[hcl(alias = "ensure")]
    state: Ensure,
    /// The protocol.
    #[hcl(default = "tcp")]
    protocol: Protocol,
    /// The count.
    count: u8,
    /// Whether all are meant.
    all: Option<bool>,
    /// The content.
    #[hcl(required_if = "state=present")]
    content: Option<String>,
    /// The number of the port.
    #[hcl(required_if = "protocol=udp, count=3")]
    port: Option<u16>,
    /// The names.
    #[hcl(required_unless = "all=true, port, state=absent", requires = "content")]
    names: Vec<String>,
}
resource!(When);

/// A word with an alias.
#[derive(Debug, HclEnum)]
enum Protocol {
    Tcp,
    #[hcl(alias = "datagrams")]
    Udp,
}

#[test]
fn what_is_required_may_depend_on_what_others_are() {
    let check = |entries: &[(&str, Value)], expect: &str| {
        let found = read::<When>(entries);
        let found = if found.starts_with("When") { String::new() } else { found };
        assert_eq!(found, expect, "{entries:?}");
    };
    let content = "content: `content` is required, as `state` is \"present\"";
    let names =
        "names: `names` is required unless `all` is \"true\" or `port` is written or `state` is \"absent\"";
    let udp = "port: `port` is required, as `protocol` is \"udp\"";
    let a: (&str, Value) = ("content", "a".into());
    let list: (&str, Value) = ("names", vec!["x"].into());

    // The default of the type is `present`.
    check(&[], &format!("{content}\n{names}"));
    check(&[("state", "absent".into())], "");
    check(&[("ensure", "absent".into())], "");
    check(
        &[("state", "present".into()), list.clone()],
        &format!("names: `names` requires `content`\n{content}"),
    );
    check(&[a.clone(), list.clone()], "");
    check(&[a.clone(), ("all", true.into())], "");
    check(&[a.clone(), ("all", "t".into())], "");
    check(&[a.clone(), ("all", false.into())], names);
    check(&[a.clone(), ("port", 80.into())], "");
    check(&[a.clone(), list.clone(), ("protocol", "udp".into())], udp);
    check(&[a.clone(), list.clone(), ("protocol", "datagrams".into())], udp);
    check(&[a.clone(), list.clone(), ("protocol", "tcp".into())], "");
    let three = "port: `port` is required, as `count` is \"3\"";
    check(&[a.clone(), list.clone(), ("count", 3.into())], three);
    check(&[a.clone(), list.clone(), ("count", "03".into())], three);
    check(&[a.clone(), list.clone(), ("count", 4.into())], "");
    // An invalid value satisfies no condition.
    check(&[a, list, ("protocol", "icmp".into())], "protocol: \"icmp\" is not one of tcp, udp");
}
