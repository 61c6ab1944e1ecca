systemd.unit.file "app" {
  unit    = "app.service"
  content = <<EOF
[Unit]
Description=The application

[Service]
ExecStart=/bin/sleep infinity

[Install]
WantedBy=multi-user.target
EOF
}

systemd.unit.file "limits" {
  unit     = "app.service"
  drop_in  = "limits"
  sections = { Service = { LimitNOFILE = "4096" } }
  depends  = ["systemd.unit.file.app"]
}

systemd.unit.state "app" {
  unit    = "app"
  state   = "running"
  enabled = true
  depends = ["systemd.unit.file.limits"]
}

systemd.unit.state "cron" {
  unit    = "cron"
  state   = "running"
  enabled = true
}

systemd.unit.state "shell" {
  unit   = "debug-shell.service"
  masked = true
}
