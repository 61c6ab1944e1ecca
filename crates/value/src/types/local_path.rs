//! Paths of the values of locals (`local.NAME`).

#[doc(hidden)]
pub fn local_path(name: &str) -> String {
    format!("local.{name}.val")
}

#[doc(hidden)]
pub fn local_name(path: &str) -> Option<&str> {
    path.strip_prefix("local.")?.strip_suffix(".val")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_back_to_its_name() {
        let check = |path: &str, expect: Option<&str>| assert_eq!(local_name(path), expect, "{path}");
        check(&local_path("port"), Some("port"));
        check(&local_path("a.b"), Some("a.b"));
        check("param.port.val", None);
        check("local.port", None);
        check("local.", None);
    }
}
