use super::*;
use crate::authorize::Everything;
use crate::identity::{Scope, Tenancy};
use crate::protobuf::Message as _;
use crate::validation::{Cause as Why, Invalid};

/// An album, with a hook of every kind.
#[derive(Clone, Debug, Default, PartialEq, converge_derive::StoredResource)]
#[stored(group = "demo", version = "v2", scope = cluster, validate = Album::check, mutate = Album::defaults,
    authorize(read = may_read, write = may_write, list = may_list))]
struct Album {
    #[stored(tag = 1)]
    title: String,
    #[stored(tag = 2)]
    tracks: u32,
}

impl Album {
    fn check(album: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("title").require(!album.title.is_empty(), Why::Empty);
        invalid.field("tracks").require(album.tracks > 0, Why::Missing);
        invalid.finish()
    }

    fn defaults(album: &mut Typed<Self>) -> Result<(), Cause> {
        if album.title == "immutable" {
            return Err("no".into());
        }
        if album.title.ends_with('\n') {
            album.title.pop();
        }
        if album.title == "noted" {
            album.metadata_mut().set("seen", "yes")?;
        }
        Ok(())
    }
}

/// Denies access to titles that begin with a dot.
fn may_read(_: &dyn Authorizer, _: &Id, album: Option<&Typed<Album>>) -> Access {
    album.map_or(Access::NeedResource, |album| (!album.title.starts_with('.')).into())
}

fn may_write(_: &dyn Authorizer, album: &Typed<Album>) -> Access {
    (album.title != "read-only").into()
}

fn may_list(_: &dyn Authorizer, tenancy: &TenancyPattern) -> Access {
    matches!(tenancy, TenancyPattern::Cluster).into()
}

/// A type without hooks.
#[derive(Clone, Debug, Default, PartialEq, converge_derive::StoredResource)]
#[stored(group = "demo", version = "v2", scope = cluster)]
struct Plain {}

fn id() -> Id {
    Id::new(Album::resource_type().clone(), Tenancy::Cluster, "life".parse().unwrap())
}

fn album(title: &str) -> Resource {
    Typed::new(id(), Album { title: title.to_owned(), tracks: 0 }).into_resource()
}

#[test]
fn a_type_registers_with_its_scope_and_path() {
    let mut registry = TypeRegistry::new();
    registry.register::<Album>().unwrap();
    let entry = registry.get(Album::resource_type()).unwrap();
    assert_eq!((entry.scope, &*entry.origin), (Scope::Cluster, std::any::type_name::<Album>()));
    let error = registry.register::<Album>().unwrap_err().to_string();
    assert!(error.starts_with("demo.v2.Album is registered twice"), "{error}");
}

#[test]
fn data_are_checked() {
    let hooks = Album::hooks();
    assert!(hooks.check_data(&Data::new(Album::resource_type(), vec![0x0a, 1, b'a'])).is_ok());
    let error = hooks.check_data(&Data::new(Album::resource_type(), vec![0x0a, 2, b'a'])).unwrap_err();
    assert_eq!(error.to_string(), "failed to decode Protobuf message: `title`: buffer underflow");
}

#[test]
fn what_is_wrong_is_told_as_one_error() {
    let error = Hooks::validate(&Album::hooks(), &album("")).unwrap_err();
    assert_eq!(error.to_string(), "title is empty; tracks is missing");
    assert_eq!(error.downcast_ref::<Invalid>().map(|invalid| invalid.problems().len()), Some(2));
    assert!(Hooks::validate(&Plain::hooks(), &Resource::new(id())).is_ok());
}

#[test]
fn data_are_encoded_anew_only_when_they_were_changed() {
    let mutate =
        |resource: &Resource| Hooks::mutate(&Album::hooks(), resource).map_err(|error| error.to_string());
    // The bytes have a field that the struct does not know, and then the title.
    let with_unknown = |title: &str| {
        let album = Album { title: title.to_owned(), tracks: 0 };
        let bytes = [&[0x78, 1], album.encode_to_vec().as_slice()].concat();
        Resource { data: Some(Data::new(Album::resource_type(), bytes)), ..Resource::new(id()) }
    };
    assert_eq!(mutate(&with_unknown("life")), Ok(None));
    assert_eq!(mutate(&Resource::new(id())), Ok(None));
    assert_eq!(mutate(&with_unknown("life\n")), Ok(Some(album("life"))));
    let noted = mutate(&with_unknown("noted")).unwrap().unwrap();
    assert_eq!((noted.metadata.get("seen"), noted.data), (Some("yes"), with_unknown("noted").data));
    assert_eq!(mutate(&album("immutable")), Err("no".to_owned()));
    assert!(Hooks::mutate(&Plain::hooks(), &Resource::new(id())).is_ok_and(|mutated| mutated.is_none()));
}

#[test]
fn the_type_says_who_may() {
    let hooks = Album::hooks();
    let read = |resource: Option<&Resource>| Hooks::authorize_read(&hooks, &Everything, &id(), resource);
    let write = |resource: &Resource| Hooks::authorize_write(&hooks, &Everything, resource);
    let broken =
        Resource { data: Some(Data::new(Album::resource_type(), vec![0x0a])), ..Resource::new(id()) };
    assert_eq!(read(None), Access::NeedResource);
    assert_eq!(read(Some(&album("life"))), Access::Allow);
    assert_eq!(read(Some(&album(".life"))), Access::Deny);
    assert_eq!(read(Some(&broken)), Access::Deny);
    assert_eq!(write(&album("life")), Access::Allow);
    assert_eq!(write(&album("read-only")), Access::Deny);
    assert_eq!(write(&broken), Access::Deny);
    let list = |pattern| Hooks::authorize_list(&hooks, &Everything, Album::resource_type(), &pattern);
    assert_eq!(list(TenancyPattern::Cluster), Access::Allow);
    assert_eq!(list(TenancyPattern::from_units("eu", "").unwrap()), Access::Deny);
    assert_eq!(Hooks::authorize_read(&Plain::hooks(), &Everything, &id(), None), Access::Allow);
}
