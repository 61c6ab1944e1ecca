# Permissions, in every way that they can be written.

file.directory "bin" {
  destination = "app/bin"
  create_all  = true
  mode        = "u=rwx,go=rx"
}

file.content "octal" {
  destination = "app/octal"
  mode        = 0644
  depends     = ["file.directory.bin"]
}

file.content "text" {
  destination = "app/text"
  mode        = "0600"
  depends     = ["file.directory.bin"]
}

file.content "run" {
  destination = "{{lookup `file.directory.bin.destination`}}/run"
  content     = "#!/bin/sh\n"
}

file.mode "run" {
  destination = "{{lookup `file.content.run.destination`}}"
  mode        = "a+rx"
}

file.content "computed" {
  destination = "app/computed"
  mode        = format("0%d", 640)
  depends     = ["file.directory.bin"]
}
