# A folder of a program as it is in another place, without its notes, and with nothing else in it.

param "folder" {
  default = "/tmp"
}

file.directory "release" {
  destination = "{{param `folder`}}/converge-copy-release"
}

file.content "program" {
  destination = "{{lookup `file.directory.release.destination`}}/program"
  content     = "#!/bin/sh\n"
  mode        = 0755
}

file.content "notes" {
  destination = "{{lookup `file.directory.release.destination`}}/notes.txt"
  content     = "not for others\n"
}

file.copy "release" {
  source      = file.directory.release.destination
  destination = "{{param `folder`}}/converge-copy-live"
  exclude     = ["*.txt"]
  purge       = true
  dir_mode    = "0755"
  depends     = ["file.content.program", "file.content.notes"]
}
