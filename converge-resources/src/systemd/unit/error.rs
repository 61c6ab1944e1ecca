/// The reason why an operation on a unit is impossible, known in advance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("unit {unit:?} does not exist: install its package, or write its file first and depend on that")]
    NotFound { unit: String },
    #[error(
        "{unit} cannot be enabled itself, as its [Install] section names only other units (`Also=`): write `enabled` \
         for those units"
    )]
    Indirect { unit: String },
    #[error("{unit} is masked, so it cannot be {verb}: write `masked = false`")]
    Masked { unit: String, verb: &'static str },
    #[error("{unit} cannot be started, as its file is wrong: {reason}")]
    Bad { unit: String, reason: String },
    #[error("{unit} cannot be {verb} by itself: systemd only does that when another unit asks for it")]
    ByHand { unit: String, verb: &'static str },
    #[error(
        "{unit} is of Type=oneshot and ends when its work is done, so it is never running: write \
         RemainAfterExit=yes in its file, or `state = \"restarted\"` to run it"
    )]
    NeverStays { unit: String },
}
