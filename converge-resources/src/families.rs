//! The families of resources: each is a cargo feature, a folder, and some types.

use converge_core::{Registry, RegistryError};

/// A family of resource types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// The cargo feature of this crate without which its types are left out.
    pub feature: &'static str,
    /// The names of its types, in order.
    pub types: &'static [&'static str],
}

/// Writes down all families once: what is registered with a feature is known by name without it.
macro_rules! families {
    ($($feature:literal $module:ident: $($name:literal)*;)*) => {
        /// All families of this crate, whether they are built or not.
        pub const FAMILIES: &[Family] = &[$(Family { feature: $feature, types: &[$($name),*] }),*];

        /// Adds the types of all families that are built, and says of the others what they need.
        pub(crate) fn register(registry: Registry) -> Result<Registry, RegistryError> {
            $(
                #[cfg(feature = $feature)]
                let registry = crate::$module::register(registry)?;
                #[cfg(not(feature = $feature))]
                let registry = registry
                    $(.with_absent($name, concat!("the feature `", $feature, "` of converge-resources")))*;
            )*
            Ok(registry)
        }

        /// What each family that is built registers.
        #[cfg(test)]
        fn registered() -> Vec<(&'static str, Registry)> {
            vec![$(
                #[cfg(feature = $feature)]
                ($feature, crate::$module::register(Registry::new()).unwrap()),
            )*]
        }
    };
}

families! {
    "docker" docker: "docker.container" "docker.image" "docker.network" "docker.volume";
    "file" file: "file.content" "file.directory" "file.mode" "file.owner";
    "lvm" lvm: "filesystem" "lvm.logicalvolume" "lvm.volumegroup";
    "net" net: "file.fetch" "unarchive" "wait.port";
    "package" package: "package.apt" "package.rpm";
    "shell" shell: "healthcheck.task" "task" "task.query" "wait.query";
    "systemd" systemd: "systemd.unit.state";
    "user" user: "user.group" "user.user";
}

#[cfg(test)]
mod tests {
    use converge_core::load::Loader;

    use super::*;

    /// With all features this compares the whole table with what is registered.
    #[test]
    fn the_table_has_what_is_registered() {
        let language = Registry::new();
        for (feature, registry) in registered() {
            let types: Vec<_> = registry
                .iter()
                .map(|known| known.name())
                .filter(|name| language.get(name).is_none())
                .collect();
            let family = FAMILIES.iter().find(|family| family.feature == feature);
            assert_eq!(family.map(|family| family.types), Some(&*types), "{feature}");
        }
    }

    /// With no features this is about every type. `cargo xtask features` runs it so.
    #[test]
    fn a_type_without_its_feature_says_which_it_needs() {
        let registry = crate::registry().unwrap();
        let built: Vec<_> = registered().into_iter().map(|(feature, _)| feature).collect();
        for family in FAMILIES {
            for name in family.types {
                let loaded = Loader::new(&registry).load_text("m.hcl", format!("{name} \"it\" {{}}"));
                let said: Vec<_> =
                    loaded.diagnostics.iter().map(|found| (found.code, found.help.as_deref())).collect();
                if built.contains(&family.feature) {
                    assert!(said.iter().all(|(code, _)| *code != "absent-type"), "{name}: {said:?}");
                } else {
                    let help = format!(
                        "it needs the feature `{}` of converge-resources, without which this program was built",
                        family.feature
                    );
                    assert_eq!(said, [("absent-type", Some(&*help))], "{name}");
                }
            }
        }
    }
}
