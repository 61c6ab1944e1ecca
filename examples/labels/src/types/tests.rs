use converge_controller::storage::Consistency;
use converge_controller::testing::{TestClient, admit, resource};
use converge_controller::{StoredResource, Typed};

use super::v2::{Album, Artist, Concept, Genre};
use super::{Executive, RecordLabel, v1};
use crate::register_types;

fn artist() -> Artist {
    Artist { name: "KoЯn".into(), ..Artist::default() }
}

#[test]
fn what_is_left_out_is_filled_in() {
    let check = |given, expect| {
        let input = resource("korn").with_data(Artist { genre: given, ..artist() }).build();
        assert_eq!(admit(input), Ok(Artist { genre: expect, ..artist() }));
    };
    check(Genre::Unspecified, Genre::Disco);
    check(Genre::Metal, Genre::Metal);
}

/// Checks the errors of a type for invalid data.
#[track_caller]
fn refused<T: StoredResource + std::fmt::Debug>(data: T, expect: &str) {
    let owner = resource::<Concept>("concept").build().id;
    let input = resource("some").with_data(data).with_owner(&owner).build();
    assert_eq!(admit::<T>(input).unwrap_err(), expect);
}

#[test]
fn everything_that_is_wrong_is_said() {
    let members = [("Head", ""), ("", "bass")].map(|(name, plays)| (name.into(), plays.into()));
    refused(
        Artist { name: String::new(), members: members.into(), ..artist() },
        "name is empty; members: the key \"\" is empty; members[\"Head\"] plays nothing",
    );
    refused(
        Album { title: String::new(), year: 1876, tracks: vec!["Dead".into(), String::new()] },
        "title is empty; year was before there were records; tracks[1] is empty; the owner is a demo.v2.Concept, but \
         must be a demo.v2.Artist",
    );
    refused(RecordLabel::default(), "name is empty");
    refused(
        Executive { position: "president".into() },
        "the owner is a demo.v2.Concept, but must be a demo.v1.RecordLabel",
    );
}

#[tokio::test(start_paused = true)]
async fn an_artist_is_in_one_version_at_a_time() {
    let client = TestClient::in_memory(register_types).await;
    let old = v1::Artist { name: "KoЯn".into(), description: "loud".into() };
    let old = resource("korn").with_data(old).write(&client).await;

    // The name, uid and version stay the same; only the type differs.
    let id = resource::<Artist>("korn").build().id;
    let message = client.find_as::<Artist>(&id, Consistency::Strong).await.unwrap_err().to_string();
    assert!(
        message.contains("was asked for as demo.v2.Artist, and is stored as demo.v1.Artist"),
        "{message}"
    );
    let mut new = Typed::new(id.clone(), Artist::from(old.data.clone()));
    new.resource.version = old.resource.version.clone();
    let new = client.write_as(new).await.unwrap();
    assert_eq!((new.id().uid, new.genre), (old.id().uid, Genre::Disco));
    let message = client.find_as::<v1::Artist>(old.id(), Consistency::Strong).await.unwrap_err().to_string();
    assert!(message.contains("is stored as demo.v2.Artist"), "{message}");
}
