use std::sync::Arc;

use converge_sdk::system::System;

use super::{HASH, UserPreparer, model, with_defaults};
use crate::testing::plan;

#[tokio::test]
async fn hashes_of_passwords() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |hash: &str, is_one: bool| {
        let output =
            plan::<UserPreparer>(&system, &with_defaults("ada", &[("password_hash", hash.into())])).await;
        let refused = "error: password_hash: (sensitive) is not a hash of a password, as `openssl passwd -6` \
                       prints it, or `*` for no password";
        assert_eq!(output == refused, !is_one, "{hash}: {output}");
        assert!(output == refused || output.starts_with("will change"), "{hash}: {output}");
    };
    check("*", true).await;
    check(HASH, true).await;
    check(
        "$6$salt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/",
        true,
    )
    .await;
    check("$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7", true).await;
    check("$2b$04$zq9aGx41Cig8ckDybhKlRee9ed76OYhmAiBg3CI1.rhj/g06TVs6G", true).await;
    for text in
        ["!", "hunter2", "$6$", "$6$salt$short", "$9$salt$qFmFH.bQmmtXzyBY0s9v7Oicd2z", "abJnggxhB/yWI"]
    {
        check(text, false).await;
    }
    // Letters that no hash has, and a hash that is cut off.
    check(
        "$6$saltsalt$lAFrYUQwn7E6VsjPOwQwoSx30lmpiU9r/E0Al7tzKrR9mkodcMEZGe9OXD0H/clOn6qdsUnaL4zefy5fG+++++",
        false,
    )
    .await;
    check(
        "$6$salt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh",
        false,
    )
    .await;
    check("$6$salt$qFmFH.bQmmtXzyBY0s9v7Oicd2z:0:0", false).await;
    check("$6$salt$qFmFH.bQmmtXzyBY0s9v7Oicd2z\nroot:x", false).await;
}
