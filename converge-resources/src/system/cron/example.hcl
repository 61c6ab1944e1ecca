# A job of root that cleans up each night at half past three, in a file of its own.

param "days" {
  default = 30
}

cron.job "clean" {
  name    = "clean up"
  file    = "converge-example"
  user    = "root"
  minute  = "30"
  hour    = "3"
  command = "find \"$FOLDER\" -mtime +{{param `days`}} -delete"
  env     = { FOLDER = "/var/tmp/converge-example" }
}
