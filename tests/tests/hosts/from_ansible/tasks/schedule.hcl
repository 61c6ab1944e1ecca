cron.job "clean" {
  name    = "clean up"
  user    = "mover"
  minute  = "30"
  hour    = "3"
  command = "/usr/bin/find /tmp -mtime +3 -delete"
}

cron.job "begin" {
  name    = "begin"
  user    = "mover"
  special = "reboot"
  command = "/bin/true"
}

cron.job "report" {
  name     = "report"
  user     = "mover"
  weekday  = "1-5"
  minute   = "*/15"
  command  = "/bin/echo report"
  disabled = true
}

cron.job "rotate" {
  name    = "rotate"
  user    = "root"
  file    = "app"
  minute  = "0"
  hour    = "4"
  day     = "1"
  command = "/usr/sbin/logrotate /etc/app/rotate"
}

cron.job "nothing" {
  name  = "nothing"
  user  = "mover"
  state = "absent"
}
