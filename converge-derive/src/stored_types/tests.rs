//! Snapshots of the code generated for stored types, one for each sort of type.

use proc_macro2::TokenStream;
use syn::{DeriveInput, parse_quote};

use super::names::screaming;

fn check(name: &str, expand: fn(&DeriveInput) -> TokenStream, input: &DeriveInput) {
    let file = syn::parse2(expand(input)).expect("the expansion is a list of items");
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, prettyplease::unparse(&file));
    });
}

#[test]
fn a_resource() {
    let input = parse_quote! {
        /// A record by an artist.
        #[stored(group = "demo", version = "v2", kind = "Album", scope = namespace, reserved(1, 5..=7),
            reserved_names("old"))]
        struct AlbumData {
            /// The title of the album.
            #[stored(tag = 3)]
            title: String,
            /// The artist who made the album.
            #[stored(tag = 2)]
            artist: Option<Ref<Artist>>,
        }
    };
    check("resource", super::expand_resource, &input);
}

#[test]
fn a_message() {
    let input = parse_quote! {
        #[stored(package = "demo", name = "Track")]
        struct TrackData {
            #[stored(tag = 1)]
            r#type: String,
        }
    };
    check("message", super::expand_message, &input);
}

#[test]
fn an_enum() {
    let input = parse_quote! {
        /// The genre of the music.
        #[stored(group = "demo", version = "v2")]
        enum Genre {
            /// No genre was given.
            Unspecified = 0,
            JazzRock = -5,
        }
    };
    check("enum", super::expand_enum, &input);
}

#[test]
fn a_oneof() {
    let input = parse_quote! {
        /// The source of the text.
        enum Source {
            /// The text itself.
            #[stored(tag = 3)]
            Text(String),
            #[stored(tag = 5, name = "url")]
            WebAddress(String),
        }
    };
    check("oneof", super::expand_oneof, &input);
    let input = parse_quote! {
        #[stored(package = "demo", reserved_names("old_text"))]
        struct Track {
            #[stored(tag = 4)]
            file_name: String,
            /// The source of the text.
            #[stored(oneof(3, 5))]
            source: Option<Source>,
        }
    };
    check("message_with_oneof", super::expand_message, &input);
}

#[test]
fn a_mistake() {
    let input = parse_quote! {
        #[stored(group = "demo", version = "v2", scope = namespaec)]
        struct Album {
            title: String,
        }
    };
    check("resource_stub", super::expand_resource, &input);
}

#[test]
fn variants_become_screaming() {
    for (variant, word) in [
        ("Present", "PRESENT"),
        ("NotFound", "NOT_FOUND"),
        ("LinuxLSBLike", "LINUX_LSB_LIKE"),
        ("Sha256", "SHA256"),
        ("MD5", "MD5"),
        ("Snake_Case", "SNAKE_CASE"),
        ("A", "A"),
    ] {
        assert_eq!(screaming(variant), word);
    }
}
