param "folder" {}

param "name" {}

# `mkdir` fails when the folder is there, so two of these must not run at once.
task "folder" {
  check = "test -d {{param `folder`}}"
  apply = "mkdir {{param `folder`}}"
}

task "log" {
  check   = "test -f log"
  apply   = "echo started >> log"
  depends = ["task.folder"]
}

task "key" {
  check   = "test -f {{param `folder`}}/{{param `name`}}.key"
  apply   = "echo {{param `name`}} > {{param `folder`}}/{{param `name`}}.key"
  depends = ["task.folder"]
}
