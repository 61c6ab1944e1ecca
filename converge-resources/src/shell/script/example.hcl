# A folder that is made unless it is there. The check must not change anything: a plan runs it too.

param "folder" {
  default = "/tmp/converge-work"
}

task "work" {
  check = "test -d \"$FOLDER\""
  apply = "mkdir -p \"$FOLDER\""

  env {
    FOLDER = param.folder
  }
}
