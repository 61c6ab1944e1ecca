use super::*;

#[test]
fn spellings_of_a_path_are_one_name() {
    let check = |path: &str, expect: &str| assert_eq!(Thing::new(kind::PATH, path).name(), expect, "{path}");
    check("/srv/www", "/srv/www");
    check("/srv//www/", "/srv/www");
    check("/./srv/./www/.", "/srv/www");
    check("./www", "www");
    check("www/", "www");
    check("//", "/");
    check("/", "/");
    check("./", ".");
    check("", ".");
    check("/srv/../www", "/srv/../www");
    check("a b/ c", "a b/ c");
    assert_eq!(Thing::new(kind::USER, "a//b").name(), "a//b");
}

#[test]
fn spellings_of_an_image_are_one_name() {
    let check = |name: &str, expect: &str| assert_eq!(Thing::new(kind::IMAGE, name).name(), expect, "{name}");
    check("nginx", "nginx:latest");
    check("docker.io/library/nginx", "nginx:latest");
    check("team/app:1.2", "team/app:1.2");
    check("registry:5000/app", "registry:5000/app:latest");
    check("app@sha256:00", "app@sha256:00");
}

#[test]
fn paths_have_paths_above_them() {
    let check = |path: &str, expect: &[&str]| {
        assert_eq!(Thing::new(kind::PATH, path).above().collect::<Vec<_>>(), expect, "{path}");
    };
    check("/srv/www/index.html", &["/srv/www", "/srv", "/"]);
    check("/srv", &["/"]);
    check("/", &[]);
    check("a/b/c", &["a/b", "a"]);
    check("a", &[]);
    assert_eq!(Thing::new(kind::UNIT, "/a/b").above().count(), 0);
}

#[test]
fn things_are_told_in_words() {
    assert_eq!(Thing::new(kind::PATH, "/srv//").to_string(), "`/srv`");
    assert_eq!(Thing::new(kind::VOLUME_GROUP, "data").to_string(), "the volume group `data`");
}
