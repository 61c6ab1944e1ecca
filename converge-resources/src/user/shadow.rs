//! `/etc/shadow`: passwords and the days of accounts, which only root may read.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::SystemErrorKind;

const SHADOW: &str = "/etc/shadow";

/// The text of the file; `what` says what is looked for in it.
pub(super) async fn read(cx: &Context, what: &str) -> Result<String> {
    let file = match cx.system().files().read(Path::new(SHADOW)).await {
        Err(error) if error.kind == SystemErrorKind::PermissionDenied => {
            return Err(Error::msg(format!("only root can read {what}: {error}")));
        }
        read => read?.ok_or_else(|| Error::NotFound { kind: "file", name: SHADOW.to_owned() })?,
    };
    Ok(String::from_utf8_lossy(&file.bytes).into_owned())
}

/// The fields of the line of a user.
pub(super) fn fields_of<'a>(shadow: &'a str, name: &str) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
    let of_user = |line: &&str| line.split(':').next() == Some(name);
    shadow.lines().find(of_user).map(|line| line.split(':'))
}

/// What stands for the password of a user; a user without a line has none.
pub(super) async fn password_of(cx: &Context, name: &str) -> Result<String> {
    let shadow = read(cx, &format!("the password of {name:?}")).await?;
    let password = fields_of(&shadow, name).and_then(|mut fields| fields.nth(1));
    Ok(password.unwrap_or("!").to_owned())
}
