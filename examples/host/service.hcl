# The web server, a report of it once a day, and whether it answers.

param "port" {
  type = "number"
}

file.directory "settings" {
  destination = "/etc/corner-httpd"
  mode        = 0755
}

file.content "settings" {
  destination = format("%s/settings", file.directory.settings.destination)
  content     = "PORT={{param `port`}}\nROOT=/srv/web/pages\n"
  mode        = 0644
}

file.directory "overrides" {
  destination = "/etc/systemd/system/corner-httpd.service.d"
  mode        = 0755
}

file.content "user" {
  destination = format("%s/user.conf", file.directory.overrides.destination)
  content     = "[Service]\nUser=web\nGroup=web\n"
  mode        = 0644
}

systemd.unit.state "httpd" {
  unit         = "corner-httpd.service"
  state        = "running"
  enabled      = true
  on_change_of = ["file.content.settings", "file.content.user"]
}

file.content "report-service" {
  destination = "/etc/systemd/system/corner-report.service"
  mode        = 0644

  content = <<EOF2
[Unit]
Description=A report of the web service

[Service]
Type=oneshot
ExecStart=/usr/bin/corner-report
EOF2
}

file.content "report-timer" {
  destination = "/etc/systemd/system/corner-report.timer"
  mode        = 0644

  content = <<EOF2
[Timer]
OnCalendar=daily

[Install]
WantedBy=timers.target
EOF2
}

systemd.unit.state "report" {
  unit    = "corner-report.timer"
  state   = "running"
  enabled = true
  depends = ["file.content.report-service", "file.content.report-timer"]
}

# Nobody gets a shell of root without a password.
systemd.unit.state "debug" {
  unit   = "debug-shell.service"
  masked = true
}

wait.port "httpd" {
  port     = param.port
  interval = "200ms"
  depends  = ["systemd.unit.state.httpd"]
}

wait.query "page" {
  check    = "busybox wget -q -O - http://localhost:{{param `port`}}/ | grep -q Welcome"
  interval = "200ms"
  depends  = ["wait.port.httpd"]
}

healthcheck.task "httpd" {
  check   = "systemctl --quiet is-active corner-httpd.service"
  depends = ["wait.query.page"]
}
