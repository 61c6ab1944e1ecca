# A file has a note about its origin.

param "file" {
  default = "/etc/motd"
}

file.content "motd" {
  destination = param.file
  content     = "Welcome.\n"
}

file.xattr "motd" {
  destination = file.content.motd.destination

  attributes = {
    "user.origin" = "the module of this machine"
  }
}
