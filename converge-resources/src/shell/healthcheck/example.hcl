# A check of the machine without a script that would change anything: it fails when there is no room for temporary files.

param "folder" {
  default = "/tmp"
}

healthcheck.task "room" {
  check = "test \"$(df -P \"$FOLDER\" | awk 'NR == 2 { print $4 }')\" -gt 0"

  env {
    FOLDER = param.folder
  }
}
