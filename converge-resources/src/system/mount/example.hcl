# A folder for what nobody needs after a restart, in memory, and never more than 64 MiB of it.

system.mount "scratch" {
  destination = "/srv/scratch"
  source      = "tmpfs"
  fstype      = "tmpfs"
  options     = ["size=64m", "nosuid", "nodev", "noexec"]
}
