# Two settings of a program, in a file that others edit as well.

param "folder" {
  default = "/tmp"
}

file.content "settings" {
  destination     = "{{param `folder`}}/converge-settings.ini"
  content         = "; of the program\n[server]\nport=80\n"
  only_if_missing = true
}

file.ini "port" {
  destination = file.content.settings.destination
  section     = "server"
  key         = "port"
  value       = "8080"
}

file.ini "level" {
  destination = file.content.settings.destination
  section     = "log"
  key         = "level"
  value       = "debug"
}
