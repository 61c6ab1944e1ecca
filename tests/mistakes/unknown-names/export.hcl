# expect: ? at 8:27 |`file.content.motd.path`| path

file.content "motd" {
  destination = "motd.txt"
}

file.mode "motd" {
  destination = "{{lookup `file.content.motd.path`}}"
  mode        = 0644
}
