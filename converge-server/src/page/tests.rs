use super::*;

#[test]
fn every_file_of_the_folder_is_served_once_and_nothing_else() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page/files");
    let mut contents: Vec<_> =
        folder.read_dir().unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
    let mut served: Vec<_> = FILES.iter().map(|file| file.content.to_vec()).collect();
    contents.sort();
    served.sort();
    assert_eq!(contents, served);
}

#[test]
fn what_a_client_knows_is_not_sent_again() {
    let file = &FILES[0];
    let tag = tag(file.content);
    let answer = |known: Option<&str>| {
        let mut headers = HeaderMap::new();
        headers.extend(known.map(|etag| (IF_NONE_MATCH, etag.parse().unwrap())));
        let answer = answer(file, &tag, &headers);
        assert_eq!(answer.headers()[ETAG], tag);
        assert_eq!(answer.headers()[CACHE_CONTROL], "no-cache");
        answer.status()
    };
    let tag_text = tag.to_str().unwrap();
    assert_eq!(answer(None), StatusCode::OK);
    assert_eq!(answer(Some("\"other\"")), StatusCode::OK);
    assert_eq!(answer(Some(tag_text)), StatusCode::NOT_MODIFIED);
    assert_eq!(answer(Some(&format!("\"other\", W/{tag_text}"))), StatusCode::NOT_MODIFIED);
    assert_eq!(answer(Some("*")), StatusCode::NOT_MODIFIED);
}

#[test]
fn files_make_no_markup_of_text_and_name_no_other_host() {
    for file in FILES {
        let text = std::str::from_utf8(file.content).unwrap();
        // An XML namespace is never requested.
        let text = text.replace("http://www.w3.org/2000/svg", "");
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "//",
            "style=",
            "onclick",
        ] {
            let match_line =
                text.lines().find(|line| !line.trim_start().starts_with("//") && line.contains(word));
            assert_eq!(match_line, None, "{} has {word}", file.path);
        }
    }
}
