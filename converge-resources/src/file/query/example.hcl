# What is in a file that may be there or not, and which logs are old.

param "folder" {
  default = "/tmp"
}

file.query "release" {
  path = "/etc/os-release"
}

file.query "logs" {
  glob    = "{{param `folder`}}/converge-logs/**/*.log"
  kind    = "file"
  min_age = "720h"
}

file.content "report" {
  destination = "{{param `folder`}}/converge-query.txt"
  content     = format("%s\n%d old logs\n", file.query.release.exists ? file.query.release.owner : "nobody", length(file.query.logs.paths))
}
