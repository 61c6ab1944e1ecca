# A service and its configuration, under the temporary folder: it starts once, and reads its configuration again when
# that changes.
#
#   cargo run -p converge-cli -- apply examples/service.hcl
#   cargo run -p converge-cli -- apply -p port=9000 examples/service.hcl

param "port" {
  type    = "number"
  default = 8080

  validation {
    condition = param.port > 1023 && param.port < 65536
    message   = "the port must be one that needs no root"
  }
}

param "dir" {
  default = "{{or (env `TMPDIR`) `/tmp`}}/converge-service"
}

file.directory "service" {
  destination = param.dir
}

file.content "config" {
  destination = format("%s/config.json", file.directory.service.destination)
  content     = jsonencode({ port = param.port, workers = param.port > 8999 ? 4 : 2 })
}

# Starting takes a few attempts.
task "start" {
  check   = "test -f running"
  apply   = "echo try >> tries; test $(wc -l < tries) -ge 2 && touch running"
  dir     = file.directory.service.destination
  depends = ["file.content.config"]

  retry {
    attempts = 3
    delay    = "10ms"
  }
}

task "reload" {
  check        = "test -f running"
  apply        = "cat config.json >> reloads.log; echo >> reloads.log"
  dir          = file.directory.service.destination
  on_change_of = ["file.content.config"]
  depends      = ["task.start"]
}
