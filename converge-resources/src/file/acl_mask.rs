//! Permission bits of files with an access control list, whose group bits are the mask of the list.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Acl, ExtendedAttribute, Follow};

/// Adds a message to `status` if a new mode of an existing file also sets the mask of its list.
pub(crate) async fn report(cx: &Context, status: &mut Status, path: &Path, mode: u32) -> Result<()> {
    let attributes = cx.system().files().extended_attributes(path, Follow::Links).await?;
    if attributes.is_some_and(|attributes| Acl::find(&attributes, Acl::ACCESS).is_some()) {
        status.add_message(format!(
            "the mode sets the mask of the access control list: its users and groups get at most {}",
            permissions(mode >> 3)
        ));
    }
    Ok(())
}

/// Returns the bits of a file for a copy without its list.
///
/// The group of the copy may do no more than the group of the file.
pub(crate) fn without_list(mode: u32, attributes: &[ExtendedAttribute]) -> u32 {
    let acl = Acl::find(attributes, Acl::ACCESS);
    acl.map_or(mode, |acl| mode & !0o070 | acl.group_permissions() << 3)
}

/// Returns three bits as text: `rw-`.
pub(crate) fn permissions(bits: u32) -> String {
    [(4, 'r'), (2, 'w'), (1, 'x')]
        .map(|(bit, letter)| if bits & bit == 0 { '-' } else { letter })
        .iter()
        .collect()
}
