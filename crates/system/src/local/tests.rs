use super::*;

#[tokio::test]
async fn root_is_found_by_name_and_id() {
    let users = LocalSystem::new();
    let by_name = users.user_by_name("root").await;
    assert_eq!(by_name.as_ref().map(|user| user.as_ref().map(|user| user.uid)), Ok(Some(0)));
    assert_eq!(users.user_by_uid(0).await, by_name);
    let by_gid = users.group_by_gid(0).await;
    let name = by_gid.as_ref().ok().and_then(|group| group.as_ref()).map(|group| group.name.clone());
    assert_eq!(users.group_by_name(&name.unwrap_or_default()).await, by_gid);
    for name in ["", "no such user", "with\0zero"] {
        assert_eq!(users.user_by_name(name).await, Ok(None), "{name:?}");
        assert_eq!(users.group_by_name(name).await, Ok(None), "{name:?}");
    }
}

#[test]
fn the_machine_is_known() {
    let local = LocalSystem::new();
    assert_eq!(local.platform().os, if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS });
    assert_eq!(local.env("PATH"), std::env::var("PATH").ok());
    assert_eq!(local.env("CONVERGE_NO_SUCH_VARIABLE"), None);
}
