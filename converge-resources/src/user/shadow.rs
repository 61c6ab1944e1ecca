//! Access to `/etc/shadow`: passwords and dates of accounts, which only root may read.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::SystemErrorKind;

const SHADOW: &str = "/etc/shadow";

/// Returns the text of the file; `what` names the requested information in the error.
pub(super) async fn read(cx: &Context, action: &str) -> Result<String> {
    let file = match cx.system().files().read(Path::new(SHADOW)).await {
        Err(error) if error.kind == SystemErrorKind::PermissionDenied => {
            return Err(Error::msg(format!("only root can read {action}: {error}")));
        }
        read => read?.ok_or_else(|| Error::NotFound { kind: "file", name: SHADOW.to_owned() })?,
    };
    Ok(String::from_utf8_lossy(&file.bytes).into_owned())
}

pub(super) fn user_fields<'a>(
    shadow: &'a str,
    name: &str,
) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
    let of_user = |line: &&str| line.split(':').next() == Some(name);
    shadow.lines().find(of_user).map(|line| line.split(':'))
}

/// Returns the password field of a user; for a user without a line, it is empty.
pub(super) async fn password_field(cx: &Context, name: &str) -> Result<String> {
    let shadow = read(cx, &format!("the password of {name:?}")).await?;
    let password = user_fields(&shadow, name).and_then(|mut fields| fields.nth(1));
    Ok(password.unwrap_or("!").to_owned())
}
