//! The SSH key of a user, in a directory that the user controls.

use std::ffi::OsStr;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{self, CommitFile, Directory, FileKind, Inherit, TempDir};
use converge_sdk::value::Secret;

use crate::user::run;
use crate::user::ssh_folder;
use crate::user::tool::{AccountTool, ToolRun};

/// The path of the key below the home directory.
pub(super) const PRIVATE: &str = ".ssh/id_ed25519";

const KEY: &str = "id_ed25519";
const PUBLIC_KEY: &str = "id_ed25519.pub";

/// The maximum number of bytes of a public key.
const PUBLIC_BYTES: usize = 16 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// The home directory does not exist.
    NoHome,
    Missing,
    /// The private key exists, with the public key if that exists.
    Present(Option<String>),
}

/// Looks up the key, without following any link of the user.
pub(super) async fn find(cx: &Context, home: &Path) -> Result<Key> {
    let Some(home) = cx.system().files().open_dir(home).await? else { return Ok(Key::NoHome) };
    let Some(folder) = home.open_dir(OsStr::new(ssh_folder::NAME)).await? else { return Ok(Key::Missing) };
    match folder.metadata(OsStr::new(KEY)).await? {
        None => Ok(Key::Missing),
        Some(metadata) if metadata.kind == FileKind::File => Ok(Key::Present(public(&*folder).await?)),
        Some(_) => Err(Error::msg(format!("{} is not a file", folder.path().join(KEY).display()))),
    }
}

async fn public(folder: &dyn Directory) -> Result<Option<String>> {
    let name = OsStr::new(PUBLIC_KEY);
    let is_file = folder.metadata(name).await?.is_some_and(|metadata| metadata.kind == FileKind::File);
    let Some(file) = (if is_file { folder.open(name).await? } else { None }) else { return Ok(None) };
    let mut bytes = vec![0; PUBLIC_BYTES];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(filled as u64, rest).await? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Ok(String::from_utf8(bytes).ok().map(|text| text.trim_end().to_owned()))
}

/// Creates a key in a directory that nobody else can read, and puts it into the home directory.
pub(super) async fn make(cx: &Context, home: &Path, user: &system::User) -> Result<()> {
    let temporary = cx.system().files().temp_dir().await?;
    let pair = generate(cx, &*temporary, &user.name).await;
    temporary.remove().await?;
    let (private, public) = pair?;
    let owner = ssh_folder::owner(user);
    let missing = || Error::NotFound { kind: "directory", name: home.display().to_string() };
    let opened = cx.system().files().open_dir(home).await?.ok_or_else(missing)?;
    let folder = ssh_folder::open(cx, &*opened, user).await?;
    // The private key comes last, because it is the sign of a complete key.
    for (name, mode, content) in [(PUBLIC_KEY, 0o644, &public), (KEY, 0o600, private.expose())] {
        let mut staged = folder.stage(OsStr::new(name)).await?;
        staged.write(content).await?;
        let commit = CommitFile {
            mode: Some(mode),
            ownership: owner,
            inherit: Inherit::FromTrusted,
            ..CommitFile::default()
        };
        staged.commit(commit).await?;
    }
    Ok(())
}

async fn generate(cx: &Context, temporary: &dyn TempDir, user: &str) -> Result<(Secret<Vec<u8>>, Vec<u8>)> {
    let path = temporary.path().join("key");
    let args = ["-q", "-t", "ed25519", "-N", "", "-C", user, "-f"].map(str::to_owned);
    let args = args.into_iter().chain([path.to_string_lossy().into_owned()]).collect();
    let tool = AccountTool::SshKeygen;
    run::run(cx, &ToolRun { tool, args, input: Secret::default() }).await?;
    let mut keys = Vec::new();
    for path in [path.with_extension("pub"), path] {
        let file = cx.system().files().read(&path).await?;
        let missing = || Error::NotFound { kind: "file", name: path.display().to_string() };
        keys.push(file.ok_or_else(missing)?.bytes);
    }
    match <[Vec<u8>; 2]>::try_from(keys) {
        Ok([public, private]) => Ok((Secret::new(private), public)),
        Err(_) => Err(Error::msg("`ssh-keygen` made no pair of keys")),
    }
}
