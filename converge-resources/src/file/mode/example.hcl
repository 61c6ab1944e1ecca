# A script that everybody may run and only its owner may change.

param "folder" {
  default = "/tmp"
}

file.content "script" {
  destination = "{{param `folder`}}/converge-hello.sh"
  content     = "#!/bin/sh\necho hello\n"
}

file.mode "script" {
  destination = file.content.script.destination
  mode        = "u=rwx,go=rx"
}
