# What the machine itself is told: its clock, its kernel, its names, and what new files may be read by.

param "name" {}

param "kernel" {
  type = "bool"
}

system.hosts "service" {
  name = param.name
  ip   = "127.0.1.1"
}

system.sysctl "backlog" {
  name  = "net.core.somaxconn"
  value = "1024"
  live  = param.kernel
}

file.line "umask" {
  destination = "/etc/login.defs"
  match       = "^#?\\s*UMASK\\s"
  line        = "UMASK 027"
}

# Nobody gets a shell of root without a password.
systemd.unit.state "debug" {
  unit   = "debug-shell.service"
  masked = true
}
