# What runs again when a file that it reads has changed in this run.

param "port" {
  type    = "number"
  default = 80
}

file.content "config" {
  destination = "server.conf"
  content     = "port = {{param `port`}}\n"
}

file.content "motd" {
  destination = "motd.txt"
  content     = "unrelated to the server\n"
}

# The check is content, yet a new configuration has to be read.
task "reload" {
  check        = "true"
  apply        = "cat server.conf >> reloads.log"
  on_change_of = ["file.content.config"]
}

# Was just started, so it has the new configuration already: it runs once, not twice.
task "start" {
  check        = "test -f started.log"
  apply        = "cat server.conf >> started.log"
  on_change_of = ["file.content.config"]
}
