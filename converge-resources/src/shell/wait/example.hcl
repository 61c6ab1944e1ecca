# Waits until a file is there, whoever makes it, and tells what it says.
param "file" {
  default = "/etc/hostname"
}

wait.query "file" {
  check     = "test -s {{param `file`}} && cat {{param `file`}}"
  interval  = "1s"
  max_retry = 30
}
