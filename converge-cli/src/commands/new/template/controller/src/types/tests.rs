use converge_controller::testing::{admit, resource};

use super::*;

#[test]
fn what_is_left_out_is_filled_in() {
    let check = |given, expect| {
        let resource = resource("some")
            .with_data(SampleKind { parts: given })
            .build();
        assert_eq!(admit(resource), Ok(SampleKind { parts: expect }));
    };
    check(None, Some(1));
    check(Some(0), Some(0));
    check(Some(MOST_PARTS), Some(MOST_PARTS));
}

#[test]
fn everything_that_is_wrong_is_said() {
    let wrong = resource(&"x".repeat(61)).with_data(SampleKind { parts: Some(101) });
    let said = admit::<SampleKind>(wrong.build()).unwrap_err();
    assert_eq!(
        said,
        "id.name is longer than 60 characters; parts is more than 100"
    );
}

#[test]
fn a_part_has_an_owner_of_the_right_type() {
    let owner = resource::<SampleKind>("some").build().id;
    let part = || resource::<SampleKindPart>("some-0");
    assert_eq!(
        admit(part().with_owner(&owner).build()),
        Ok(SampleKindPart::default())
    );
    let said = admit::<SampleKindPart>(part().build()).unwrap_err();
    assert_eq!(said, "owner is missing");
    let said = admit::<SampleKindPart>(part().with_owner(&part().build().id).build()).unwrap_err();
    assert!(said.contains("SampleKindPart"), "{said}");
}
