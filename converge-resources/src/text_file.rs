//! Small text files that programs of the machine read: units, crontabs, settings.
//!
//! They are readable for everybody, unless they contain a secret.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Follow, WriteFile};

use crate::text::Text;

/// The maximum number of bytes of a file. The whole file is in memory several times.
const MOST: u64 = 8 << 20;

const MODE: u32 = 0o644;

const SECRET_MODE: u32 = 0o600;

const FOLDER_MODE: u32 = 0o755;

/// Reads a file, or returns `None` if it does not exist.
///
/// # Errors
///
/// Returns an error if the file is too large, or not UTF-8 text.
pub(crate) async fn read(cx: &Context, path: &Path) -> Result<Option<String>> {
    let Some(head) = cx.system().files().read_head(path, MOST + 1).await? else { return Ok(None) };
    text(head.bytes).map(Some).map_err(|reason| Error::msg(format!("{} {reason}", path.display())))
}

pub(crate) fn text(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.len() as u64 > MOST {
        return Err(format!("has more than {MOST} bytes: files of that size are not changed"));
    }
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        return Err(format!("is not text: byte {offset} is 0"));
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8 text: see byte {}", error.utf8_error().valid_up_to()))
}

/// Adds the difference between the present and the declared text to `status`.
#[cfg(feature = "systemd")]
pub(crate) fn differs(status: &mut Status, name: &str, before: Option<&str>, after: &Text) {
    if after.is_secret() {
        status.add_diff(name, SecretDiff { changes: true });
    } else {
        status.add_difference_with_default(name, before.unwrap_or_default(), &**after, "absent");
    }
}

pub(crate) async fn has_folder(cx: &Context, path: &Path) -> Result<bool> {
    let Some(folder) = path.parent() else { return Ok(true) };
    Ok(cx.system().files().metadata(folder, Follow::Links).await?.is_some())
}

/// Creates the directory of a file, unless it exists.
pub(crate) async fn make_folder(cx: &Context, path: &Path) -> Result<()> {
    if let Some(folder) = path.parent()
        && !has_folder(cx, path).await?
    {
        cx.system().files().create_dir(folder, FOLDER_MODE).await?;
    }
    Ok(())
}

/// Replaces the file as a whole.
///
/// Mode and owner of an existing file stay.
pub(crate) async fn write(cx: &Context, path: &Path, text: &Text) -> Result<()> {
    let files = cx.system().files();
    let is_new = files.metadata(path, Follow::Links).await?.is_none();
    let mode = if text.is_secret() { SECRET_MODE } else { MODE };
    let write = WriteFile { mode: is_new.then_some(mode), ..WriteFile::new(text.as_bytes()) };
    Ok(files.write(path, write).await?)
}

/// Edits the present file, and creates its directory if that is missing.
///
/// A file that becomes empty stays.
#[cfg(feature = "system")]
pub(crate) async fn edit(cx: &Context, path: &Path, edit: impl FnOnce(&str) -> Result<String>) -> Result<()> {
    let current = read(cx, path).await?.unwrap_or_default();
    let edited = edit(&current)?;
    if edited == current {
        return Ok(());
    }
    make_folder(cx, path).await?;
    write(cx, path, &Text::new(edited, false)).await
}

#[cfg(feature = "system")]
pub(crate) async fn remove_empty(cx: &Context, path: &Path) -> Result<()> {
    match read(cx, path).await? {
        Some(text) if text.is_empty() => remove(cx, path).await,
        _ => Ok(()),
    }
}

pub(crate) async fn remove(cx: &Context, path: &Path) -> Result<()> {
    let files = cx.system().files();
    if files.metadata(path, Follow::Never).await?.is_some() {
        files.remove_file(path).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text() {
        let check = |bytes: &[u8], expect: Result<&str, &str>| {
            let actual = text(bytes.to_vec());
            assert_eq!(actual.as_deref().map_err(String::as_str), expect);
        };
        check(b"a\r\n\xc3\xa4", Ok("a\r\n\u{e4}"));
        check(b"a\0", Err("is not text: byte 1 is 0"));
        check(b"ab\xff", Err("is not UTF-8 text: see byte 2"));
        let large = "has more than 8388608 bytes: files of that size are not changed";
        check(&vec![b'a'; (8 << 20) + 1], Err(large));
    }
}
