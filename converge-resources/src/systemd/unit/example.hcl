# A small service: its unit file, and the unit that runs it, now and after each boot. When the file changes, systemd
# reads it again and the service is restarted.

param "unit" {
  default = "converge-example"
}

param "command" {
  default = "/bin/sleep infinity"
}

file.content "unit" {
  destination = "/etc/systemd/system/{{param `unit`}}.service"
  mode        = "0644"

  content = <<EOF
[Unit]
Description=An example of Converge

[Service]
ExecStart={{param `command`}}

[Install]
WantedBy=multi-user.target
EOF
}

systemd.unit.state "example" {
  unit         = "{{param `unit`}}.service"
  state        = "running"
  enabled      = true
  on_change_of = ["file.content.unit"]
}
