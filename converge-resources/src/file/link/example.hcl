# A folder for each version, and a link to the one that is in use; and a file with two names.

param "folder" {
  default = "/tmp"
}

param "version" {
  default = "2"
}

file.directory "version" {
  destination = "{{param `folder`}}/converge-link-{{param `version`}}"
}

file.link "current" {
  destination = "{{param `folder`}}/converge-link-current"
  target      = "converge-link-{{param `version`}}"
}

file.content "tool" {
  destination = "{{param `folder`}}/converge-link-{{param `version`}}/tool"
  content     = "#!/bin/sh\n"
  depends     = ["file.directory.version"]
}

file.link "alias" {
  destination = "{{param `folder`}}/converge-link-{{param `version`}}/alias"
  target      = "tool"
  hard        = true
  force       = true
}
