//! Small files of text that programs of the machine read: units, crontabs, settings. Everybody may read them, unless they hold a secret.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{Follow, WriteFile};

use crate::mount_table;
use crate::text::Text;

/// The most bytes of such a file. All of it is in memory, several times.
const MOST: u64 = 8 << 20;

/// The mode of a new file.
const MODE: u32 = 0o644;

/// That of one with a secret.
const SECRET_MODE: u32 = 0o600;

/// The mode of a folder that is made for one.
const FOLDER_MODE: u32 = 0o755;

/// The text of a file; `None` when there is none.
///
/// # Errors
///
/// It is too large, or no text in UTF-8.
pub(crate) async fn read(cx: &Context, path: &Path) -> Result<Option<String>> {
    let Some(found) = cx.system().files().read_head(path, MOST + 1).await? else { return Ok(None) };
    text(found.bytes).map(Some).map_err(|reason| Error::msg(format!("{} {reason}", path.display())))
}

/// Bytes as the text that they are.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.len() as u64 > MOST {
        return Err(format!("has more than {MOST} bytes: files of that size are not changed"));
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(format!("is no text: byte {at} is 0"));
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("is no text in UTF-8: see byte {}", error.utf8_error().valid_up_to()))
}

/// Adds the difference between a text that is there and one that is wanted.
#[cfg(feature = "systemd")]
pub(crate) fn differs(status: &mut Status, name: &str, before: Option<&str>, after: &Text) {
    if after.is_secret() {
        status.add_diff(name, SecretDiff { changes: true });
    } else {
        status.add_difference_with_default(name, before.unwrap_or_default(), &**after, "absent");
    }
}

/// Whether the folder of a file is there.
pub(crate) async fn has_folder(cx: &Context, path: &Path) -> Result<bool> {
    let Some(folder) = path.parent() else { return Ok(true) };
    Ok(cx.system().files().metadata(folder, Follow::Links).await?.is_some())
}

/// Makes the folder of a file, unless it is there.
pub(crate) async fn make_folder(cx: &Context, path: &Path) -> Result<()> {
    if let Some(folder) = path.parent()
        && !has_folder(cx, path).await?
    {
        cx.system().files().create_dir(folder, FOLDER_MODE).await?;
    }
    Ok(())
}

/// Writes the file: as a whole, but for one that is mounted by itself, which nothing can replace. Mode and owner of a file that is there stay.
pub(crate) async fn write(cx: &Context, path: &Path, text: &Text) -> Result<()> {
    let files = cx.system().files();
    let is_new = files.metadata(path, Follow::Links).await?.is_none();
    if !is_new && is_mounted(cx, path).await? {
        return Ok(files.write_in_place(path, text.as_bytes()).await?);
    }
    let mode = if text.is_secret() { SECRET_MODE } else { MODE };
    let write = WriteFile { mode: is_new.then_some(mode), ..WriteFile::new(text.as_bytes()) };
    Ok(files.write(path, write).await?)
}

/// Edits the file as it is at this moment, and makes its folder where there is none. A file of which nothing is left stays, and is empty.
#[cfg(feature = "system")]
pub(crate) async fn edit(cx: &Context, path: &Path, edit: impl FnOnce(&str) -> Result<String>) -> Result<()> {
    let found = read(cx, path).await?.unwrap_or_default();
    let edited = edit(&found)?;
    if edited == found {
        return Ok(());
    }
    make_folder(cx, path).await?;
    write(cx, path, &Text::new(edited, false)).await
}

/// Removes the file when nothing is in it.
#[cfg(feature = "system")]
pub(crate) async fn remove_empty(cx: &Context, path: &Path) -> Result<()> {
    match read(cx, path).await? {
        Some(text) if text.is_empty() => remove(cx, path).await,
        _ => Ok(()),
    }
}

/// Whether the file is a mount, as `/etc/hosts` of a container is.
async fn is_mounted(cx: &Context, path: &Path) -> Result<bool> {
    if cx.system().files().metadata(Path::new(mount_table::TABLE), Follow::Links).await?.is_none() {
        return Ok(false);
    }
    Ok(mount_table::all(cx).await?.iter().any(|mount| mount.target == path))
}

/// Removes the file, unless it has gone.
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
            let found = text(bytes.to_vec());
            assert_eq!(found.as_deref().map_err(String::as_str), expect);
        };
        check(b"a\r\n\xc3\xa4", Ok("a\r\n\u{e4}"));
        check(b"a\0", Err("is no text: byte 1 is 0"));
        check(b"ab\xff", Err("is no text in UTF-8: see byte 2"));
        let large = "has more than 8388608 bytes: files of that size are not changed";
        check(&vec![b'a'; (8 << 20) + 1], Err(large));
    }
}
