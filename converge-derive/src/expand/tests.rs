//! Snapshots of the generated code, one for each sort of type.

use proc_macro2::TokenStream;
use syn::{DeriveInput, parse_quote};

fn check(name: &str, expand: fn(&DeriveInput) -> TokenStream, input: &DeriveInput) {
    let file = syn::parse2(expand(input)).expect("the expansion is a list of items");
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, prettyplease::unparse(&file));
    });
}

#[test]
fn a_resource() {
    let input = parse_quote! {
        /// Sets the owner of a file.
        #[preparer(name = "file.owner", task = Owner, validate, refresh, batch, lock = "owners", needs = (Store, Clock),
            example = "example.hcl")]
        struct OwnerPreparer {
            /// Path of the file.
            #[hcl(required, nonempty)]
            destination: String,
            /// Owner, by name.
            #[hcl(name = "user", mutually_exclusive = "user,uid")]
            username: Option<String>,
            /// Owner, by number.
            #[hcl(mutually_exclusive = "user,uid")]
            uid: Option<u32>,
            /// Permissions.
            #[hcl(base = 8, default = "0644")]
            mode: u32,
        }
    };
    check("preparer", super::preparer::expand, &input);
}

#[test]
fn embedded_fields() {
    let input = parse_quote! {
        struct Outer {
            /// The first.
            first: u8,
            #[hcl(embed)]
            inner: Inner,
            /// The last.
            last: u8,
        }
    };
    check("embed", super::block::expand, &input);
}

#[test]
fn a_task() {
    let input = parse_quote! {
        struct Shell {
            /// Working directory.
            #[export]
            dir: String,
            #[export(embed)]
            base: Base,
            /// The outcome of the last command.
            #[export(computed)]
            #[re_export_as = "status"]
            outcome: Option<Outcome>,
            hidden: u32,
        }
    };
    check("export", super::export::expand, &input);
}

#[test]
fn a_block() {
    let input = parse_quote! {
        struct Ipam {
            /// The network.
            #[hcl(required)]
            subnet: String,
            /// The way out.
            gateway: Option<String>,
        }
    };
    check("block", super::block::expand, &input);
}

#[test]
fn a_choice_of_words() {
    let input = parse_quote! {
        enum State {
            Present,
            #[hcl(alias = "gone")]
            Absent,
        }
    };
    check("enum", super::enums::expand, &input);
}

#[test]
fn a_text() {
    let input = parse_quote! {
        struct Port(u16);
    };
    check("text", super::text::expand, &input);
}

#[test]
fn a_mistake() {
    let input = parse_quote! {
        #[preparer(name = "file.owner")]
        struct OwnerPreparer {
            /// Path of the file.
            #[hcl(requird)]
            destination: String,
        }
    };
    check("preparer_stub", super::preparer::expand, &input);
}
