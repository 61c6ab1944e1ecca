# A job that runs each night: a service and its timer. When a file changes, systemd reads it again.

param "unit" {
  default = "converge-nightly"
}

param "command" {
  default = "/bin/true"
}

systemd.unit.file "service" {
  unit = "{{param `unit`}}.service"

  sections = {
    Unit    = { Description = "Nightly work" }
    Service = { Type = "oneshot", ExecStart = "{{param `command`}}" }
  }
}

systemd.unit.file "timer" {
  unit    = "{{param `unit`}}.timer"
  enabled = true
  depends = ["systemd.unit.file.service"]

  content = <<EOF
[Timer]
OnCalendar=daily
Persistent=true

[Install]
WantedBy=timers.target
EOF
}
