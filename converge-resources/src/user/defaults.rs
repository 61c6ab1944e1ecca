use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;

/// The settings of `useradd` that concern home directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Defaults {
    pub(super) homes: PathBuf,
    /// The directory whose content a new home directory gets.
    pub(super) skeleton: PathBuf,
    pub(super) mode: u32,
}

impl Defaults {
    pub(super) async fn read(cx: &Context) -> Result<Self> {
        let useradd = read(cx, "/etc/default/useradd").await?;
        let login = read(cx, "/etc/login.defs").await?;
        let path = |name, usual| PathBuf::from(find(&useradd, '=', name).unwrap_or(usual));
        let octal = |name| u32::from_str_radix(find(&login, ' ', name)?, 8).ok();
        let mode = octal("HOME_MODE").unwrap_or_else(|| 0o777 & !octal("UMASK").unwrap_or(0o022));
        Ok(Self { homes: path("HOME", "/home"), skeleton: path("SKEL", "/etc/skel"), mode: mode & 0o7777 })
    }

    pub(super) fn home_of(&self, name: &str) -> PathBuf {
        self.homes.join(name)
    }
}

async fn read(cx: &Context, path: &str) -> Result<String> {
    let file = cx.system().files().read(Path::new(path)).await?;
    Ok(file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default())
}

/// Returns the value of a name: the last line counts, as in the programs themselves.
fn find<'a>(text: &'a str, separator: char, name: &str) -> Option<&'a str> {
    let value = |line: &'a str| {
        let separates = |c: char| c == separator || (separator == ' ' && c.is_whitespace());
        let (key, value) = line.split_once(separates)?;
        (key == name).then(|| value.trim())
    };
    text.lines().map(str::trim).filter_map(value).next_back().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use converge_sdk::system::ModelSystem;

    use super::*;
    use crate::testing::context;

    #[tokio::test]
    async fn the_files_of_the_machine_decide() {
        let check = async |useradd: &str, login: &str, (homes, skeleton, mode): (&str, &str, u32)| {
            let model = ModelSystem::new()
                .with_file("/etc/default/useradd", useradd)
                .with_file("/etc/login.defs", login);
            let actual = Defaults::read(&context(Arc::new(model), RunMode::Plan)).await.unwrap();
            let expect = Defaults { homes: homes.into(), skeleton: skeleton.into(), mode };
            assert_eq!(actual, expect, "{useradd:?} {login:?}");
        };
        check("", "", ("/home", "/etc/skel", 0o755)).await;
        check("HOME=/srv/home\nSKEL=/srv/skel\n", "UMASK\t\t077\n", ("/srv/home", "/srv/skel", 0o700)).await;
        check("# HOME=/x\nHOME=\n", "UMASK 022\nHOME_MODE 0750\n", ("/home", "/etc/skel", 0o750)).await;
        check("HOMES=/x", "#HOME_MODE 0700\nUMASK many", ("/home", "/etc/skel", 0o755)).await;
        check("HOME=/a\nHOME=/b", "", ("/b", "/etc/skel", 0o755)).await;
    }
}
