#![doc = include_str!("../docs/guide.md")]

pub mod ten_minutes {
    #![doc = include_str!("../docs/guide/ten_minutes.md")]
}

pub mod shipping {
    #![doc = include_str!("../docs/guide/shipping.md")]
}

pub mod skeleton {
    #![doc = include_str!("../docs/guide/skeleton.md")]
}

pub mod tasks {
    #![doc = include_str!("../docs/guide/tasks.md")]
}

pub mod exports {
    #![doc = include_str!("../docs/guide/exports.md")]
}

pub mod preparer {
    #![doc = include_str!("../docs/guide/preparer.md")]
}

pub mod registering {
    #![doc = include_str!("../docs/guide/registering.md")]
}

pub mod system {
    #![doc = include_str!("../docs/guide/system.md")]
}

pub mod http {
    #![doc = include_str!("../docs/guide/http.md")]
}

pub mod secrets {
    #![doc = include_str!("../docs/guide/secrets.md")]
}

pub mod pending {
    #![doc = include_str!("../docs/guide/pending.md")]
}

pub mod footprints {
    #![doc = include_str!("../docs/guide/footprints.md")]
}

pub mod refresh {
    #![doc = include_str!("../docs/guide/refresh.md")]
}

pub mod locks {
    #![doc = include_str!("../docs/guide/locks.md")]
}

pub mod state {
    #![doc = include_str!("../docs/guide/state.md")]
}

pub mod functions {
    #![doc = include_str!("../docs/guide/functions.md")]
}

pub mod platforms {
    #![doc = include_str!("../docs/guide/platforms.md")]
}

pub mod testing {
    #![doc = include_str!("../docs/guide/testing.md")]
}

pub mod simulation {
    #![doc = include_str!("../docs/guide/simulation.md")]
}

pub mod plugins {
    #![doc = include_str!("../docs/guide/plugins.md")]
}

pub mod clippy {
    #![doc = include_str!("../docs/guide/clippy.md")]
}

pub mod language {
    #![doc = include_str!("../docs/language.md")]
}

pub mod embedding {
    #![doc = include_str!("../docs/embedding.md")]
}
