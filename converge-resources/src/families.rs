//! The families of resources, each with a cargo feature, a folder and its types.

use converge_sdk::{Registry, RegistryError};

/// A family of resource types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// The cargo feature of this crate that builds its types.
    pub feature: &'static str,
    /// The names of its types, in order.
    pub types: &'static [&'static str],
}

/// The system that some types need.
///
/// These types change owners, modes, users, packages and units, or start programs with a shell.
#[cfg(not(unix))]
const UNIX: &str = "Unix";

/// Lists all families once.
///
/// Each type has its name and its preparer, which exists only with the feature of the family. Some types
/// exist only on Unix.
macro_rules! families {
    ($($feature:literal $family:ident { $($name:literal $($preparer:ident)::+ $([$system:ident])?;)* })*) => {
        /// All families of this crate, whether they are built or not.
        pub const FAMILIES: &[Family] = &[$(Family { feature: $feature, types: &[$($name),*] }),*];

        /// Registers the types of all families that are built, and the requirements of the others.
        pub(crate) fn register(registry: Registry) -> Result<Registry, RegistryError> {
            let registry = registry.into_builder();
            $(
                $(
                    #[cfg(all(feature = $feature $(, $system)?))]
                    let registry = registry.with::<crate::$family::$($preparer)::+>();
                    $(
                        #[cfg(all(feature = $feature, not($system)))]
                        let registry = registry.with_absent($name, UNIX);
                    )?
                )*
                #[cfg(not(feature = $feature))]
                let registry = registry
                    $(.with_absent($name, concat!("the feature `", $feature, "` of converge-resources")))*;
            )*
            registry.build()
        }

        #[cfg(test)]
        fn registered() -> Vec<(&'static str, Registry)> {
            vec![$(
                #[cfg(feature = $feature)]
                ($feature, {
                    let registry = Registry::builder();
                    $(
                        #[cfg(all(feature = $feature $(, $system)?))]
                        let registry = registry.with::<crate::$family::$($preparer)::+>();
                    )*
                    registry.build().unwrap()
                }),
            )*]
        }
    };
}

families! {
    "ask" assertion {
        "assert" assert::AssertPreparer;
        "message" message::MessagePreparer;
    }
    "docker" docker {
        "docker.container" container::ContainerPreparer [unix];
        "docker.image" image::ImagePreparer [unix];
        "docker.network" network::NetworkPreparer [unix];
        "docker.volume" volume::Volume [unix];
    }
    "file" file {
        "file.absent" absent::AbsentPreparer [unix];
        "file.acl" acl::AclPreparer [unix];
        "file.block" block::BlockPreparer [unix];
        "file.capability" capability::CapabilityPreparer [unix];
        "file.content" content::ContentPreparer;
        "file.copy" copy::CopyPreparer [unix];
        "file.directory" directory::DirectoryPreparer [unix];
        "file.ini" ini::IniPreparer [unix];
        "file.line" line::LinePreparer [unix];
        "file.link" link::LinkPreparer [unix];
        "file.mode" mode::ModePreparer [unix];
        "file.owner" owner::OwnerPreparer [unix];
        "file.query" query::QueryPreparer [unix];
        "file.replace" replace::ReplacePreparer [unix];
        "file.xattr" xattr::XattrPreparer [unix];
        "file.yaml" yaml::YamlPreparer [unix];
    }
    "firewall" firewall {
        "firewall.firewalld" firewalld::FirewalldPreparer [unix];
        "firewall.ufw" ufw::UfwPreparer [unix];
    }
    "git" git {
        "git.checkout" checkout::GitCheckoutPreparer [unix];
    }
    "lvm" lvm {
        "filesystem" filesystem::FilesystemPreparer [unix];
        "lvm.logicalvolume" logicalvolume::LogicalVolumePreparer [unix];
        "lvm.volumegroup" volumegroup::VolumeGroup [unix];
    }
    "net" net {
        "file.fetch" fetch::FetchPreparer [unix];
        "http.request" request::RequestPreparer [unix];
        "net.query" query::PortQueryPreparer [unix];
        "unarchive" unarchive::UnarchivePreparer [unix];
        "wait.port" port::PortPreparer;
    }
    "package" package {
        "package.apt" apt::AptPreparer [unix];
        "package.apt_repo" apt_repo::AptRepoPreparer [unix];
        "package.debconf" debconf::DebconfPreparer [unix];
        "package.install" install::InstallPreparer [unix];
        "package.pip" pip::PipPreparer [unix];
        "package.query" query::QueryPreparer [unix];
        "package.rpm" rpm::RpmPreparer [unix];
        "package.rpm_repo" rpm_repo::RpmRepoPreparer [unix];
    }
    "random" random {
        "random.choice" choice::ChoicePreparer;
        "random.id" id::IdPreparer;
        "random.integer" integer::IntegerPreparer;
        "random.password" password::PasswordPreparer;
        "random.shuffle" shuffle::ShufflePreparer;
        "random.uuid" uuid::UuidPreparer;
    }
    "shell" shell {
        "healthcheck.task" healthcheck::HealthcheckPreparer [unix];
        "task" script::ScriptPreparer [unix];
        "task.query" query::QueryPreparer [unix];
        "wait.query" wait::WaitPreparer [unix];
    }
    "system" system {
        "cron.job" cron::CronJobPreparer [unix];
        "system.alternative" alternative::AlternativePreparer [unix];
        "system.hostname" hostname::HostnamePreparer [unix];
        "system.hosts" hosts::HostsPreparer [unix];
        "system.kernel_module" kernel_module::KernelModulePreparer [unix];
        "system.locale" locale::LocalePreparer [unix];
        "system.mount" mount::MountPreparer [unix];
        "system.reboot" reboot::RebootPreparer [unix];
        "system.swap" swap::SwapPreparer [unix];
        "system.sysctl" sysctl::SysctlPreparer [unix];
        "system.timezone" timezone::TimezonePreparer [unix];
    }
    "systemd" systemd {
        "systemd.query" query::UnitQueryPreparer [unix];
        "systemd.unit.file" unit_file::UnitFilePreparer [unix];
        "systemd.unit.state" unit::UnitPreparer [unix];
    }
    "user" user {
        "user.authorized_key" authorized_key::AuthorizedKeyPreparer [unix];
        "user.group" group::GroupPreparer [unix];
        "user.known_host" known_host::KnownHostPreparer [unix];
        "user.query" query::QueryPreparer [unix];
        "user.sudoers" sudoers::SudoersPreparer [unix];
        "user.user" user::UserPreparer [unix];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the whole table with the registered types, if all features are enabled.
    #[test]
    fn the_table_has_what_is_registered() {
        for (feature, registry) in registered() {
            let types: Vec<_> = registry.iter().map(|resource_type| resource_type.name()).collect();
            let family = FAMILIES.iter().find(|family| family.feature == feature);
            assert_eq!(family.map(|family| family.types), Some(&*types), "{feature}");
        }
    }
}
