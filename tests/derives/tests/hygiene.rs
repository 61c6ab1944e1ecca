//! Tests that generated code works among the names and under the lints of the author's module.
#![deny(missing_docs, warnings, unreachable_pub, clippy::pedantic)]
#![forbid(unsafe_code)]

/// A resource in a module where common names mean something else.
pub mod shadowed {
    use ::converge_core as engine;
    use ::std::option::Option as Maybe;

    /// A type that is not the one of the prelude, like those that follow.
    #[derive(Debug)]
    pub struct Option;
    /// Not the type of the prelude.
    #[derive(Debug)]
    pub struct Vec;
    /// Not the type of the prelude.
    #[derive(Debug)]
    pub struct Result;
    /// Not the type of Converge.
    #[derive(Debug)]
    pub struct Value;
    /// Not the variant of the prelude.
    #[derive(Debug)]
    pub struct Some;

    macro_rules! constants {
        ($($name:ident)*) => {$(
            /// A constant that would turn a local binding of the same name into a pattern.
            #[expect(non_upper_case_globals, reason = "the name is the point")]
            pub const $name: u8 = 0;
        )*};
    }
    constants!(fields field field_0 exports value conversion word);

    /// The resource.
    #[derive(Debug, engine::Preparer)]
    #[preparer(name = "test.shadowed", task = Task)]
    pub struct Resource {
        /// A field.
        #[hcl(required, nonempty)]
        pub value: ::std::string::String,
        /// Another.
        #[hcl(default = 5, min = 1, required_one_of = "other,block")]
        pub other: u8,
        /// An alias for a type that a macro would recognize by name.
        pub maybe: Maybe<::std::string::String>,
        /// A block.
        pub block: Maybe<Block>,
    }

    /// A block.
    #[derive(Debug, engine::HclBlock)]
    pub struct Block {
        /// A word.
        #[hcl(required)]
        pub word: Word,
    }

    /// A word.
    #[derive(Clone, Copy, Debug, engine::HclEnum)]
    pub enum Word {
        /// One.
        One,
        /// Two.
        Two,
    }

    /// The task.
    #[derive(Debug, engine::Export)]
    pub struct Task {
        /// A value.
        #[export]
        pub exports: u8,
        /// Its outcome.
        #[re_export_as = "status"]
        pub fields: Inner,
        /// More of it.
        #[export(embed)]
        pub inner: Inner,
    }

    /// The inner part.
    #[derive(Debug, engine::Export)]
    pub struct Inner {
        /// A word.
        #[export(computed)]
        pub word: Word,
    }

    impl engine::Resource for Resource {
        async fn prepare(
            self,
            _cx: &engine::Context,
            _renderer: &dyn engine::Renderer,
        ) -> engine::Result<Task> {
            let word_of_block = self.block.map_or(Word::One, |block| block.word);
            Ok(Task {
                exports: self.other,
                fields: Inner { word: word_of_block },
                inner: Inner { word: Word::Two },
            })
        }
    }

    impl engine::Task for Task {
        async fn check(
            &mut self,
            _cx: &engine::Context,
            _renderer: &dyn engine::Renderer,
        ) -> engine::Result<engine::Status> {
            Ok(engine::Status::new())
        }

        async fn apply(&mut self, _cx: &engine::Context) -> engine::Result<engine::Status> {
            Ok(engine::Status::new())
        }
    }
}

/// Stored types in a module where common names mean something else.
pub mod stored {
    use ::converge_controller as controller;
    use ::std::option::Option as Maybe;

    /// A type that is not the one of the prelude, like those that follow.
    #[derive(Debug)]
    pub struct Option;
    /// Not the type of the prelude.
    #[derive(Debug)]
    pub struct Vec;
    /// Not the type of the prelude.
    #[derive(Debug)]
    pub struct Result;
    /// Not the variant of the prelude.
    #[derive(Debug)]
    pub struct Some;
    /// Not the trait of prost.
    #[derive(Debug)]
    pub struct Message;

    macro_rules! constants {
        ($($name:ident)*) => {$(
            /// A constant that would turn a local binding of the same name into a pattern.
            #[expect(non_upper_case_globals, reason = "the name is the point")]
            pub const $name: u8 = 0;
        )*};
    }
    constants!(tag buf context wire_type number error list earlier);

    /// A resource.
    #[derive(Clone, Debug, Default, PartialEq, controller::StoredResource)]
    #[stored(group = "demo", version = "v2", scope = namespace)]
    pub struct Resource {
        /// A field.
        #[stored(tag = 1)]
        pub buf: ::std::string::String,
        /// A message.
        #[stored(tag = 2)]
        pub tag: Maybe<Inner>,
        /// Enums.
        #[stored(tag = 3)]
        pub list: ::std::vec::Vec<Choice>,
    }

    /// A message.
    #[derive(Clone, Debug, Default, PartialEq, controller::StoredMessage)]
    #[stored(group = "demo", version = "v2")]
    pub struct Inner {
        /// An enum.
        #[stored(tag = 1)]
        pub context: Choice,
    }

    /// An enum.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, controller::StoredEnum)]
    #[stored(group = "demo", version = "v2")]
    pub enum Choice {
        /// None.
        Unspecified = 0,
        /// One.
        One = 1,
    }

    /// A resource without fields.
    #[derive(Clone, Debug, Default, PartialEq, controller::StoredResource)]
    #[stored(group = "demo", version = "v2", scope = cluster)]
    pub struct Empty {}
}

#[test]
fn stored_types_are_written_and_read_among_other_names() {
    use converge_controller::protobuf::Message;
    use stored::{Choice, Inner, Resource};

    let resource = Resource {
        buf: "a".to_owned(),
        tag: Some(Inner { context: Choice::One }),
        list: vec![Choice::One, Choice::Unspecified],
    };
    assert_eq!(Resource::decode(resource.encode_to_vec().as_slice()), Ok(resource));
    assert_eq!(stored::Empty::decode(&b""[..]), Ok(stored::Empty {}));
}

/// Blocks written by a macro, whose types and literals reach the derive in invisible groups.
pub mod made_by_a_macro {
    macro_rules! block {
        ($block:ident, $name:literal, $ty:ty, $default:expr) => {
            /// A block.
            #[derive(Debug, converge_core::HclBlock)]
            pub struct $block {
                /// A field.
                #[hcl(name = $name, default = $default)]
                pub value: $ty,
            }
        };
    }
    block!(Text, "text", String, "a");
    block!(Number, "number", Option<i8>, -5);
}

#[test]
fn macros_may_write_definitions() {
    use converge_core::schema::Kind;
    use converge_core::value::{FromValue, Value};

    let check = |kind: Kind, name: &str, default: Value| {
        let Kind::Block(block) = kind else { unreachable!("a block is a block") };
        assert_eq!((block.fields[0].name, &block.fields[0].default), (name, &Some(default)));
    };
    check(made_by_a_macro::Text::kind(), "text", "a".into());
    check(made_by_a_macro::Number::kind(), "number", Value::Int(-5));
}

#[test]
fn names_of_the_author_do_not_change_the_code() {
    use converge_core::{Export, Preparer};

    let block = shadowed::Resource::block();
    let values = [("value", "a".into()), ("block", converge_core::value::Value::from([("word", "two")]))];
    let values = values.map(|(name, value)| (name.to_owned(), value));
    let resource =
        shadowed::Resource::from_fields(converge_core::schema::Fields::from_map(&block, values)).unwrap();
    assert_eq!((resource.other, resource.maybe), (5, None));
    assert_eq!(resource.block.unwrap().word.as_str(), "two");
    let names: Vec<_> = shadowed::Task::export_fields().iter().map(|field| field.name).collect();
    assert_eq!(names, ["exports", "status", "word", "Inner"]);
}
