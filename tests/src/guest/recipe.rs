//! The contents of guests.

use std::path::{Path, PathBuf};

use crate::host::image::{RELEASE, fingerprint};

/// The packages of a guest, in addition to a minimal Debian.
pub const PACKAGES: [&str; 12] = [
    "systemd",
    "systemd-sysv",
    "dbus",
    // Creates device names and links, and LVM waits for it.
    "udev",
    // Loads kernel modules.
    "kmod",
    "lvm2",
    "e2fsprogs",
    "xfsprogs",
    // For disks with a partition table.
    "fdisk",
    // NFS shares, which a guest exports to itself.
    "nfs-kernel-server",
    // SMB shares. The kernel's own server crashes with a kernel error in this release.
    "samba",
    "cifs-utils",
];

/// The size of the system disk in the notation of `mke2fs`.
pub const ROOT_SIZE: &str = "800M";

/// The size of a test disk in bytes.
///
/// An xfs needs 300 MiB.
pub const DISK_SIZE: u64 = 512 << 20;

/// The script that completes the root folder and runs in it.
///
/// The kernel is extracted from its package, because an installation would require the tools for an initial
/// RAM disk. This kernel has the drivers of the disks and of their file system built in. The package has a
/// folder `/lib`, which is a link here.
pub const SETUP: &str = r#"
kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: //p')
cd /var/tmp
apt-get download "$kernel"
dpkg-deb --fsys-tarfile "$kernel"_*.deb | tar --extract --directory / --keep-directory-symlink
rm "$kernel"_*.deb
depmod "${kernel#linux-image-}"
mv /boot/vmlinuz-* /vmlinuz
echo guest > /etc/hostname
mkdir /opt/converge
echo '/dev/nvme0n2 /opt/converge ext4 ro 0 0' > /etc/fstab
chmod +x /usr/local/sbin/guest
# On a busy machine a boot takes minutes, and systemd would give up its devices after 90 seconds. When it gives up, nobody
# is there for its emergency shell: the guest ends, and with it the wait of the test.
mkdir /etc/systemd/system.conf.d
printf '[Manager]\nDefaultDeviceTimeoutSec=15min\nDefaultTimeoutStartSec=15min\n' > /etc/systemd/system.conf.d/busy.conf
cat > /etc/systemd/system/emergency.service <<'UNIT'
[Unit]
Description=Ends a guest that does not boot
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart=/bin/systemctl poweroff --force --force
UNIT
systemctl enable guest.service
systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer
systemctl mask getty.target e2scrub_reap.service systemd-logind.service systemd-timesyncd.service
systemctl mask systemd-update-utmp.service systemd-update-utmp-runlevel.service systemd-binfmt.service
systemctl disable nfs-server.service nfs-client.target rpcbind.service rpcbind.socket smbd.service nmbd.service samba-ad-dc.service
systemctl mask modprobe@configfs.service modprobe@efi_pstore.service modprobe@fuse.service modprobe@loop.service
systemctl mask dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount
systemctl mask sys-fs-fuse-connections.mount proc-sys-fs-binfmt_misc.automount
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /usr/share/doc /usr/share/man /usr/share/locale
"#;

/// The program that runs commands in a guest.
///
/// It reads `SCRIPT STDIN`, two numbers, and as many bytes. It answers `CODE STDOUT STDERR`, three numbers,
/// and as many bytes. It announces its start.
pub const AGENT: (&str, &str) = (
    "usr/local/sbin/guest",
    r#"#!/bin/sh
cd /run || exit
export PATH="$PATH:/opt/converge"
while :; do
    exec 3<>/dev/virtio-ports/converge
    echo ready >&3
    while read -r script stdin <&3; do
        head -c "$script" <&3 >guest.script
        head -c "$stdin" <&3 >guest.stdin
        (cd / && exec sh /run/guest.script </run/guest.stdin >/run/guest.stdout 2>/run/guest.stderr 3>&-)
        code=$?
        {
            echo "$code $(stat -c %s guest.stdout) $(stat -c %s guest.stderr)"
            cat guest.stdout guest.stderr
        } >&3
    done
    exec 3>&-
    sleep 1
done
"#,
);

/// The unit that starts [`AGENT`] at boot.
pub const UNIT: (&str, &str) = (
    "etc/systemd/system/guest.service",
    r"[Unit]
Description=Runs the commands of the tests
RequiresMountsFor=/opt/converge
BindsTo=dev-virtio\x2dports-converge.device
After=dev-virtio\x2dports-converge.device

[Service]
ExecStart=/usr/local/sbin/guest
Restart=always

[Install]
WantedBy=multi-user.target
",
);

/// The files of a guest, which all tests share read-only.
#[derive(Clone, Debug)]
pub struct Files {
    folder: PathBuf,
}

impl Files {
    /// Returns the files in a cargo target folder.
    ///
    /// The folder depends on a hash of their recipe.
    pub fn new(target: &Path) -> Self {
        let parts = [RELEASE, ROOT_SIZE, SETUP, AGENT.1, UNIT.1];
        let size = DISK_SIZE.to_string();
        let name = format!("guest-{}", fingerprint(parts.into_iter().chain(PACKAGES).chain([size.as_str()])));
        Self { folder: target.join("hosts").join(name) }
    }

    /// Returns the folder, which exists once all files are complete.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the system disk.
    pub fn root(&self) -> PathBuf {
        self.folder.join("root.img")
    }

    /// Returns the path of an empty disk.
    pub fn blank(&self) -> PathBuf {
        self.folder.join("blank.img")
    }

    /// Returns the path of the kernel.
    pub fn kernel(&self) -> PathBuf {
        self.folder.join("vmlinuz")
    }
}
