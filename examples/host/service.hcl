# The web server, a report of it once a day, and whether it answers.

param "name" {}

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

# The unit comes with its package: only the user is another.
systemd.unit.file "user" {
  unit    = "corner-httpd.service"
  drop_in = "user"

  sections = {
    Service = { User = "web", Group = "web" }
  }
}

systemd.unit.state "httpd" {
  unit         = "corner-httpd.service"
  state        = "running"
  enabled      = true
  on_change_of = ["file.content.settings", "systemd.unit.file.user"]
}

systemd.unit.file "report-service" {
  unit = "corner-report.service"

  sections = {
    Unit    = { Description = "A report of the web service" }
    Service = { Type = "oneshot", ExecStart = "/usr/bin/corner-report" }
  }
}

systemd.unit.file "report-timer" {
  unit    = "corner-report.timer"
  enabled = true
  depends = ["systemd.unit.file.report-service"]

  sections = {
    Timer   = { OnCalendar = "daily" }
    Install = { WantedBy = "timers.target" }
  }
}

systemd.unit.state "report" {
  unit  = systemd.unit.file.report-timer.unit
  state = "running"
}

# What is uploaded is not kept longer than a month.
cron.job "uploads" {
  name    = "remove old uploads"
  file    = "corner-uploads"
  user    = "web"
  special = "daily"
  command = "find /srv/web/uploads -type f -mtime +30 -delete"
}

wait.port "httpd" {
  port     = param.port
  interval = "200ms"
  depends  = ["systemd.unit.state.httpd"]
}

systemd.query "httpd" {
  unit    = "corner-httpd.service"
  depends = ["wait.port.httpd"]
}

assert "httpd" {
  condition = systemd.query.httpd.running && !systemd.query.httpd.failed
  message   = "the service has answered once, and runs no longer: see `journalctl -u corner-httpd`"
}
